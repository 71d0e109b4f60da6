import type { ParseFault } from './contract';

/** A file is not read, and why: a sentence that tells its owner what can be done. */
export class ParseError extends Error {
  constructor(
    readonly code: ParseFault,
    message: string,
  ) {
    super(message);
    this.name = 'ParseError';
  }
}
