import { ServerError } from '../bson/error';
import type { Doc, Value } from '../bson/value';

/** One end of a range. */
export interface Limit {
  value: Value;
  inclusive: boolean;
}

/**
 * A necessary condition of a filter, in terms of index keys: every matching document has at least one key at `path`
 * (as `valuesAt` gives them, missing read as null) that satisfies it.
 *
 * - `eq`, `in`: the key equals the value, or one of the values. Null therefore covers missing.
 * - `range`: the key is of the limits' type class and within them; an absent limit means the end of that class.
 * - `exists`: the field is present (enough for a sparse index; no limits on keys).
 *
 * Two bounds on one path may be intersected only when the path is not multikey: different elements may satisfy each.
 * Bounds with the same `element` number hold together for one array element, so they may be combined in a compound
 * index that is multikey through that array.
 */
export type Bound = { path: string; element?: number } & (
  | { kind: 'eq'; value: Value }
  | { kind: 'in'; values: Value[] }
  | { kind: 'range'; min?: Limit; max?: Limit }
  | { kind: 'exists' }
);

export interface Analysis {
  /** All hold at once. */
  bounds: Bound[];
  /** For each top-level `$or` (in order): its branches; every matching document satisfies at least one branch. */
  or: Analysis[][];
  /** The bounds say all that the filter says, provided that no path is multikey: no residual filter is needed. */
  exact: boolean;
}

/** What a planner may rely on: sound facts from the top-level conjunction. The filter must have compiled before. */
export function analyze(_filter: Doc): Analysis {
  throw new ServerError('NotImplemented', 'analyze');
}
