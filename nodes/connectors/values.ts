import { valueAt } from '../../lib/field-path';
import { isObject, type Json, type JsonObject } from '../../lib/json';

/** An object without the members that are undefined. */
export const withoutUndefined = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined));

/** The non-empty text at a path; undefined if there is none. */
export function textAt(value: Json, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** The number at a path; undefined if there is none. */
export function numberAt(value: Json, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, path);
  return typeof found === 'number' ? found : undefined;
}

/** The list at a path; empty if there is none. */
export function listAt(value: Json, ...path: readonly string[]): Json[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

/** The object at a path; empty if there is none. */
export function objectAt(value: Json, ...path: readonly string[]): JsonObject {
  const found = valueAt(value, path);
  return isObject(found) ? found : {};
}

/** The texts of the list at a path. */
export const textsAt = (value: Json, ...path: readonly string[]): string[] =>
  listAt(value, ...path).filter((one) => typeof one === 'string');
