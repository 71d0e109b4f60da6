import type { Json, JsonObject } from '../../../lib/json';
import type { NodeNet } from '../../contract';
import type { TlsMode } from '../server-url';

/** A server of SQL, and who we are to it. */
export interface SqlTarget {
  readonly host: string;
  readonly port: number;
  /** '' for the one that the server takes for the user's. */
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly tls: TlsMode;
  readonly ca?: string;
}

/** The place and the credentials of a target, as a pool of clients tells one from the other. */
export const poolKeyOf = (
  driver: string,
  { host, port, database, user, tls, ...credentials }: SqlTarget,
): { readonly place: string; readonly credentials: string } => ({
  place: JSON.stringify([driver, host, port, database, user, tls]),
  credentials: JSON.stringify(credentials),
});

/** One statement of SQL with its parameters. */
export interface SqlQuery {
  readonly sql: string;
  readonly params: readonly Json[];
  readonly readOnly: boolean;
  readonly maxRows: number;
}

/** What a database answered. */
export interface QueryResult {
  readonly rows: JsonObject[];
  /** Rows or documents that were changed; null where nothing was to be. */
  readonly affected: number | null;
  /** There were more rows than these. */
  readonly truncated: boolean;
  /** Ids that the database gave to what was put in; absent where it tells none. */
  readonly ids?: Json[];
}

/** How far the talk with a database has come. `unsure`: a connection that ends now leaves it open whether there was a change. */
export interface Progress {
  outcomeUnknown: boolean;
}

/** The way out, and for how long. */
export interface QueryContext {
  readonly net: NodeNet;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/**
 * What a database, or its client, complains of: the `login`; a `duplicate` of what must be unique; that it is `busy`
 * (deadlock, too many connections), so that the same may succeed later; that the statement took too long (`timeout`) and
 * was undone; the `query` itself; a connection that was `lost`; an answer that makes no sense (`protocol`).
 */
export type DatabaseErrorKind = 'login' | 'duplicate' | 'busy' | 'timeout' | 'query' | 'lost' | 'protocol';

/** A failure in words of the database. `serverCode` is its own, such as a SQLSTATE. */
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
