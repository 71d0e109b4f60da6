import { ServerError } from './error';
import { isDoc, type Doc, type Maybe, UNDEFINED, type Value } from './value';

/** A dotted path, split. */
export type Path = readonly string[];

export const splitPath = (path: string): Path => path.split('.');

/** True for text that names an array position: `0`, `17`, not `01` or `-1`. */
export const isIndex = (part: string): boolean => /^(?:0|[1-9]\d{0,9})$/.test(part);

/** The value at a path through documents only, and how many names it took: an array across the path stops it. */
export function descend(start: Maybe, path: Path, from = 0): { value: Maybe; depth: number } {
  let value = start;
  for (let depth = from; depth < path.length; depth++) {
    if (isDoc(value)) value = value.get(path[depth] as string);
    else return Array.isArray(value) ? { value, depth } : { value: undefined, depth: path.length };
  }
  return { value, depth: path.length };
}

/** What an index on one path stores for a document. Missing stays `undefined` here (indexes store it as null). */
interface PathValues {
  values: Maybe[];
  /** An array was expanded on the way, so one document may have several keys. */
  multikey: boolean;
}

/** The values at one path as MongoDB would index them: elements of arrays, `UNDEFINED` for an empty array. */
export function valuesAt(document: Doc, path: string): PathValues {
  const { keys, multikey } = indexKeys(document, [splitPath(path)]);
  return { values: keys.map((key) => key[0]), multikey: multikey[0] as boolean };
}

/** The keys of a compound index for one document: paths through the same array advance together, element by element. */
interface IndexKeys {
  /** One tuple per combination, in array order; equal tuples may repeat. */
  keys: Maybe[][];
  /** For each path, whether an array was expanded on it. */
  multikey: boolean[];
}

/** @throws ServerError CannotIndexParallelArrays (171) when two paths cross different arrays */
export function indexKeys(document: Doc, paths: readonly Path[]): IndexKeys {
  const multikey = paths.map(() => false);
  const keys: Maybe[][] = [];
  expand(
    paths.map((path) => ({ value: document, path, depth: 0, fixed: false })),
    keys,
    multikey,
  );
  return { keys, multikey };
}

interface Cursor {
  value: Maybe;
  path: Path;
  depth: number;
  /** The value is an array element at the end of its path: arrays inside it are not expanded again. */
  fixed: boolean;
}

function expand(cursors: readonly Cursor[], keys: Maybe[][], multikey: boolean[]): void {
  const reached = cursors.map(settle);
  const crossing = reached.flatMap((cursor, index) => (isOpenArray(cursor) ? [index] : []));
  const first = crossing[0];
  if (first === undefined) {
    keys.push(reached.map((cursor) => cursor.value));
    return;
  }
  const array = reached[first]?.value as Value[];
  if (crossing.some((index) => reached[index]?.value !== array)) {
    throw new ServerError('CannotIndexParallelArrays', 'cannot index parallel arrays');
  }
  const positional = crossing.filter((index) => isPosition(array, reached[index] as Cursor));
  const spreading = crossing.filter((index) => !positional.includes(index));
  for (const index of spreading) multikey[index] = true;
  for (const entry of spreading.length === 0 || array.length === 0 ? [undefined] : array) {
    const next = reached.map((cursor, index) => {
      if (positional.includes(index)) return atPosition(cursor, array);
      return spreading.includes(index) ? inside(cursor, entry) : cursor;
    });
    expand(next, keys, multikey);
  }
}

const isOpenArray = (cursor: Cursor): boolean => Array.isArray(cursor.value) && !cursor.fixed;

/** Follows documents as far as they go. */
function settle(cursor: Cursor): Cursor {
  return cursor.fixed ? cursor : { ...cursor, ...descend(cursor.value, cursor.path, cursor.depth) };
}

/** Whether the next name of the path is a position in the array rather than a field of its elements. */
function isPosition(array: readonly Value[], { path, depth }: Cursor): boolean {
  const part = path[depth];
  if (part === undefined || !isIndex(part)) return false;
  const named = array.some((entry) => isDoc(entry) && entry.has(part));
  if (named && Number(part) < array.length) {
    throw new ServerError(16746, `ambiguous field name found in array: ${part} is a position and a field name`);
  }
  return !named;
}

/** An array at the end of a position is not expanded, except that an empty one is undefined here too. */
function atPosition(cursor: Cursor, array: readonly Value[]): Cursor {
  const value = array[Number(cursor.path[cursor.depth])];
  const depth = cursor.depth + 1;
  if (depth < cursor.path.length) return { ...cursor, value, depth };
  return { ...cursor, value: Array.isArray(value) && value.length === 0 ? UNDEFINED : value, depth, fixed: true };
}

/** The cursor moved from an array to one of its entries; `entry` is undefined for the empty array. */
function inside(cursor: Cursor, entry: Maybe): Cursor {
  if (cursor.depth === cursor.path.length) {
    return { ...cursor, value: entry === undefined ? UNDEFINED : entry, fixed: true };
  }
  return { ...cursor, value: isDoc(entry) ? entry : undefined, fixed: !isDoc(entry) };
}
