import { type FieldPath, parseFieldPath, valueAt } from '../../../lib/field-path';
import type { Json } from '../../../lib/json';
import type { Arguments } from './arguments';

/**
 * The field that an argument names, as a function of the items of a list (null where an item has none), after paying
 * for looking it up in all of them.
 */
export function fieldGiven(args: Arguments, index: number, items: readonly Json[]): (item: Json) => Json {
  const path: FieldPath | null = parseFieldPath(args.text(index));
  if (path === null) throw args.fail(`argument ${index + 1} is not a field such as address.city or lines[0].sku`);
  args.spend(items.length * (path.length - 1));
  return (item) => valueAt(item, path) ?? null;
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
