import { add, binaryNumber, divide, fitsInt64, multiply, remainder, subtract } from '../../bson/arithmetic';
import { badValue, ServerError, typeMismatch } from '../../bson/error';
import {
  asInteger,
  compareNumbers,
  isNaNValue,
  isNumeric,
  type Numeric,
  numericType,
  toDouble,
} from '../../bson/numeric';
import { typeName } from '../../bson/types';
import { dateMillis, dateOf, double, type Maybe, type Value } from '../../bson/value';
import { binary, isNullish, naryOrNull, type Operator, type Operators, unary } from '../operator';
import { rounded, roundTo } from './rounding';

const isZero = (value: Numeric): boolean => compareNumbers(value, 0) === 0;

/** An operator on one number; null for null or missing. */
const onNumber = (apply: (value: Numeric, name: string) => Maybe): Operator =>
  unary((value, name) => {
    if (isNullish(value)) return null;
    if (!isNumeric(value)) throw new ServerError(28765, `${name} only supports numeric types, not ${typeName(value)}`);
    return apply(value, name);
  });

function assertAddend(value: Value, name: string): void {
  if (!isNumeric(value) && !(value instanceof Date))
    throw typeMismatch(`${name} only supports numeric or date types, not ${typeName(value)}`);
}

function addAll(values: Value[], name: string): Maybe {
  let sum: Numeric = 0;
  let date: Date | undefined;
  for (const value of values) {
    if (value instanceof Date) {
      if (date !== undefined) throw new ServerError(16612, `only one date allowed in an ${name} expression`);
      date = value;
    } else sum = add(sum, value as Numeric);
  }
  return date === undefined ? sum : shifted(date, sum);
}

function shifted(date: Date, by: Numeric): Date {
  const number = toDouble(by);
  if (!Number.isFinite(number)) throw new ServerError('Overflow', 'date overflow');
  const millis = dateMillis(date) + (asInteger(by) ?? BigInt(Math.round(number)));
  if (!fitsInt64(millis)) throw new ServerError('Overflow', 'date overflow');
  return dateOf(millis);
}

function difference(a: Maybe, b: Maybe): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  if (isNumeric(a) && isNumeric(b)) return subtract(a, b);
  if (a instanceof Date) {
    if (b instanceof Date) return dateMillis(a) - dateMillis(b);
    if (isNumeric(b)) return shifted(a, subtract(0, b));
  }
  throw typeMismatch(`can't $subtract ${typeName(b)} from ${typeName(a)}`);
}

function assertFactor(value: Value, name: string): void {
  if (!isNumeric(value)) throw typeMismatch(`${name} only supports numeric types, not ${typeName(value)}`);
}

const product = (values: Value[]): Maybe => (values as Numeric[]).reduce<Numeric>(multiply, 1);

function quotient(a: Maybe, b: Maybe): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumeric(a) || !isNumeric(b)) {
    throw typeMismatch(`$divide only supports numeric types, not ${typeName(a)} and ${typeName(b)}`);
  }
  if (isZero(b)) throw badValue("can't $divide by zero");
  return divide(a, b);
}

function modulo(a: Maybe, b: Maybe): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumeric(a) || !isNumeric(b)) {
    throw new ServerError(16611, `$mod only supports numeric types, not ${typeName(a)} and ${typeName(b)}`);
  }
  if (isZero(b)) throw new ServerError(16610, "can't $mod by zero");
  return remainder(a, b);
}

function absolute(value: Numeric): Numeric {
  const number = binaryNumber(value);
  if (numericType(number) === 'double') return double(Math.abs(toDouble(number)));
  if (number === -(1n << 63n)) throw new ServerError(28680, "can't take $abs of long long min");
  return compareNumbers(number, 0) < 0 ? subtract(0, number) : number;
}

function power(base: Maybe, exponent: Maybe): Maybe {
  if (isNullish(base) || isNullish(exponent)) return null;
  if (!isNumeric(base)) throw new ServerError(28762, `$pow's base must be numeric, not ${typeName(base)}`);
  if (!isNumeric(exponent)) throw new ServerError(28763, `$pow's exponent must be numeric, not ${typeName(exponent)}`);
  if (isZero(base) && compareNumbers(exponent, 0) < 0)
    throw new ServerError(28764, '$pow cannot take a base of 0 and a negative exponent');
  const types = [numericType(binaryNumber(base)), numericType(binaryNumber(exponent))];
  return types.includes('double') ? double(toDouble(base) ** toDouble(exponent)) : integerPower(base, exponent);
}

/** Exact while the result fits int64, else a double. */
function integerPower(base: Numeric, exponent: Numeric): Numeric {
  const [x, n] = [asInteger(base) as bigint, asInteger(exponent) as bigint];
  const inexact = double(Number(x) ** Number(n));
  if (x === 1n || x === -1n) return narrowed(n % 2n === 0n ? 1n : x, base, exponent);
  if (x === 0n) return narrowed(n === 0n ? 1n : 0n, base, exponent);
  if (n < 0n || n > 63n) return inexact;
  const exact = x ** n;
  return fitsInt64(exact) ? narrowed(exact, base, exponent) : inexact;
}

const narrowed = (value: bigint, base: Numeric, exponent: Numeric): Numeric =>
  numericType(base) === 'int' && numericType(exponent) === 'int' && value >= -0x80000000n && value <= 0x7fffffffn
    ? Number(value)
    : value;

export const arithmetic: Operators = {
  $add: naryOrNull(addAll, assertAddend),
  $subtract: binary(difference),
  $multiply: naryOrNull(product, assertFactor),
  $divide: binary(quotient),
  $mod: binary(modulo),
  $abs: onNumber(absolute),
  $ceil: onNumber((value) => rounded(value, 0, 'ceil')),
  $floor: onNumber((value) => rounded(value, 0, 'floor')),
  $round: roundTo('halfEven'),
  $trunc: roundTo('down'),
  $pow: binary(power),
  $sqrt: onNumber((value) => {
    if (compareNumbers(value, 0) < 0 && !isNaNValue(value))
      throw new ServerError(28714, "$sqrt's argument must be greater than or equal to 0");
    return double(Math.sqrt(toDouble(binaryNumber(value))));
  }),
};
