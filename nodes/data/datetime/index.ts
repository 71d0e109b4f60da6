import {
  type ConfigFinding,
  formatDate,
  inRange,
  instantOfNumber,
  instantOfText,
  UTC,
  type Zone,
  zoneOf,
} from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import type { JsonSchema } from '../../contract';
import { defineNode } from '../../contract/define';
import { choice, filledText, integer, number, objectSchema, requiredWhen, text } from '../../schema';
import { computed, misconfigured, Refusal } from '../computed';
import { faultsIn } from '../readings';
import { add, dayOfYear, difference, endOf, isoWeek, localOf, startOf, type Unit, UNITS, weekday } from './calendar';
import { instantByPattern } from './pattern';

/** Time zones that there are not, formats and patterns that cannot be read. */
const check = ({ timezone, format, pattern }: JsonObject): ConfigFinding[] =>
  faultsIn([
    ['timezone', timezone, zoneNamed],
    ['format', format, (text) => written(0, UTC, text)],
    ['pattern', pattern, (text) => instantByPattern('', text, UTC)],
  ]);

/** The input, validated by the schema: the fields of the operation are present. */
interface DatetimeInput {
  operation: 'now' | 'parse' | 'format' | 'add' | 'diff' | 'start_of' | 'end_of';
  value: string | number;
  to: string | number;
  amount: number;
  unit: Unit;
  timezone?: string;
  format?: string;
  pattern?: string;
}

/** Reads, moves, compares and writes times. */
const run = computed('datetime', (given, ctx): JsonObject => {
  // The runtime has checked the input against the input schema.
  const input = given as unknown as DatetimeInput;
  const timezone = input.timezone ?? 'UTC';
  const zone = zoneNamed(timezone);
  if (input.operation === 'diff') {
    const [from, to] = [instantOf('value', input.value, input, zone), instantOf('to', input.to, input, zone)];
    return { value: difference(from, to, input.unit, zone), milliseconds: to - from };
  }
  const ms = input.operation === 'now' ? ctx.now : instantOf('value', input.value, input, zone);
  return shown(moved(ms, input, zone), timezone, zone, input.format);
});

/** @throws Refusal when there is no zone of this name */
function zoneNamed(name: string): Zone {
  const zone = zoneOf(name);
  if (zone === null) throw misconfigured('"timezone" is not a time zone such as Europe/Berlin');
  return zone;
}

function instantOf(key: string, value: string | number, { pattern }: DatetimeInput, zone: Zone): number {
  const ms =
    typeof value === 'number'
      ? instantOfNumber(value)
      : pattern === undefined
        ? instantOfText(value, zone)
        : instantByPattern(value, pattern, zone);
  if (ms !== null) return ms;
  const form = pattern === undefined ? 'a time such as 2030-01-31T09:30:00Z' : `a time of the form ${pattern}`;
  throw new Refusal('invalid_time', `"${key}" is not ${form}`);
}

function moved(ms: number, { operation, amount, unit }: DatetimeInput, zone: Zone): number {
  if (operation === 'add') return add(ms, amount, unit, zone);
  if (operation === 'start_of') return startOf(ms, unit, zone);
  return operation === 'end_of' ? endOf(ms, unit, zone) : ms;
}

/** An instant in all output formats. */
function shown(ms: number, timezone: string, zone: Zone, format: string | undefined): JsonObject {
  if (!inRange(ms)) throw new Refusal('invalid_time', 'the result is outside the years 1000 to 9999');
  const local = new Date(localOf(ms, zone));
  const output: JsonObject = {
    iso: new Date(ms).toISOString(),
    local: written(ms, zone, "yyyy-MM-dd'T'HH:mm:ss.SSSZ"),
    timezone,
    epoch_ms: ms,
    parts: {
      year: local.getUTCFullYear(),
      quarter: Math.floor(local.getUTCMonth() / 3) + 1,
      month: local.getUTCMonth() + 1,
      week: isoWeek(local),
      day: local.getUTCDate(),
      day_of_year: dayOfYear(local),
      weekday: weekday(local),
      hour: local.getUTCHours(),
      minute: local.getUTCMinutes(),
      second: local.getUTCSeconds(),
      millisecond: local.getUTCMilliseconds(),
    },
  };
  return format === undefined ? output : { ...output, text: written(ms, zone, format) };
}

/** An instant by a format. @throws Refusal for a format that cannot be read */
function written(ms: number, zone: Zone, format: string): string {
  const result = formatDate(ms, zone.offsetAt(ms), format);
  if ('text' in result) return result.text;
  throw misconfigured(`"format" has an unknown field: ${result.unknown}; quote words like 'this'`);
}

const NEEDS = {
  now: [],
  parse: ['value'],
  format: ['value', 'format'],
  add: ['value', 'amount', 'unit'],
  diff: ['value', 'to', 'unit'],
  start_of: ['value', 'unit'],
  end_of: ['value', 'unit'],
};

const time = (title: string, description: string): JsonSchema => ({
  title,
  description,
  anyOf: [{ type: 'string', maxLength: 200 }, { type: 'number' }],
  examples: ['2030-01-31T09:30:00Z', 1_900_000_000],
});

export const datetimeNode = defineNode({
  type: 'datetime',
  title: 'Date and time',
  description: 'Parses, formats, shifts and compares dates and times in any time zone.',
  category: 'Data',
  effect: 'pure',
  input: objectSchema(
    {
      operation: choice(
        Object.keys(NEEDS),
        '`now`; `parse` and `format` read and write a time; `add` adds `amount` units; `diff` is `to` minus `value`; `start_of` and `end_of` return the first and last millisecond of the unit.',
        { examples: ['add'] },
      ),
      value: time(
        'Value',
        'A date or time (ISO 8601; without an offset, in the time zone), or a number of seconds since 1970 (milliseconds from 100,000,000,000 on).',
      ),
      to: time('To', 'The other time, for `diff`.'),
      amount: integer('Number of units to add; negative to subtract.', 3, { minimum: -1e13, maximum: 1e13 }),
      unit: choice(
        [...UNITS],
        'Days and longer units follow the calendar: a day later is the same local time, even across a clock change. Weeks begin on Monday. Differences in months and longer are whole numbers.',
        { examples: ['days'] },
      ),
      timezone: filledText('IANA time zone name.', 'Europe/Berlin', {
        title: 'Time zone',
        maxLength: 64,
        default: 'UTC',
      }),
      format: filledText(
        "Format of `text`: yyyy MM dd HH mm ss SSS, MMM EEE (English), a, Z; literals in 'quotes'.",
        'dd.MM.yyyy HH:mm',
        { maxLength: 200 },
      ),
      pattern: filledText(
        'Format of `value` and `to` if not ISO 8601, with the letters of `format`.',
        'dd.MM.yyyy HH:mm',
        { maxLength: 200 },
      ),
    },
    ['operation'],
    requiredWhen('operation', NEEDS),
  ),
  output: objectSchema({
    iso: text('Time in UTC.', '2030-01-31T09:30:00.000Z', { title: 'ISO 8601' }),
    local: text('Local time in the zone, with offset.'),
    timezone: text('Time zone of the fields.', { title: 'Time zone' }),
    epoch_ms: integer('Milliseconds since 1970-01-01 in UTC.', { title: 'Milliseconds' }),
    parts: {
      type: 'object',
      title: 'Parts',
      description:
        'Fields of the local time: year, quarter, month, week (ISO 8601), day, day_of_year, weekday (1: Monday), hour, minute, second, millisecond.',
    },
    text: text('Local time in `format`.'),
    value: number('Difference in units, for `diff`.', { title: 'Difference' }),
    milliseconds: integer('Unit of the difference, for `diff`.'),
  }),
  check,
  run,
});
