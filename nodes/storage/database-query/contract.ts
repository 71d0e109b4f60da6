import type { Json, JsonObject } from '../../../lib/json';
import type { NodeNet } from '../../contract';
import type { TlsMode } from '../server-url';

/** A SQL server with its login. */
export interface SqlTarget {
  readonly host: string;
  readonly port: number;
  /** Empty: the default database of the user. */
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly tls: TlsMode;
  readonly ca?: string;
}

/** The target and the credentials by which a pool distinguishes clients. */
export const poolKeyOf = (
  driver: string,
  { host, port, database, user, tls, ...credentials }: SqlTarget,
): { readonly place: string; readonly credentials: string } => ({
  place: JSON.stringify([driver, host, port, database, user, tls]),
  credentials: JSON.stringify(credentials),
});

/** One SQL statement with its parameters. */
export interface SqlQuery {
  readonly sql: string;
  readonly params: readonly Json[];
  readonly readOnly: boolean;
  readonly maxRows: number;
}

/** The result of a query. */
export interface QueryResult {
  readonly rows: JsonObject[];
  /** Number of changed rows or documents; null for a read. */
  readonly affected: number | null;
  /** True if there were more rows. */
  readonly truncated: boolean;
  /** Generated ids of inserted rows; absent if the database does not return them. */
  readonly ids?: Json[];
}

/** The progress of a query. `outcomeUnknown`: if the connection ends now, it is unknown whether a change was made. */
export interface Progress {
  outcomeUnknown: boolean;
}

/** Network access and timeout of a query. */
export interface QueryContext {
  readonly net: NodeNet;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/**
 * Kinds of errors: `login`; `duplicate` for a violated unique constraint; `busy` (deadlock, too many connections), which is
 * retryable; `timeout` for a statement that took too long and was rolled back; `query` for an invalid statement; `lost`
 * for a lost connection; `protocol` for a malformed response.
 */
export type DatabaseErrorKind = 'login' | 'duplicate' | 'busy' | 'timeout' | 'query' | 'lost' | 'protocol';

/** An error with the message of the database. `serverCode` is its code, such as a SQLSTATE. */
export class DatabaseError extends Error {
  constructor(
    readonly kind: DatabaseErrorKind,
    message: string,
    readonly serverCode: string | null,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
