import type { ParseFault } from './contract';

/** A file that cannot be parsed; the message tells its owner what to do. */
export class ParseError extends Error {
  constructor(
    readonly code: ParseFault,
    message: string,
  ) {
    super(message);
    this.name = 'ParseError';
  }
}
