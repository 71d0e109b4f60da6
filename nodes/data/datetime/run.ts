import { formatDate, inRange, instantOfNumber, instantOfText, type Zone, zoneOf } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { computed, misconfigured, Refusal } from '../computed';
import { add, dayOfYear, difference, endOf, isoWeek, localOf, startOf, type Unit, weekday } from './calendar';
import { instantByPattern } from './pattern';

/** The input as its schema promises it: what an operation needs is there. */
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
export const run = computed((given, ctx): JsonObject => {
  // The runtime has checked the input against the manifest's schema.
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
export function zoneNamed(name: string): Zone {
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

/** An instant in all the forms that later steps may want. */
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
export function written(ms: number, zone: Zone, format: string): string {
  const result = formatDate(ms, zone.offsetAt(ms), format);
  if ('text' in result) return result.text;
  throw misconfigured(`"format" has an unknown field: ${result.unknown}; quote words like 'this'`);
}
