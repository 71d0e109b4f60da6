/** What the exit code of a command says. Promises to scripts: add, never change. docs/cli.md has the same table. */
export const EXITS = {
  /** Done, and the answer is yes. */
  ok: 0,
  /** Done, and the answer is no: it differs, is not valid, has failed. */
  no: 1,
  /** The command line itself cannot be used. */
  usage: 2,
  /** No credential, or one that is not taken (any more). */
  signed_out: 3,
  /** What was named is not there. */
  not_found: 4,
  /** The server, or a file, refused it; the same again is refused again. */
  refused: 5,
  /** The server cannot be reached, or not serve now; the same may succeed later. */
  unreachable: 6,
  /** SIGINT: 128 and its number, as shells have it. */
  interrupted: 130,
} as const;

/** Why a command ends otherwise than it should. */
export type ExitName = keyof typeof EXITS;

/** One of several things that are wrong, as the server lists them. */
export interface Detail {
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** Ends a command with words for stderr. `code` is the server's stable word where it has given one. */
export class CliError extends Error {
  constructor(
    readonly exit: ExitName,
    message: string,
    readonly more: { readonly code?: string; readonly details?: readonly Detail[]; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'CliError';
  }
}
