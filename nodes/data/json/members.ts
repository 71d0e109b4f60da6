import { setOwn } from '../../../dsl';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { misconfigured } from '../computed';
import { fieldPath } from '../field';

/** Names of members on the way to one, outermost first. */
type Names = readonly string[];

/** A value that has members; `name` is for messages. @throws Refusal */
export function objectIn(value: Json, name: string): JsonObject {
  if (isObject(value)) return value;
  throw misconfigured(`"${name}" must be an object`);
}

/** The ways to members as authors name them. Lists have no members. @throws Refusal */
export const membersNamed = (fields: readonly string[]): Names[] => fields.map(fieldPath);

/** Only these members, inside the same objects. */
export function pick(value: JsonObject, members: readonly Names[]): JsonObject {
  const picked: JsonObject = {};
  for (const names of members) copyMember(value, picked, names);
  return picked;
}

function copyMember(from: JsonObject, to: JsonObject, [name, ...rest]: Names): void {
  if (name === undefined || !Object.hasOwn(from, name)) return;
  const value = from[name] as Json;
  if (rest.length === 0) return setOwn(to, name, value);
  if (!isObject(value)) return;
  const known = Object.hasOwn(to, name) ? to[name] : undefined;
  // A member that was picked whole already has everything; writing into it would write into the input.
  if (known === value) return;
  const inner = isObject(known) ? known : {};
  copyMember(value, inner, rest);
  if (Object.keys(inner).length > 0) setOwn(to, name, inner);
}

/** All but these members. */
export function omit(value: JsonObject, members: readonly Names[]): JsonObject {
  const here = new Set(members.filter((names) => names.length === 1).map(([name]) => name));
  const below = new Map<string, Names[]>();
  for (const [name, ...rest] of members) {
    if (name !== undefined && rest.length > 0) below.set(name, [...(below.get(name) ?? []), rest]);
  }
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    if (here.has(name)) continue;
    const inner = below.get(name);
    setOwn(kept, name, inner !== undefined && isObject(member) ? omit(member, inner) : member);
  }
  return kept;
}

/** Later values win; with `deep`, objects inside objects are merged too, and lists are replaced. */
export function merge(values: readonly Json[], deep: boolean): JsonObject {
  let merged: JsonObject = {};
  for (const [index, value] of values.entries()) merged = mergeTwo(merged, objectIn(value, `values[${index}]`), deep);
  return merged;
}

function mergeTwo(first: JsonObject, second: JsonObject, deep: boolean): JsonObject {
  const merged: JsonObject = {};
  for (const [name, value] of Object.entries(first)) setOwn(merged, name, value);
  for (const [name, value] of Object.entries(second)) {
    const known = Object.hasOwn(merged, name) ? merged[name] : undefined;
    const both = deep && isObject(known) && isObject(value);
    setOwn(merged, name, both ? mergeTwo(known, value, deep) : value);
  }
  return merged;
}
