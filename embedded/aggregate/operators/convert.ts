import { fitsInt64 } from '../../bson/arithmetic';
import { Decimal128 } from '../../bson/decimal';
import { badValue, failedToParse, ServerError } from '../../bson/error';
import { asInteger, isNumeric, type Numeric, numericType, toDouble } from '../../bson/numeric';
import { TYPE_NUMBERS, type TypeName, typeName, typeNameOf } from '../../bson/types';
import {
  BsonSymbol,
  dateMillis,
  dateOf,
  double,
  isDoc,
  type Maybe,
  ObjectId,
  Timestamp,
  type Value,
} from '../../bson/value';
import {
  type Compiler,
  type Expr,
  isNullish,
  membersOf,
  type Operator,
  type Operators,
  unary,
  truthy,
} from '../operator';
import { parseDate } from './dateparse';
import { UTC } from './calendar';
import { doubleText, toText } from './text';

const failure = (message: string): ServerError => new ServerError('ConversionFailure', message);
const refused = (value: Maybe, to: string): ServerError =>
  failure(`Unsupported conversion from ${typeName(value)} to ${to} in $convert with no onError value`);

type Conversion = (value: Value) => Value;

/** Parses a decimal number; hexadecimal and blanks are rejected. */
const NUMERIC_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const SPECIAL_TEXT = /^[+-]?(?:inf(?:inity)?|nan)$/i;

function textToDouble(text: string): number {
  if (SPECIAL_TEXT.test(text))
    return /nan/i.test(text) ? Number.NaN : text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (!NUMERIC_TEXT.test(text)) throw failure(`Failed to parse number '${text}' in $convert with no onError value`);
  return Number(text);
}

function textToInteger(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw failure(`Failed to parse number '${text}' in $convert with no onError value`);
  return BigInt(text.startsWith('+') ? text.slice(1) : text);
}

/** Numbers lose their fraction; out of range is an error. */
function toInteger(value: Value, to: string, least: bigint, most: bigint): bigint {
  const integer = integerOf(value, to);
  if (integer < least || integer > most)
    throw failure(`Conversion would overflow target type in $convert with no onError value: ${integer}`);
  return integer;
}

function integerOf(value: Value, to: string): bigint {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'string') return textToInteger(value);
  if (value instanceof Date && to === 'long') return dateMillis(value);
  if (!isNumeric(value)) throw refused(value, to);
  return truncated(value, to);
}

function truncated(value: Numeric, to: string): bigint {
  const exact = asInteger(value);
  if (exact !== undefined) return exact;
  if (value instanceof Decimal128) {
    const parts = value.parts;
    if (parts.kind !== 'finite')
      throw failure(`Attempt to convert ${value} to ${to} in $convert with no onError value`);
    const magnitude = parts.coefficient / 10n ** BigInt(-parts.exponent);
    return parts.negative ? -magnitude : magnitude;
  }
  const number = toDouble(value);
  if (!Number.isFinite(number))
    throw failure(`Attempt to convert ${number} to ${to} in $convert with no onError value`);
  return BigInt(Math.trunc(number));
}

function toDoubleValue(value: Value): Value {
  if (typeof value === 'boolean') return double(value ? 1 : 0);
  if (typeof value === 'string') return double(textToDouble(value));
  if (value instanceof Date) return double(Number(dateMillis(value)));
  if (!isNumeric(value)) throw refused(value, 'double');
  const number = toDouble(value);
  if (value instanceof Decimal128 && !Number.isFinite(number) && value.parts.kind === 'finite') {
    throw failure('Conversion would overflow target type in $convert with no onError value');
  }
  return double(number);
}

function toDate(value: Value): Value {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return dateOf(BigInt(Number.parseInt(value.hex.slice(0, 8), 16)) * 1000n);
  if (value instanceof Timestamp) return dateOf((value.value >> 32n) * 1000n);
  if (typeof value === 'string') return parseDate(value, UTC);
  if (!isNumeric(value) || numericType(value) === 'int') throw refused(value, 'date');
  const millis = truncated(value, 'date');
  if (!fitsInt64(millis)) throw failure('Conversion would overflow target type in $convert with no onError value');
  return dateOf(millis);
}

function toObjectId(value: Value): Value {
  if (value instanceof ObjectId) return value;
  if (typeof value !== 'string') throw refused(value, 'objectId');
  if (!/^[0-9a-f]{24}$/i.test(value))
    throw failure(`Failed to parse objectId '${value}' in $convert with no onError value`);
  return new ObjectId(value.toLowerCase());
}

function toStringValue(value: Value): Value {
  if (typeof value === 'boolean') return String(value);
  if (value instanceof ObjectId) return value.hex;
  const convertible =
    typeof value === 'string' || isNumeric(value) || value instanceof Date || value instanceof BsonSymbol;
  if (!convertible) throw refused(value, 'string');
  if (isNumeric(value) && numericType(value) === 'double') return doubleText(toDouble(value));
  return toText(value, '$convert');
}

const INT32 = { least: -0x80000000n, most: 0x7fffffffn };
const INT64 = { least: -(1n << 63n), most: (1n << 63n) - 1n };

const CONVERSIONS: Partial<Record<TypeName, Conversion>> = {
  double: toDoubleValue,
  string: toStringValue,
  objectId: toObjectId,
  bool: (value) => truthy(value),
  date: toDate,
  int: (value) => Number(toInteger(value, 'int', INT32.least, INT32.most)),
  long: (value) => toInteger(value, 'long', INT64.least, INT64.most),
};

function conversionTo(target: Value): Conversion {
  const name = typeof target === 'string' ? target : isNumeric(target) ? typeNameOf(toDouble(target)) : undefined;
  if (name === undefined || !Object.hasOwn(TYPE_NUMBERS, name)) throw badValue(`Unknown type name: ${String(target)}`);
  const conversion = CONVERSIONS[name as TypeName];
  if (conversion === undefined) throw failure(`$convert to ${name}: The built-in store does not have this conversion.`);
  return conversion;
}

function convert(argument: Value, compiler: Compiler, name: string): Expr {
  const members = membersOf(name, argument, ['input', 'to'], ['onError', 'onNull']);
  const part = (member: string): Expr => compiler.compile(members.get(member) as Value);
  const input = part('input');
  const target = part('to');
  const onNull = members.has('onNull') ? part('onNull') : undefined;
  const onError = members.has('onError') ? part('onError') : undefined;
  return (scope) => {
    const value = input(scope);
    const wanted = target(scope);
    if (isNullish(value)) return onNull === undefined ? null : onNull(scope);
    if (isNullish(wanted)) return null;
    if (isDoc(wanted)) throw failedToParse('$convert to a type with a subtype is not supported');
    try {
      return conversionTo(wanted)(value);
    } catch (error) {
      if (onError !== undefined && error instanceof ServerError && error.codeName === 'ConversionFailure')
        return onError(scope);
      throw error;
    }
  };
}

const to = (conversion: Conversion): Operator => unary((value) => (isNullish(value) ? null : conversion(value)));

export const conversion: Operators = {
  $convert: convert,
  $toDouble: to(toDoubleValue),
  $toString: to(toStringValue),
  $toObjectId: to(toObjectId),
  $toBool: to((value) => truthy(value)),
  $toDate: to(toDate),
  $toInt: to((value) => Number(toInteger(value, 'int', INT32.least, INT32.most))),
  $toLong: to((value) => toInteger(value, 'long', INT64.least, INT64.most)),
  $type: unary((value) => typeName(value)),
  $isNumber: unary((value) => isNumeric(value)),
};
