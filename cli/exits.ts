import type { JsonObject } from '../lib/json';
/** Exit codes. Scripts depend on them: add, never change. docs/cli.md has the same table. */
export const EXITS = {
  /** Success. */
  ok: 0,
  /** Negative result: differences, invalid, failed. */
  no: 1,
  /** Invalid command line. */
  usage: 2,
  /** No credential, or one that is invalid or expired. */
  signed_out: 3,
  /** The named object does not exist. */
  not_found: 4,
  /** Rejected by the server or because of a file; a retry does not help. */
  refused: 5,
  /** The server is unreachable or unavailable; a retry may succeed. */
  unreachable: 6,
  /** SIGINT: 128 plus its number, as in shells. */
  interrupted: 130,
} as const;

/** Names of unsuccessful exits. */
export type ExitName = keyof typeof EXITS;

/** One of several faults in a server's error. */
export interface Detail {
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** Ends a command with a message on stderr. `code` is the server's error code, if any. */
export class CliError extends Error {
  constructor(
    readonly exit: ExitName,
    message: string,
    readonly more: {
      readonly code?: string;
      readonly details?: readonly Detail[];
      readonly body?: JsonObject;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'CliError';
  }
}
