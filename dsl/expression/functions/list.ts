import { canonicalJson, type Json, type JsonObject } from '../../../lib/json';
import { MAX_RANGE, MAX_VALUE_DEPTH } from '../limits';
import { equal, isJsonObject, setOwn, toText, truthy } from '../values';
import type { Arguments, Family } from './arguments';
import { compareValues, fieldGiven } from './fields';

/** The value of each item that a function goes by: the field named by an argument, or the item itself. */
const keyBy = (args: Arguments, index: number, items: readonly Json[]): ((item: Json) => Json) =>
  args.has(index) ? fieldGiven(args, index, items) : (item) => item;

/** `sort(list)`, `sort(list, "field")`, `sort(list, "field", "desc")`, `sort(list, "desc")`. Stable. */
const sort = (args: Arguments): Json => {
  const list = args.check(args.list(0));
  const first = args.text(1, 'asc');
  const alone = args.count < 3 && (first === 'asc' || first === 'desc');
  const direction = alone ? first : args.word(2, ['asc', 'desc'], 'asc');
  const sign = direction === 'desc' ? -1 : 1;
  const key = alone ? (item: Json): Json => item : fieldGiven(args, 1, list);
  args.spend(list.length);
  args.work(list.length * Math.log2(list.length + 1) * 2);
  return list
    .map((item) => ({ item, key: key(item) }))
    .sort((a, b) => sign * compareValues(a.key, b.key))
    .map(({ item }) => item);
};

const reverse = (args: Arguments): Json => {
  const value = args.value(0);
  if (typeof value === 'string') {
    args.work(value.length * 2);
    return Array.from(args.check(value)).reverse().join('');
  }
  if (!Array.isArray(value)) throw args.wrong(0, 'array or string', value);
  args.spend(value.length);
  return [...value].reverse();
};

const unique = (args: Arguments): Json => {
  const list = args.check(args.list(0));
  const key = keyBy(args, 1, list);
  args.work(list.length * 20);
  const seen = new Set<string>();
  return list.filter((item) => {
    const text = canonicalJson(key(item));
    return !seen.has(text) && seen.add(text);
  });
};

const flatten = (args: Arguments): Json => {
  const list = args.list(0);
  const levels = args.integer(1, 0, MAX_VALUE_DEPTH, 1);
  const flat: Json[] = [];
  const add = (items: Json[], left: number): void => {
    args.spend(items.length);
    for (const item of items) {
      if (Array.isArray(item) && left > 0) add(item, left - 1);
      else flat.push(item);
    }
  };
  add(list, levels);
  return flat;
};

/** `filter_field(list, "field")` keeps what is truthy there, `filter_field(list, "field", value)` what equals. */
const filterField = (args: Arguments): Json => {
  const list = args.list(0);
  const field = fieldGiven(args, 1, list);
  if (!args.has(2)) return list.filter((item) => truthy(field(item)));
  const wanted = args.measured(2);
  args.check(list);
  return list.filter((item) => equal(field(item), wanted));
};

const keyText = (args: Arguments, key: Json): string => {
  if (typeof key === 'object' && key !== null) throw args.fail('an array or object cannot be a key');
  return toText(key);
};

const groupBy = (args: Arguments): Json => {
  const groups = new Map<string, Json[]>();
  const list = args.list(0);
  const field = fieldGiven(args, 1, list);
  args.work(list.length * 10);
  for (const item of list) {
    const key = keyText(args, field(item));
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  const object: JsonObject = {};
  for (const [key, items] of groups) setOwn(object, key, items);
  return object;
};

const indexBy = (args: Arguments): Json => {
  const object: JsonObject = {};
  const list = args.list(0);
  const field = fieldGiven(args, 1, list);
  args.work(list.length * 10);
  for (const item of list) setOwn(object, keyText(args, field(item)), item);
  return object;
};

/** `range(end)`, `range(start, end)`, `range(start, end, step)`: numbers from start up to, not including, end. */
const range = (args: Arguments): Json => {
  const [start, end] = args.count === 1 ? [0, args.number(0)] : [args.number(0), args.number(1)];
  const step = args.number(2, 1);
  if (step === 0) throw args.fail('the step must not be 0');
  const length = Math.max(0, Math.ceil((end - start) / step));
  if (length > MAX_RANGE) throw args.fail(`makes more than ${MAX_RANGE} numbers`);
  args.spend(length);
  return Array.from({ length }, (_, index) => start + index * step);
};

const chunk = (args: Arguments): Json => {
  const list = args.list(0);
  const size = args.integer(1, 1, Number.MAX_SAFE_INTEGER);
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
};

const at = (args: Arguments): Json => {
  const list = args.list(0);
  return list.at(args.integer(1, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)) ?? null;
};

const mapField = (args: Arguments): Json => {
  const list = args.list(0);
  return list.map(fieldGiven(args, 1, list));
};

/** Drops null, empty strings, and empty lists and objects; keeps 0 and false. */
const isFilled = (item: Json): boolean => {
  if (Array.isArray(item) || typeof item === 'string') return item.length > 0;
  return isJsonObject(item) ? Object.keys(item).length > 0 : item !== null;
};

/** Functions over lists. */
export const listFunctions: Family = {
  first: { min: 1, max: 1, call: (args) => args.list(0)[0] ?? null },
  last: { min: 1, max: 1, call: (args) => args.list(0).at(-1) ?? null },
  at: { min: 2, max: 2, call: at },
  sort: { min: 1, max: 3, call: sort },
  reverse: { min: 1, max: 1, call: reverse },
  unique: { min: 1, max: 2, call: unique },
  flatten: { min: 1, max: 2, call: flatten },
  map_field: { min: 2, max: 2, call: mapField },
  filter_field: { min: 2, max: 3, call: filterField },
  group_by: { min: 2, max: 2, call: groupBy },
  index_by: { min: 2, max: 2, call: indexBy },
  range: { min: 1, max: 3, call: range },
  chunk: { min: 2, max: 2, call: chunk },
  compact: { min: 1, max: 1, call: (args) => args.list(0).filter(isFilled) },
};
