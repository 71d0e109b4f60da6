import { decodeValue } from './decode';
import type { Maybe } from './value';
import { endOfCString, endOfValue, int32At, TYPE } from './wire';

/** Field names as bytes, split at the dots, made once per filter or index so that scans compare bytes only. */
export type RawPath = readonly Uint8Array[];

export const rawPath = (path: string | readonly string[]): RawPath =>
  (typeof path === 'string' ? path.split('.') : path).map((part) => Buffer.from(part));

/**
 * The position of the type byte of a named element in the document at `offset`, or -1.
 * Its value starts `name.length + 2` bytes later.
 */
export function findElement(bytes: Uint8Array, name: Uint8Array, offset = 0): number {
  const end = Math.min(offset + int32At(bytes, offset), bytes.length) - 1;
  let at = offset + 4;
  while (at < end) {
    const type = bytes[at] as number;
    if (sameName(bytes, at + 1, name)) return at;
    at = endOfValue(bytes, type, endOfCString(bytes, at + 1) + 1);
  }
  return -1;
}

function sameName(bytes: Uint8Array, from: number, name: Uint8Array): boolean {
  for (let index = 0; index < name.length; index++) if (bytes[from + index] !== name[index]) return false;
  return bytes[from + name.length] === 0;
}

/** One top-level field of raw BSON, decoded alone; undefined when absent. */
export function readField(bytes: Uint8Array, name: string, offset = 0): Maybe {
  return readParts(bytes, [Buffer.from(name)], offset).value;
}

/**
 * The value at a dotted path of raw BSON, through documents only: at an array, returns the array and the number of
 * names taken (`depth`), as callers handle arrays differently.
 */
export function readParts(bytes: Uint8Array, path: RawPath, offset = 0): { value: Maybe; depth: number } {
  let start = offset;
  for (let depth = 0; depth < path.length; depth++) {
    const name = path[depth] as Uint8Array;
    const at = findElement(bytes, name, start);
    if (at < 0) return { value: undefined, depth: path.length };
    const type = bytes[at] as number;
    start = at + name.length + 2;
    if (depth === path.length - 1 || type === TYPE.array) {
      return { value: decodeValue(bytes, type, start), depth: depth + 1 };
    }
    if (type !== TYPE.object) return { value: undefined, depth: path.length };
  }
  return { value: undefined, depth: path.length };
}

/** As `readParts` for a path in text; undefined when absent or when an array lies across it before its end. */
export function readPath(bytes: Uint8Array, path: string): Maybe {
  const parts = rawPath(path);
  const { value, depth } = readParts(bytes, parts);
  return depth === parts.length ? value : undefined;
}
