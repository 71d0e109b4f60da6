/**
 * A syntax or evaluation error of an expression. `position` counts characters from the start of `source`. Messages name
 * paths, keys and types, never values: a value may be a secret.
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

/** A required value is missing or null. Lenient positions turn it into null. */
export class AbsentError extends ExpressionError {}
