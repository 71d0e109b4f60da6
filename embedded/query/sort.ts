import { type Collation, SIMPLE } from '../bson/collation';
import { ServerError } from '../bson/error';
import type { Doc, Maybe } from '../bson/value';

/** The values by which a document sorts, one per field of the pattern; compare them with `compareSortKeys`. */
export type SortKey = Maybe[];

export interface Sorter {
  /** Computed once per document, so that sorting n documents expands arrays n times only. */
  key(document: Doc): SortKey;
  compareKeys(a: SortKey, b: SortKey): number;
  compare(a: Doc, b: Doc): number;
}

/**
 * A sort pattern such as {a: 1, 'b.c': -1}: missing sorts as null, an array by its least (or, descending, greatest) element.
 * @throws ServerError BadValue for a pattern that MongoDB would refuse
 */
export function compileSorter(_spec: Doc, _collation: Collation = SIMPLE): Sorter {
  throw new ServerError('NotImplemented', 'compileSorter');
}

/** The order alone. */
export const compileSort = (spec: Doc, collation: Collation = SIMPLE): ((a: Doc, b: Doc) => number) =>
  compileSorter(spec, collation).compare;
