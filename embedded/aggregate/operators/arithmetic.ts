import { add, divide, fitsInt64, multiply, remainder, squareRoot, subtract, toDecimal } from '../../bson/arithmetic';
import { Decimal128, decimal } from '../../bson/decimal';
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
import { binary, isNullish, nary, naryOrNull, type Operator, type Operators, unary } from '../operator';
import { rounded, roundTo } from './rounding';

const isZero = (value: Numeric): boolean => compareNumbers(value, 0) === 0;

/** An operator on one number; null for nothing. */
const onNumber = (apply: (value: Numeric, name: string) => Maybe): Operator =>
  unary((value, name) => {
    if (isNullish(value)) return null;
    if (!isNumeric(value)) throw new ServerError(28765, `${name} only supports numeric types, not ${typeName(value)}`);
    return apply(value, name);
  });

/** A function that is computed in doubles. Decimals are refused: at 34 digits a double's answer would be wrong. */
const onDouble = (
  apply: (value: number) => number,
  domain: (value: number) => boolean = () => true,
  code = 28766,
): Operator =>
  onNumber((value, name) => {
    if (value instanceof Decimal128) throw new ServerError('NotImplemented', `${name} on Decimal128 is not supported`);
    const number = toDouble(value);
    if (!Number.isNaN(number) && !domain(number)) throw new ServerError(code, `${name} is not defined for ${number}`);
    return double(apply(number));
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
  if (value instanceof Decimal128) {
    const parts = value.parts;
    return parts.kind === 'finite'
      ? decimal(false, parts.coefficient, parts.exponent)
      : parts.kind === 'nan'
        ? value
        : multiply(value, parts.negative ? -1 : 1);
  }
  if (numericType(value) === 'double') return double(Math.abs(toDouble(value)));
  if (value === -(1n << 63n)) throw new ServerError(28680, "can't take $abs of long long min");
  return compareNumbers(value, 0) < 0 ? subtract(0, value) : value;
}

function power(base: Maybe, exponent: Maybe): Maybe {
  if (isNullish(base) || isNullish(exponent)) return null;
  if (!isNumeric(base)) throw new ServerError(28762, `$pow's base must be numeric, not ${typeName(base)}`);
  if (!isNumeric(exponent)) throw new ServerError(28763, `$pow's exponent must be numeric, not ${typeName(exponent)}`);
  if (isZero(base) && compareNumbers(exponent, 0) < 0)
    throw new ServerError(28764, '$pow cannot take a base of 0 and a negative exponent');
  const types = [numericType(base), numericType(exponent)];
  if (types.includes('decimal')) return decimalPower(toDecimal(base), exponent);
  return types.includes('double') ? double(toDouble(base) ** toDouble(exponent)) : integerPower(base, exponent);
}

/** Exact while the answer fits int64, a double beyond. */
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

function decimalPower(base: Decimal128, exponent: Numeric): Numeric {
  const n = asInteger(exponent);
  if (n === undefined || n < -1000n || n > 1000n) {
    throw new ServerError('NotImplemented', '$pow on Decimal128 supports whole exponents up to 1000 only');
  }
  let result: Numeric = decimal(false, 1n, 0);
  for (let step = 0n; step < (n < 0n ? -n : n); step++) result = multiply(result, base);
  return n < 0n ? divide(1, result) : result;
}

function logarithm(value: Maybe, base: Maybe): Maybe {
  if (isNullish(value) || isNullish(base)) return null;
  if (!isNumeric(value) || !isNumeric(base)) throw new ServerError(28756, "$log's arguments must be numeric");
  if (value instanceof Decimal128 || base instanceof Decimal128) {
    throw new ServerError('NotImplemented', '$log on Decimal128 is not supported');
  }
  if (toDouble(value) <= 0) throw new ServerError(28758, "$log's argument must be a positive number");
  if (toDouble(base) <= 0 || toDouble(base) === 1)
    throw new ServerError(28759, "$log's base must be a positive number not equal to 1");
  return double(Math.log(toDouble(value)) / Math.log(toDouble(base)));
}

const bitwise = (apply: (a: bigint, b: bigint) => bigint, start: bigint): Operator =>
  nary((values, _, name) => {
    let result = start;
    let long = false;
    for (const value of values) {
      if (isNullish(value)) return null;
      if (!isNumeric(value) || !['int', 'long'].includes(numericType(value))) {
        throw typeMismatch(`${name} only supports int and long operands`);
      }
      long ||= typeof value === 'bigint';
      result = apply(result, asInteger(value) as bigint);
    }
    return long ? result : Number(result);
  });

const positive = (value: number): boolean => value > 0;
const withinOne = (value: number): boolean => value >= -1 && value <= 1;
const finite = (value: number): boolean => Number.isFinite(value);
const radians = Math.PI / 180;

export const arithmetic: Operators = {
  $add: naryOrNull((values, _, name) => addAll(values, name), assertAddend),
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
  $log: binary(logarithm),
  $sqrt: onNumber((value) => {
    if (compareNumbers(value, 0) < 0 && !isNaNValue(value))
      throw new ServerError(28714, "$sqrt's argument must be greater than or equal to 0");
    return value instanceof Decimal128 ? squareRoot(value) : double(Math.sqrt(toDouble(value)));
  }),
  $exp: onDouble(Math.exp),
  $ln: onDouble(Math.log, positive),
  $log10: onDouble(Math.log10, positive, 28761),
  $sin: onDouble(Math.sin, finite, 50989),
  $cos: onDouble(Math.cos, finite, 50989),
  $tan: onDouble(Math.tan, finite, 50989),
  $asin: onDouble(Math.asin, withinOne, 50989),
  $acos: onDouble(Math.acos, withinOne, 50989),
  $atan: onDouble(Math.atan),
  $sinh: onDouble(Math.sinh),
  $cosh: onDouble(Math.cosh),
  $tanh: onDouble(Math.tanh),
  $asinh: onDouble(Math.asinh),
  $acosh: onDouble(Math.acosh, (value) => value >= 1, 50989),
  $atanh: onDouble(Math.atanh, withinOne, 50989),
  $atan2: binary((a, b, _, name) => {
    if (isNullish(a) || isNullish(b)) return null;
    if (!isNumeric(a) || !isNumeric(b)) throw new ServerError(51044, `${name} only supports numeric types`);
    return double(Math.atan2(toDouble(a), toDouble(b)));
  }),
  $degreesToRadians: onDouble((value) => value * radians),
  $radiansToDegrees: onDouble((value) => value / radians),
  $bitAnd: bitwise((a, b) => a & b, -1n),
  $bitOr: bitwise((a, b) => a | b, 0n),
  $bitXor: bitwise((a, b) => a ^ b, 0n),
  $bitNot: onNumber((value) => {
    if (!['int', 'long'].includes(numericType(value)))
      throw typeMismatch('$bitNot only supports int and long operands');
    return typeof value === 'bigint' ? ~value : ~toDouble(value);
  }),
};
