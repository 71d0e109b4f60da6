import { tick } from '../../lib/compute/time-slice';
import type { Json, JsonObject } from '../../lib/json';
import { MAX_VALUE_DEPTH } from './limits';

/** The JSON type of a value. */
export type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export const kindOf = (value: Json): Kind => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as Kind;
};

export const isJsonObject = (value: Json): value is JsonObject => kindOf(value) === 'object';

/** False for false, null, 0, "" and an empty list; true for everything else. */
export function truthy(value: Json): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** The value of an object's own key. Inherited names such as `constructor` are not there. */
export const getOwn = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Cost of a new key of a large object, in operations. */
const SET_OPERATIONS = 6;

/** Sets a key that a user chose; plain assignment to `__proto__` would change the object's prototype instead. */
export function setOwn(object: JsonObject, key: string, value: Json): void {
  tick(SET_OPERATIONS);
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** Equality without conversion; lists and objects by value. Both sides must have a finite `jsonSize`. */
export function equal(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index] as Json));
  }
  if (Array.isArray(b) || !isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && equal(a[key] as Json, b[key] as Json));
}

/** A value inside a text: null is empty, lists and objects are JSON. Must have a finite `jsonSize`. */
export function toText(value: Json): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * Approximate length of the JSON text, without creating it; Infinity above `limit`, or when nested deeper than
 * MAX_VALUE_DEPTH.
 */
export function jsonSize(value: Json, limit: number, depth = 0): number {
  if (typeof value === 'string') return value.length + 2 <= limit ? value.length + 2 : Number.POSITIVE_INFINITY;
  if (value === null || typeof value !== 'object') return 4;
  if (depth >= MAX_VALUE_DEPTH) return Number.POSITIVE_INFINITY;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      size += 1 + jsonSize(item, limit - size, depth + 1);
      if (size > limit) return Number.POSITIVE_INFINITY;
    }
    return size;
  }
  for (const key of Object.keys(value)) {
    size += 4 + key.length + jsonSize(value[key] as Json, limit - size, depth + 1);
    if (size > limit) return Number.POSITIVE_INFINITY;
  }
  return size;
}
