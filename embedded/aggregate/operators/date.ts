import { failedToParse, ServerError } from '../../bson/error';
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
import { dayOfYear, isoWeek, toLocalMs, UTC, weekday, type Zone, zoneOf } from './calendar';
import { formatDate } from './dateformat';
import { parseDate } from './dateparse';

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

type Values = Readonly<Record<string, Maybe>>;
type IsGiven = (member: string) => boolean;

const withGiven = (
  required: string[],
  optional: string[],
  apply: (values: Values, given: IsGiven) => Maybe,
): Operator => named(required, optional, (values) => apply(values, (member) => Object.hasOwn(values, member)));

function dateToString({ date, format, timezone, onNull }: Values, given: IsGiven): Maybe {
  const zone = zoneFor(timezone, given('timezone'));
  if (isNullish(date)) return given('onNull') ? onNull : null;
  if (zone === undefined || (given('format') && isNullish(format))) return null;
  if (given('format') && typeof format !== 'string')
    throw new ServerError(18533, `$dateToString requires that 'format' be a string`);
  const standard = timezone === undefined || timezone === 'UTC' ? '%Y-%m-%dT%H:%M:%S.%LZ' : '%Y-%m-%dT%H:%M:%S.%L';
  return formatDate(epochMsOf(date), typeof format === 'string' ? format : standard, zone);
}

/** `onError` applies only to text that does not parse, so it is compiled separately. */
function dateFromString(argument: Value, compiler: Compiler, name: string): Expr {
  if (isDoc(argument) && argument.has('format'))
    throw failedToParse("$dateFromString: The built-in store does not have 'format', only ISO 8601 text");
  const members = membersOf(name, argument, ['dateString'], ['timezone', 'onError', 'onNull']);
  const operand = (member: string): Expr | undefined => {
    const value = members.get(member);
    return value === undefined ? undefined : compiler.compile(value);
  };
  const [input, timezone, onError, onNull] = ['dateString', 'timezone', 'onError', 'onNull'].map(operand);
  return (scope) => {
    const text = input?.(scope);
    const zone = zoneFor(timezone?.(scope), timezone !== undefined);
    if (isNullish(text)) return onNull === undefined ? null : onNull(scope);
    if (zone === undefined) return null;
    try {
      if (typeof text !== 'string')
        throw new ServerError(
          'ConversionFailure',
          `$dateFromString requires that 'dateString' be a string, found: ${typeName(text)}`,
        );
      return parseDate(text, zone);
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
  $hour: datePart((local) => utc(local).getUTCHours()),
  $minute: datePart((local) => utc(local).getUTCMinutes()),
  $second: datePart((local) => utc(local).getUTCSeconds()),
  $millisecond: datePart((local) => utc(local).getUTCMilliseconds()),
  $isoWeek: datePart((local) => isoWeek(local).week),
  $isoWeekYear: datePart((local) => BigInt(isoWeek(local).year)),
  $isoDayOfWeek: datePart((local) => isoWeek(local).day),
  $dateToString: withGiven(['date'], ['format', 'timezone', 'onNull'], dateToString),
  $dateFromString: dateFromString,
};
