import type { Collation } from '../bson/collation';
import { ServerError } from '../bson/error';
import type { Doc, Timestamp, Value } from '../bson/value';

export interface UpdateOptions {
  arrayFilters?: readonly Value[];
  collation?: Collation;
  /** Variables that a pipeline may read as `$$name`. */
  let?: ReadonlyMap<string, Value>;
  /** Refuse a replacement document, as `multi` updates must. */
  multi?: boolean;
}

/** What an update may need besides the document. */
export interface UpdateContext {
  /** The document is being inserted by an upsert, so `$setOnInsert` applies. */
  isInsert: boolean;
  /** The query filter, for the positional `$`. */
  filter?: Doc;
  now: Date;
  clusterTime: Timestamp;
}

/** The new document; the very same reference when nothing changed. The input is never changed, parts are shared. */
export type Update = (document: Doc, context: UpdateContext) => Doc;

/**
 * Operators, a replacement document, or a pipeline (an array).
 * @throws ServerError FailedToParse (9), ConflictingUpdateOperators (40) and others
 */
export function compileUpdate(_update: Doc | Value[], _options: UpdateOptions = {}): Update {
  throw new ServerError('NotImplemented', 'compileUpdate');
}

/**
 * The document that an upsert inserts when nothing matched: the filter's equalities, then the update.
 * It has an `_id` only when the filter or the update gave one; the caller adds a fresh ObjectId otherwise.
 */
export function upsertDocument(
  _filter: Doc,
  _update: Doc | Value[],
  _options: UpdateOptions,
  _context: Omit<UpdateContext, 'isInsert'>,
): Doc {
  throw new ServerError('NotImplemented', 'upsertDocument');
}
