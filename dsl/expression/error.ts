/**
 * An expression that cannot be read or has no value. `position` counts characters from the start of `source`.
 * Messages name paths, keys and types, never values: a value may be a secret.
 */
export class ExpressionError extends Error {
  constructor(
    message: string,
    readonly source: string,
    readonly position: number,
  ) {
    super(message);
    this.name = 'ExpressionError';
  }
}

/** Something is missing or null where a value is needed. Places that allow absence turn it into null. */
export class AbsentError extends ExpressionError {}
