/** A computation that fails for its input. It becomes the error of the step, and is not retryable. */
export class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

/** The author's mistake, found where a schema cannot. */
export const misconfigured = (message: string): Refusal => new Refusal('invalid_config', message);
