import { compare } from '../bson/compare';
import { badValue, ServerError } from '../bson/error';
import { asInteger, isNumeric } from '../bson/numeric';
import { descend, indexKeys, type Path, splitPath } from '../bson/path';
import { type Doc, isDoc, type Maybe, type Value } from '../bson/value';

/** The values by which a document sorts, one per field of the pattern; compare them with `compareKeys`. */
export type SortKey = Maybe[];

export interface Sorter {
  /** Computed once per document, so that sorting n documents expands arrays n times only. */
  key(document: Doc): SortKey;
  compareKeys(a: SortKey, b: SortKey): number;
  compare(a: Doc, b: Doc): number;
}

/** @throws ServerError BadValue, or 15976 and others for a pattern that MongoDB would refuse */
function parseSort(spec: Doc): { path: string; direction: 1 | -1 }[] {
  return [...spec].map(([path, value]) => {
    if (path === '' || path.split('.').some((part) => part === '')) {
      throw new ServerError(path === '' ? 40352 : 15998, 'FieldPath field names may not be empty strings.');
    }
    if (path.startsWith('$')) throw new ServerError(16410, `FieldPath field names may not start with '$': ${path}`);
    return { path, direction: directionOf(path, value) };
  });
}

function directionOf(path: string, value: Value): 1 | -1 {
  if (isDoc(value)) throw badValue(`sort by $meta is not supported: ${path}`);
  if (!isNumeric(value)) throw new ServerError(15974, `Illegal key in $sort specification: ${path}`);
  const direction = asInteger(value);
  if (direction === 1n || direction === -1n) return direction === 1n ? 1 : -1;
  throw new ServerError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
}

/**
 * A sort pattern such as {a: 1, 'b.c': -1}: missing sorts as null, an array by its least (or, descending, greatest) element.
 * @throws ServerError for a pattern that MongoDB would refuse
 */
export function compileSorter(spec: Doc): Sorter {
  const fields = parseSort(spec);
  const paths = fields.map(({ path }) => splitPath(path));
  const directions = fields.map(({ direction }) => direction);
  const compareKeys = (a: SortKey, b: SortKey): number => compareTuples(a, b, directions);
  // A sort by `_id` alone takes it whole: only groups can have an array there.
  const onlyId = fields.length === 1 && fields[0]?.path === '_id';
  const key = (document: Doc): SortKey => {
    const simple = paths.map((path) => descend(document, path).value);
    if (onlyId || !simple.some(Array.isArray)) return simple.map((value) => value ?? null);
    return minKey(sortKeys(document, paths), compareKeys);
  };
  return { key, compareKeys, compare: (a, b) => compareKeys(key(a), key(b)) };
}

/** Sorting refuses parallel arrays under another code than indexing does. */
function sortKeys(document: Doc, paths: readonly Path[]): SortKey[] {
  try {
    return indexKeys(document, paths).keys;
  } catch (error) {
    if (error instanceof ServerError && error.codeName === 'CannotIndexParallelArrays') {
      throw badValue('cannot sort with keys that are parallel arrays');
    }
    throw error;
  }
}

/** Of all combinations that arrays give, the one that comes first in the pattern's own order. */
function minKey(keys: readonly SortKey[], order: (a: SortKey, b: SortKey) => number): SortKey {
  return keys
    .map((key) => key.map((value) => value ?? null))
    .reduce((best, key) => (order(key, best) < 0 ? key : best));
}

function compareTuples(a: SortKey, b: SortKey, directions: readonly number[]): number {
  for (let index = 0; index < directions.length; index++) {
    const order = compare(a[index], b[index]);
    if (order !== 0) return order * (directions[index] as number);
  }
  return 0;
}

/** The order alone. */
export const compileSort = (spec: Doc): ((a: Doc, b: Doc) => number) => compileSorter(spec).compare;
