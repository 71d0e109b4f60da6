import type { Json, JsonObject } from '../../../lib/json';
import { getOwn, setOwn } from '../values';
import type { Arguments, Family } from './arguments';

/** Keys given one by one, or as one list. */
const keysGiven = (args: Arguments): string[] => {
  const first = args.value(1);
  if (Array.isArray(first)) {
    args.spend(first.length);
    return first.map((key) => asKey(args, key));
  }
  const rest = Array.from({ length: args.count - 2 }, (_, index) => args.text(index + 2));
  return [asKey(args, first), ...rest];
};

const asKey = (args: Arguments, key: Json): string => {
  if (typeof key !== 'string') throw args.wrong(1, 'string, or array of strings', key);
  return key;
};

const pick = (args: Arguments): Json => {
  const object = args.object(0);
  const picked: JsonObject = {};
  for (const key of keysGiven(args)) {
    const value = getOwn(object, key);
    if (value !== undefined) setOwn(picked, key, value);
  }
  return picked;
};

const omit = (args: Arguments): Json => {
  const object = args.object(0);
  const dropped = new Set(keysGiven(args));
  const kept: JsonObject = {};
  for (const key of Object.keys(object)) if (!dropped.has(key)) setOwn(kept, key, object[key] as Json);
  return kept;
};

/** Later objects win, key by key; nested objects are replaced, not merged. */
const merge = (args: Arguments): Json => {
  const merged: JsonObject = {};
  for (let index = 0; index < args.count; index++) {
    const object = args.object(index);
    for (const key of Object.keys(object)) setOwn(merged, key, object[key] as Json);
  }
  return merged;
};

/** Functions over objects. */
export const objectFunctions: Family = {
  keys: { min: 1, max: 1, call: (args) => Object.keys(args.object(0)) },
  values: { min: 1, max: 1, call: (args) => Object.values(args.object(0)) },
  entries: { min: 1, max: 1, call: (args) => Object.entries(args.object(0)).map(([key, value]) => ({ key, value })) },
  pick: { min: 2, max: 50, call: pick },
  omit: { min: 2, max: 50, call: omit },
  merge: { min: 1, max: 50, call: merge },
};
