import { failedToParse, ServerError } from '../../bson/error';
import { asInteger, isNumeric } from '../../bson/numeric';
import { typeName } from '../../bson/types';
import { FarDate, isDoc, type Maybe, ObjectId, Timestamp, type Value } from '../../bson/value';
import {
  type Compiler,
  type Expr,
  isNullish,
  literal,
  membersOf,
  named,
  type Operator,
  type Operators,
  operands,
} from '../operator';
import {
  civilMs,
  civilOf,
  DAY_MS,
  dayOfYear,
  isoWeek,
  isoYearStart,
  toEpochMs,
  toLocalMs,
  UTC,
  weekday,
  weekOfYear,
  type Zone,
  zoneOf,
} from './calendar';
import { formatDate } from './dateformat';
import { parseDate, parseDateAs } from './dateparse';

/** Milliseconds of a date, an ObjectId's or a timestamp's seconds. @throws ServerError 16006 for other types */
export function epochMsOf(value: Maybe): number {
  if (value instanceof FarDate) throw new ServerError(18537, 'date is out of range for calendar operators');
  if (value instanceof Date) return value.getTime();
  if (value instanceof ObjectId) return Number.parseInt(value.hex.slice(0, 8), 16) * 1000;
  if (value instanceof Timestamp) return Number(value.value >> 32n) * 1000;
  throw new ServerError(16006, `can't convert from BSON type ${typeName(value)} to Date`);
}

/** The zone that a `timezone` operand names: UTC when there is none, undefined when it is null. */
export function zoneFor(value: Maybe, given: boolean): Zone | undefined {
  if (!given) return UTC;
  if (isNullish(value)) return undefined;
  if (typeof value !== 'string')
    throw new ServerError(40517, `timezone must evaluate to a string, found ${typeName(value)}`);
  return zoneOf(value);
}

/** A part of a date: `{$year: date}`, `{$year: [date]}` or `{$year: {date, timezone}}`. */
const datePart =
  (part: (local: number) => Value): Operator =>
  (argument, compiler, name) => {
    const { date, zone } = datePartOperands(argument, compiler, name);
    return (scope) => {
      const value = date(scope);
      const at = zone(scope);
      return isNullish(value) || at === undefined ? null : part(toLocalMs(epochMsOf(value), at));
    };
  };

function datePartOperands(
  argument: Value,
  compiler: Compiler,
  name: string,
): { date: Expr; zone: (scope: Parameters<Expr>[0]) => Zone | undefined } {
  if (!isDoc(argument) || argument.keys().next().value?.startsWith('$') === true) {
    const [value] = operands(name, argument, 1, 1);
    return { date: compiler.compile(value as Value), zone: () => UTC };
  }
  const members = membersOf(name, argument, ['date'], ['timezone']);
  const timezone = members.get('timezone');
  const zone = timezone === undefined ? literal(null) : compiler.compile(timezone);
  return {
    date: compiler.compile(members.get('date') as Value),
    zone: (scope) => zoneFor(zone(scope), timezone !== undefined),
  };
}

const utc = (local: number): Date => new Date(local);

function dateToParts({ date, timezone, iso8601 }: Values, given: Given): Maybe {
  const zone = zoneFor(timezone, given('timezone'));
  if (isNullish(date) || zone === undefined || (given('iso8601') && isNullish(iso8601))) return null;
  const epochMs = epochMsOf(date);
  const civil = civilOf(epochMs, zone);
  const time: [string, Value][] = [
    ['hour', civil.hour],
    ['minute', civil.minute],
    ['second', civil.second],
    ['millisecond', civil.millisecond],
  ];
  if (iso8601 !== true)
    return new Map<string, Value>([['year', civil.year], ['month', civil.month], ['day', civil.day], ...time]);
  const week = isoWeek(toLocalMs(epochMs, zone));
  return new Map<string, Value>([
    ['isoWeekYear', week.year],
    ['isoWeek', week.week],
    ['isoDayOfWeek', week.day],
    ...time,
  ]);
}

type Values = Readonly<Record<string, Maybe>>;
type Given = (member: string) => boolean;

const withGiven = (
  required: string[],
  optional: string[],
  apply: (values: Values, given: Given, compiler: Compiler) => Maybe,
): Operator =>
  named(required, optional, (values, compiler) => apply(values, (member) => Object.hasOwn(values, member), compiler));

function part(values: Values, member: string, fallback: number): number | undefined {
  if (!Object.hasOwn(values, member)) return fallback;
  const value = values[member];
  if (isNullish(value)) return undefined;
  const integer = isNumeric(value) ? asInteger(value) : undefined;
  if (integer === undefined)
    throw new ServerError(40515, `'${member}' must evaluate to an integer, found ${typeName(value)}`);
  if (integer > 32767n || integer < -32768n)
    throw new ServerError(31034, `'${member}' must be in the range [-32768, 32767]`);
  return Number(integer);
}

/** Parts out of their range carry over: month 14 is February of the next year. */
function dateFromParts(values: Values, given: Given): Maybe {
  const iso = given('isoWeekYear');
  if (!iso && !given('year'))
    throw new ServerError(40516, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present");
  const zone = zoneFor(values.timezone, given('timezone'));
  const time = [
    part(values, 'hour', 0),
    part(values, 'minute', 0),
    part(values, 'second', 0),
    part(values, 'millisecond', 0),
  ];
  const days = iso
    ? [part(values, 'isoWeekYear', 1970), part(values, 'isoWeek', 1), part(values, 'isoDayOfWeek', 1)]
    : [part(values, 'year', 1970), part(values, 'month', 1), part(values, 'day', 1)];
  if (zone === undefined || [...days, ...time].includes(undefined)) return null;
  const [year, second, third] = days as [number, number, number];
  const [hour, minute, seconds, millisecond] = time as [number, number, number, number];
  if (year < 1 || year > 9999)
    throw new ServerError(40523, "'year' must evaluate to an integer in the range 1 to 9999");
  const local = iso
    ? isoYearStart(year) +
      ((second - 1) * 7 + third - 1) * DAY_MS +
      civilMs({ year: 1970, month: 1, day: 1, hour, minute, second: seconds, millisecond })
    : civilMs({ year, month: second, day: third, hour, minute, second: seconds, millisecond });
  return new Date(toEpochMs(local, zone));
}

function dateToString({ date, format, timezone, onNull }: Values, given: Given): Maybe {
  const zone = zoneFor(timezone, given('timezone'));
  if (isNullish(date)) return given('onNull') ? onNull : null;
  if (zone === undefined || (given('format') && isNullish(format))) return null;
  if (given('format') && typeof format !== 'string')
    throw new ServerError(18533, `$dateToString requires that 'format' be a string`);
  const standard = timezone === undefined || timezone === 'UTC' ? '%Y-%m-%dT%H:%M:%S.%LZ' : '%Y-%m-%dT%H:%M:%S.%L';
  return formatDate(epochMsOf(date), typeof format === 'string' ? format : standard, zone);
}

/** `onError` answers for text that does not parse only, so it is compiled apart from the plain operands. */
function dateFromString(argument: Value, compiler: Compiler, name: string): Expr {
  const members = membersOf(name, argument, ['dateString'], ['format', 'timezone', 'onError', 'onNull']);
  const operand = (member: string): Expr | undefined => {
    const value = members.get(member);
    return value === undefined ? undefined : compiler.compile(value);
  };
  const [input, format, timezone, onError, onNull] = ['dateString', 'format', 'timezone', 'onError', 'onNull'].map(
    operand,
  );
  return (scope) => {
    const text = input?.(scope);
    const zone = zoneFor(timezone?.(scope), timezone !== undefined);
    const pattern = format?.(scope);
    if (isNullish(text)) return onNull === undefined ? null : onNull(scope);
    if (zone === undefined || (format !== undefined && isNullish(pattern))) return null;
    if (format !== undefined && typeof pattern !== 'string')
      throw new ServerError(40684, "$dateFromString requires that 'format' be a string");
    try {
      if (typeof text !== 'string')
        throw new ServerError(
          'ConversionFailure',
          `$dateFromString requires that 'dateString' be a string, found: ${typeName(text)}`,
        );
      return typeof pattern === 'string' ? parseDateAs(text, pattern, zone) : parseDate(text, zone);
    } catch (error) {
      if (onError !== undefined && error instanceof ServerError && error.codeName === 'ConversionFailure')
        return onError(scope);
      throw error;
    }
  };
}

export const date: Operators = {
  $year: datePart((local) => utc(local).getUTCFullYear()),
  $month: datePart((local) => utc(local).getUTCMonth() + 1),
  $dayOfMonth: datePart((local) => utc(local).getUTCDate()),
  $dayOfYear: datePart(dayOfYear),
  $dayOfWeek: datePart((local) => weekday(local) + 1),
  $week: datePart(weekOfYear),
  $hour: datePart((local) => utc(local).getUTCHours()),
  $minute: datePart((local) => utc(local).getUTCMinutes()),
  $second: datePart((local) => utc(local).getUTCSeconds()),
  $millisecond: datePart((local) => utc(local).getUTCMilliseconds()),
  $isoWeek: datePart((local) => isoWeek(local).week),
  $isoWeekYear: datePart((local) => BigInt(isoWeek(local).year)),
  $isoDayOfWeek: datePart((local) => isoWeek(local).day),
  $dateToParts: withGiven(['date'], ['timezone', 'iso8601'], dateToParts),
  $dateFromParts: withGiven(
    [],
    [
      'year',
      'month',
      'day',
      'isoWeekYear',
      'isoWeek',
      'isoDayOfWeek',
      'hour',
      'minute',
      'second',
      'millisecond',
      'timezone',
    ],
    dateFromParts,
  ),
  $dateToString: withGiven(['date'], ['format', 'timezone', 'onNull'], dateToString),
  $dateFromString: dateFromString,
  $tsSecond: timestampPart((value) => value >> 32n),
  $tsIncrement: timestampPart((value) => value & 0xffffffffn),
};

function timestampPart(read: (value: bigint) => bigint): Operator {
  return (argument, compiler, name) => {
    const [operand] = operands(name, argument, 1, 1).map((value) => compiler.compile(value)) as [Expr];
    return (scope) => {
      const value = operand(scope);
      if (isNullish(value)) return null;
      if (!(value instanceof Timestamp)) throw failedToParse(`${name} requires a timestamp, found: ${typeName(value)}`);
      return read(value.value);
    };
  };
}
