import { isIndex } from '../bson/path';
import { isDoc, type Maybe, type Value } from '../bson/value';

/**
 * The values that `distinct` reports for one document: at the end of the path the elements of an array each on its own.
 * Unlike in a filter, a number in the path is only a position where it meets an array, and arrays within arrays are
 * searched. A missing field gives nothing.
 */
export function distinctValues(value: Maybe, path: readonly string[], depth = 0): Value[] {
  const part = path[depth];
  if (part === undefined) return Array.isArray(value) ? value : value === undefined ? [] : [value];
  if (isDoc(value)) return distinctValues(value.get(part), path, depth + 1);
  if (!Array.isArray(value)) return [];
  if (isIndex(part)) return distinctValues(value[Number(part)], path, depth + 1);
  return value.flatMap((entry) => (isDoc(entry) || Array.isArray(entry) ? distinctValues(entry, path, depth) : []));
}
