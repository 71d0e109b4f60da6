/** What a node of this family cannot compute: thrown on the way, and the step's error at the end. The same input fails again. */
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
