import { createHash } from 'node:crypto';

/** JSON data, as it crosses services, is returned by steps and stored in records. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. Keys come from users: never look one up without `Object.hasOwn` or a null prototype. */
export type JsonObject = { [key: string]: Json };

/** True for an object that is neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a JSON text; undefined, which JSON cannot express, for invalid JSON. */
export function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller decides what invalid JSON means.
    return undefined;
  }
}

/** JSON text with sorted keys at every depth, so that equal values give equal text. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 of the canonical text, in lower-case hex. */
export const hashJson = (value: Json): string => createHash('sha256').update(canonicalJson(value)).digest('hex');

/**
 * Approximate length of a value's JSON text, without serializing it. Stops counting above `limit`.
 * @throws RangeError when nested too deep
 */
export function jsonSize(value: Json, limit = Number.POSITIVE_INFINITY): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 5;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (size > limit) return size;
      size += jsonSize(item, limit - size) + 1;
    }
  } else {
    for (const key of Object.keys(value)) {
      if (size > limit) return size;
      size += key.length + 4 + jsonSize(value[key] as Json, limit - size);
    }
  }
  return size;
}
