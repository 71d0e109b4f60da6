import { isObject, type Json, type JsonObject } from '../../../lib/json';

/** Nested members as the provider's forms have them: `metadata[order]`, `line_items[0][price]`. Null empties a member. */
export function bracketed(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).flatMap(([name, value]) => pairs(name, value)));
}

function pairs(name: string, value: Json): [string, Json][] {
  if (Array.isArray(value)) return value.flatMap((one, index) => pairs(`${name}[${index}]`, one));
  if (isObject(value)) return Object.entries(value).flatMap(([key, one]) => pairs(`${name}[${key}]`, one));
  return [[name, value ?? '']];
}
