import type { Json } from '../../../lib/json';
import { getOwn, isJsonObject } from '../values';

/** The value at a dotted path of names and indexes inside an item of a list; null when there is none. */
export function fieldOf(item: Json, path: string): Json {
  let value: Json = item;
  for (const name of path.split('.')) {
    const next: Json | undefined = Array.isArray(value)
      ? /^-?\d{1,9}$/.test(name)
        ? value.at(Number(name))
        : undefined
      : isJsonObject(value)
        ? getOwn(value, name)
        : undefined;
    if (next === undefined) return null;
    value = next;
  }
  return value;
}

const RANK = { null: 0, boolean: 1, number: 2, string: 3 } as const;

/** One order over all scalars: null, false, true, numbers, strings by code unit. Lists and objects come last, as equals. */
export function compareValues(a: Json, b: Json): number {
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return rank;
  if (a === b || typeof a === 'object' || typeof b === 'object') return 0;
  return a < b ? -1 : 1;
}

const rankOf = (value: Json): number => {
  if (value === null) return RANK.null;
  return typeof value === 'object' ? 4 : RANK[typeof value as keyof typeof RANK];
};
