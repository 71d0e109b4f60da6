import { compareValues, toText } from '../../../dsl';
import { canonicalJson, type Json } from '../../../lib/json';
import { Refusal } from '../computed';

/** Operations on the values of a field, without nulls. `first` and `last` are those of the first and last item. */
export const OPERATIONS = [
  'count',
  'count_unique',
  'sum',
  'avg',
  'min',
  'max',
  'first',
  'last',
  'collect',
  'unique',
  'join',
] as const;

export type Operation = (typeof OPERATIONS)[number];

/** The result for the values of all items; null for missing ones. `field` is for messages. @throws Refusal */
type Reduce = (values: Json[], field: string, separator: string) => Json;

export const REDUCE: Readonly<Record<Operation, Reduce>> = {
  count: (values) => present(values).length,
  count_unique: (values) => unique(values).length,
  sum: (values, field) => sum(values, field),
  avg: (values, field) => {
    const count = present(values).length;
    return count === 0 ? null : sum(values, field) / count;
  },
  min: (values) => extreme(values, -1),
  max: (values) => extreme(values, 1),
  first: (values) => values[0] ?? null,
  last: (values) => values.at(-1) ?? null,
  collect: (values) => present(values),
  unique: (values) => unique(values),
  join: (values, _field, separator) => present(values).map(toText).join(separator),
};

const present = (values: Json[]): Json[] => values.filter((value) => value !== null);

function unique(values: Json[]): Json[] {
  const found = new Map<string, Json>();
  for (const value of present(values)) {
    const key = canonicalJson(value);
    if (!found.has(key)) found.set(key, value);
  }
  return [...found.values()];
}

function sum(values: Json[], field: string): number {
  let total = 0;
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    if (typeof value !== 'number') {
      throw new Refusal('invalid_items', `${field} of item ${index} is not a number, but ${kindOf(value)}`);
    }
    total += value;
  }
  if (!Number.isFinite(total)) throw new Refusal('invalid_items', `the sum of ${field} is larger than a number can be`);
  return total;
}

const kindOf = (value: Json): string => {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
};

/** The first of the values that none exceeds in this direction; null of nothing. */
function extreme(values: Json[], sign: 1 | -1): Json {
  let found: Json = null;
  for (const value of present(values)) {
    if (found === null || sign * compareValues(value, found) > 0) found = value;
  }
  return found;
}
