import { failedToParse, ServerError } from '../../bson/error';
import { asInteger, isNumeric } from '../../bson/numeric';
import { typeName } from '../../bson/types';
import type { Maybe } from '../../bson/value';
import { isNullish, named, type Operators } from '../operator';
import {
  civilMs,
  civilOf,
  DAY_MS,
  dayNumber,
  daysInMonth,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  toEpochMs,
  toLocalMs,
  weekday,
  type Zone,
} from './calendar';
import { epochMsOf, zoneFor } from './date';

/** Units by what they are multiples of: months (on the calendar), days (on the calendar), or milliseconds (elapsed). */
const UNITS: Record<string, { months: number } | { days: number } | { ms: number }> = {
  year: { months: 12 },
  quarter: { months: 3 },
  month: { months: 1 },
  week: { days: 7 },
  day: { days: 1 },
  hour: { ms: HOUR_MS },
  minute: { ms: MINUTE_MS },
  second: { ms: SECOND_MS },
  millisecond: { ms: 1 },
};

type Unit = { months: number } | { days: number } | { ms: number };

function unitOf(value: Maybe, name: string): Unit {
  if (typeof value !== 'string')
    throw new ServerError(5439013, `${name} requires 'unit' to be a string, but got ${typeName(value)}`);
  if (!Object.hasOwn(UNITS, value))
    throw failedToParse(`${name} parameter 'unit' value cannot be recognized as a time unit: ${value}`);
  return UNITS[value] as Unit;
}

function wholeNumber(value: Maybe, name: string, member: string): number {
  const integer = isNumeric(value) ? asInteger(value) : undefined;
  if (integer === undefined) throw new ServerError(5166405, `${name} expects integer ${member} of time units`);
  return Number(integer);
}

/** Adds calendar units in the zone's local time, keeping the clock time; the day is cut to the month's length. */
function addUnits(epochMs: number, unit: Unit, amount: number, zone: Zone): number {
  if ('ms' in unit) return epochMs + unit.ms * amount;
  const local = toLocalMs(epochMs, zone);
  if ('days' in unit) return toEpochMs(local + unit.days * amount * DAY_MS, zone);
  const civil = civilOf(epochMs, zone);
  const months = civil.year * 12 + civil.month - 1 + unit.months * amount;
  const [year, month] = [Math.floor(months / 12), (((months % 12) + 12) % 12) + 1];
  return toEpochMs(civilMs({ ...civil, year, month, day: Math.min(civil.day, daysInMonth(year, month)) }), zone);
}

function shift(values: Readonly<Record<string, Maybe>>, name: string, sign: 1 | -1): Maybe {
  const { startDate, unit, amount, timezone } = values;
  const zone = zoneFor(timezone, Object.hasOwn(values, 'timezone'));
  if (isNullish(startDate) || isNullish(unit) || isNullish(amount) || zone === undefined) return null;
  const result = addUnits(epochMsOf(startDate), unitOf(unit, name), sign * wholeNumber(amount, name, 'amount'), zone);
  if (!(Math.abs(result) <= 8.64e15)) throw new ServerError(5166406, `${name} overflowed`);
  return new Date(result);
}

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

function weekStart(value: Maybe, name: string): number {
  if (isNullish(value)) return 0;
  if (typeof value !== 'string') throw new ServerError(5439015, `${name} requires 'startOfWeek' to be a string`);
  const index = DAYS.findIndex((day) => day === value.toLowerCase() || day.slice(0, 3) === value.toLowerCase());
  if (index < 0)
    throw failedToParse(`${name} parameter 'startOfWeek' value cannot be recognized as a day of a week: ${value}`);
  return index;
}

const monthNumber = (local: number): number => new Date(local).getUTCFullYear() * 12 + new Date(local).getUTCMonth();

/** How many boundaries of the unit lie between the two instants. */
function difference(values: Readonly<Record<string, Maybe>>, name: string): Maybe {
  const { startDate, endDate, unit, timezone, startOfWeek } = values;
  const zone = zoneFor(timezone, Object.hasOwn(values, 'timezone'));
  if (isNullish(startDate) || isNullish(endDate) || isNullish(unit) || zone === undefined) return null;
  const step = unitOf(unit, name);
  const [from, to] = [epochMsOf(startDate), epochMsOf(endDate)];
  const [localFrom, localTo] = [toLocalMs(from, zone), toLocalMs(to, zone)];
  if ('months' in step) {
    const units = (local: number): number => Math.floor(monthNumber(local) / step.months);
    return BigInt(units(localTo) - units(localFrom));
  }
  if ('ms' in step) {
    // Hours and less are counted on the zone's wall clock only in so far as its offset is not whole.
    const units = (at: number, local: number): number => Math.floor((at + ((local - at) % step.ms)) / step.ms);
    return BigInt(units(to, localTo) - units(from, localFrom));
  }
  const first = weekStart(startOfWeek, name);
  const units = (local: number): number =>
    step.days === 1 ? dayNumber(local) : Math.floor((dayNumber(local) - ((weekday(local) - first + 7) % 7)) / 7);
  return BigInt(units(localTo) - units(localFrom));
}

/** Bins are counted from the start of the year 2000 in the zone; weeks from its first start of a week. */
function truncate(values: Readonly<Record<string, Maybe>>, name: string): Maybe {
  const { date, unit, binSize, timezone, startOfWeek } = values;
  const zone = zoneFor(timezone, Object.hasOwn(values, 'timezone'));
  if (
    isNullish(date) ||
    isNullish(unit) ||
    zone === undefined ||
    (Object.hasOwn(values, 'binSize') && isNullish(binSize))
  )
    return null;
  const size = binSize === undefined ? 1 : wholeNumber(binSize, name, 'binSize');
  if (size <= 0) throw new ServerError(5439018, `${name} requires 'binSize' value to be greater than zero`);
  const step = unitOf(unit, name);
  const local = toLocalMs(epochMsOf(date), zone);
  if ('months' in step) {
    const months = bin(monthNumber(local) - 24_000, step.months * size) + 24_000;
    return new Date(toEpochMs(Date.UTC(Math.floor(months / 12), months % 12, 1), zone));
  }
  const start = Date.UTC(2000, 0, 1);
  if ('days' in step) {
    const first =
      step.days === 7 ? dayNumber(start) + ((weekStart(startOfWeek, name) - weekday(start) + 7) % 7) : dayNumber(start);
    return new Date(toEpochMs((bin(dayNumber(local) - first, step.days * size) + first) * DAY_MS, zone));
  }
  const reference = toEpochMs(start, zone);
  return new Date(bin(epochMsOf(date) - reference, step.ms * size) + reference);
}

const bin = (value: number, size: number): number => Math.floor(value / size) * size;

export const dateMath: Operators = {
  $dateAdd: named(['startDate', 'unit', 'amount'], ['timezone'], (values, name) => shift(values, name, 1)),
  $dateSubtract: named(['startDate', 'unit', 'amount'], ['timezone'], (values, name) => shift(values, name, -1)),
  $dateDiff: named(['startDate', 'endDate', 'unit'], ['timezone', 'startOfWeek'], (values, name) =>
    difference(values, name),
  ),
  $dateTrunc: named(['date', 'unit'], ['binSize', 'timezone', 'startOfWeek'], (values, name) => truncate(values, name)),
};
