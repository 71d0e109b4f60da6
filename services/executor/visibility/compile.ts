import type { Sort } from 'mongodb';
import { parseDuration } from '../../../lib/duration';
import { faultAt } from './fault';
import { FIELD_NAMES, FIELDS, type Field, labelField, type RunFilter } from './fields';
import type { Comparison, Condition, NameToken, Order, Query, Value } from './tree';

/** A query as a database filter, with literals only. `sort`: null for the default order, newest first. */
export interface Selection {
  readonly filter: RunFilter;
  readonly sort: Sort | null;
}

const OPERATORS: Readonly<Record<Exclude<Comparison, '=' | '!='>, string>> = {
  '<': '$lt',
  '<=': '$lte',
  '>': '$gt',
  '>=': '$gte',
};
const TIME = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d))?$/;
/** A field of labels; names of labels are case-sensitive. */
const LABEL = /^labels?\.([A-Za-z][\w-]{0,63})$/i;
const CLOCK = /^(\d{1,5}):([0-5]\d):([0-5]\d)$/;

/**
 * Compiles a query to a filter. For a missing field, comparisons are false and `!=` is true.
 * @throws AppError invalid_query with the position of the fault
 */
export const compileQuery = ({ where, orderBy }: Query, now: number): Selection => ({
  filter: where === null ? {} : filterOf(where, now),
  sort: sortOf(orderBy),
});

function filterOf(condition: Condition, now: number): RunFilter {
  switch (condition.kind) {
    case 'and':
      return { $and: condition.terms.map((term) => filterOf(term, now)) };
    case 'or':
      return { $or: condition.terms.map((term) => filterOf(term, now)) };
    case 'not':
      return { $nor: [filterOf(condition.term, now)] };
    case 'null':
      return fieldOf(condition.field).absent;
    case 'in':
      return anyOf(condition.field, condition.values, now);
    case 'starts_with':
      return startsWith(condition.field, condition.prefix);
    case 'between':
      return {
        $and: [
          compared(condition.field, '>=', condition.from, now),
          compared(condition.field, '<=', condition.to, now),
        ],
      };
    case 'compare':
      return compared(condition.field, condition.op, condition.value, now);
  }
}

function compared(named: NameToken, op: Comparison, value: Value, now: number): RunFilter {
  const field = fieldOf(named);
  if (op === '=') return anyOf(named, [value], now);
  if (op === '!=') return { $nor: [anyOf(named, [value], now)] };
  if (field.kind === 'words') throw faultAt(named.at, `${named.name} is compared by =, !=, IN and STARTS_WITH`);
  return { [field.path]: { [OPERATORS[op]]: measure(field, value, now) } };
}

function anyOf(named: NameToken, values: readonly Value[], now: number): RunFilter {
  const field = fieldOf(named);
  if (field.kind === 'words') return field.anyOf(values.map((value) => wordOf(named, field, value)));
  return { [field.path]: { $in: values.map((value) => measure(field, value, now)) } };
}

function startsWith(named: NameToken, prefix: Value): RunFilter {
  const field = fieldOf(named);
  if (field.kind !== 'words') throw faultAt(named.at, `${named.name} is no text`);
  if (prefix.kind !== 'text') throw faultAt(prefix.at, 'a text in quotes is needed');
  return field.startingWith(prefix.text);
}

function wordOf({ name }: NameToken, { words }: Extract<Field, { kind: 'words' }>, value: Value): string {
  if (value.kind !== 'text') throw faultAt(value.at, 'a text in quotes is needed');
  if (words === null) return value.text;
  const word = value.text.toLowerCase();
  if (words.has(word)) return word;
  throw faultAt(
    value.at,
    `"${value.text.slice(0, 50)}" is no ${name}; there are Running, Completed, Failed, Canceled, TimedOut`,
  );
}

function measure({ kind }: Field, value: Value, now: number): Date | number {
  return kind === 'instant' ? instantOf(value, now) : durationOf(value);
}

function instantOf(value: Value, now: number): Date {
  if (value.kind === 'now') return new Date(now + value.offsetMs);
  const time = value.kind === 'text' && TIME.test(value.text) ? new Date(value.text) : null;
  if (time !== null && !Number.isNaN(time.getTime())) return time;
  throw faultAt(value.at, "a time is needed, such as '2026-11-22T10:00:00Z' or now() - 1h");
}

/** Milliseconds of `1h30m`, `'01:30:00'`, or a number of seconds. */
function durationOf(value: Value): number {
  const clock = value.kind === 'text' ? CLOCK.exec(value.text) : null;
  if (clock !== null) {
    const [hours, minutes, seconds] = clock.slice(1).map(Number) as [number, number, number];
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000;
  }
  const ms =
    value.kind === 'number' ? parseDuration(value.value) : value.kind === 'now' ? null : parseDuration(value.text);
  if (ms !== null) return ms;
  throw faultAt(value.at, 'a duration is needed, such as 90s, 1h30m or a number of seconds');
}

function sortOf(orders: readonly Order[]): Sort | null {
  const [first] = orders;
  if (first === undefined) return null;
  const entries = orders.map(({ field, direction }) => {
    const known = fieldOf(field);
    if (known.kind === 'words')
      throw faultAt(field.at, `runs are ordered by times and durations, not by ${field.name}`);
    return [known.path, direction] as const;
  });
  const newestFirst = entries.length === 1 && entries[0]?.[0] === 'started_at' && entries[0][1] === -1;
  return newestFirst ? null : { ...Object.fromEntries(entries), _id: first.direction };
}

function fieldOf({ name, at }: NameToken): Field {
  const label = LABEL.exec(name)?.[1];
  const field = label === undefined ? FIELDS.get(name.toLowerCase()) : labelField(label);
  if (field === undefined) throw faultAt(at, `there is no field ${name}; there are ${FIELD_NAMES}`);
  return field;
}
