import { ServerError } from '../bson/error';
import type { Path } from '../bson/path';
import { isDoc, type Maybe, type Value } from '../bson/value';

/** @throws ServerError for a path with an empty or dollar-prefixed part */
export function assertFieldPath(path: string): void {
  if (path === '') throw new ServerError(40352, 'FieldPath cannot be constructed with empty string');
  if (path.endsWith('.')) throw new ServerError(40353, "FieldPath must not end with a '.'.");
  if (path.includes('\0')) throw new ServerError(16411, 'FieldPath field names may not contain null bytes');
  for (const part of path.split('.')) {
    if (part === '') throw new ServerError(15998, 'FieldPath field names may not be empty strings.');
    if (part.startsWith('$')) {
      throw new ServerError(
        16410,
        `FieldPath field names may not start with '$'. Consider using $getField or $setField: ${path}`,
      );
    }
  }
}

/** Reads a path as expressions do: arrays element by element, without missing values; numbers are no positions. */
export function readPath(start: Maybe, path: Path, from = 0): Maybe {
  let value = start;
  for (let depth = from; depth < path.length; depth++) {
    if (isDoc(value)) value = value.get(path[depth] as string);
    else return Array.isArray(value) ? throughArray(value, path, depth) : undefined;
  }
  return value;
}

function throughArray(array: readonly Value[], path: Path, depth: number): Value[] {
  const found: Value[] = [];
  for (const entry of array) {
    const value = isDoc(entry) ? readPath(entry, path, depth) : undefined;
    if (value !== undefined) found.push(value);
  }
  return found;
}
