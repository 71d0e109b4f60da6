import { valueAt } from '../../lib/field-path';
import { isObject, type Json, type JsonObject } from '../../lib/json';

/** An object without the members that are undefined. */
export const present = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined));

/** A text inside a value; undefined where there is none, or an empty one. */
export function textAt(value: Json, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** A number inside a value; undefined where there is none. */
export function numberAt(value: Json, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, path);
  return typeof found === 'number' ? found : undefined;
}

/** A list inside a value; an empty one where there is none. */
export function listAt(value: Json, ...path: readonly string[]): Json[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

/** An object inside a value; an empty one where there is none. */
export function objectAt(value: Json, ...path: readonly string[]): JsonObject {
  const found = valueAt(value, path);
  return isObject(found) ? found : {};
}

/** The texts of a list inside a value. */
export const textsAt = (value: Json, ...path: readonly string[]): string[] =>
  listAt(value, ...path).filter((one) => typeof one === 'string');
