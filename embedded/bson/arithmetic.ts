import {
  DECIMAL_NAN,
  Decimal128,
  type DecimalParts,
  decimal,
  decimalInfinity,
  MAX_DIGITS,
  parseDecimal,
} from './decimal';
import { type Numeric, type NumericType, numericType, partsOf, toDouble } from './numeric';
import { double } from './value';

/** What a sum or product of integers beyond int64 becomes: expressions widen to double, updates refuse. */
export type Overflow = 'double' | 'refuse';

const INT64_MAX = (1n << 63n) - 1n;
const INT64_MIN = -(1n << 63n);
export const fitsInt64 = (value: bigint): boolean => value >= INT64_MIN && value <= INT64_MAX;

const WIDTH: Record<NumericType, number> = { int: 0, long: 1, double: 2, decimal: 3 };

const wider = (a: NumericType, b: NumericType): NumericType => (WIDTH[a] >= WIDTH[b] ? a : b);

/** The type of an answer for these operands. */
export const commonType = (a: Numeric, b: Numeric): NumericType => wider(numericType(a), numericType(b));

const toBigint = (value: Numeric): bigint => (typeof value === 'bigint' ? value : BigInt(toDouble(value)));

/** An integer as int when it fits and both operands were ints, else as long; undefined beyond int64. */
function integer(value: bigint, type: 'int' | 'long'): number | bigint | undefined {
  if (type === 'int' && value >= -0x80000000n && value <= 0x7fffffffn) return Number(value);
  return fitsInt64(value) ? value : undefined;
}

interface Operation {
  integers(a: bigint, b: bigint): bigint;
  doubles(a: number, b: number): number;
  decimals(a: Decimal128, b: Decimal128): Decimal128;
}

function calculate(operation: Operation, a: Numeric, b: Numeric, overflow: Overflow): Numeric | undefined {
  const type = commonType(a, b);
  if (type === 'decimal') return operation.decimals(toDecimal(a), toDecimal(b));
  if (type === 'double') return double(operation.doubles(toDouble(a), toDouble(b)));
  const exact = operation.integers(toBigint(a), toBigint(b));
  const result = integer(exact, type);
  return result === undefined && overflow === 'double' ? double(Number(exact)) : result;
}

const ADD: Operation = { integers: (a, b) => a + b, doubles: (a, b) => a + b, decimals: addDecimals };
const SUBTRACT: Operation = {
  integers: (a, b) => a - b,
  doubles: (a, b) => a - b,
  decimals: (a, b) => addDecimals(a, negated(b)),
};
const MULTIPLY: Operation = { integers: (a, b) => a * b, doubles: (a, b) => a * b, decimals: multiplyDecimals };

export function add(a: Numeric, b: Numeric): Numeric;
export function add(a: Numeric, b: Numeric, overflow: Overflow): Numeric | undefined;
export function add(a: Numeric, b: Numeric, overflow: Overflow = 'double'): Numeric | undefined {
  return calculate(ADD, a, b, overflow);
}

export const subtract = (a: Numeric, b: Numeric): Numeric => calculate(SUBTRACT, a, b, 'double') as Numeric;

export function multiply(a: Numeric, b: Numeric): Numeric;
export function multiply(a: Numeric, b: Numeric, overflow: Overflow): Numeric | undefined;
export function multiply(a: Numeric, b: Numeric, overflow: Overflow = 'double'): Numeric | undefined {
  return calculate(MULTIPLY, a, b, overflow);
}

/** Division never stays integral: the answer is a double or a decimal. The divisor must not be zero. */
export function divide(a: Numeric, b: Numeric): Numeric {
  if (commonType(a, b) === 'decimal') return divideDecimals(toDecimal(a), toDecimal(b));
  return double(toDouble(a) / toDouble(b));
}

/** The remainder with the dividend's sign. The divisor must not be zero. */
export function remainder(a: Numeric, b: Numeric): Numeric {
  const type = commonType(a, b);
  if (type === 'decimal') return remainderDecimals(toDecimal(a), toDecimal(b));
  if (type === 'double') return double(toDouble(a) % toDouble(b));
  return integer(toBigint(a) % toBigint(b), type) as number | bigint;
}

/** As decimal with all digits of a double (up to 34), where nothing is to be hidden. */
export function exactDecimal(value: Numeric): Decimal128 {
  if (value instanceof Decimal128) return value;
  const parts = partsOf(value);
  return parts.kind === 'finite' ? decimal(parts.negative, parts.coefficient, parts.exponent) : toDecimal(value);
}

/** As decimal; a double is taken at 15 significant digits, which is what MongoDB's arithmetic does. */
export function toDecimal(value: Numeric): Decimal128 {
  if (value instanceof Decimal128) return value;
  if (typeof value === 'bigint') return decimal(value < 0n, value < 0n ? -value : value, 0);
  const number = toDouble(value);
  if (numericType(value) === 'int') return decimal(number < 0, BigInt(Math.abs(number)), 0);
  if (Object.is(number, -0)) return decimal(true, 0n, 0);
  return number === 0
    ? decimal(false, 0n, 0)
    : (parseDecimal(Number.isFinite(number) ? number.toPrecision(15) : String(number)) as Decimal128);
}

function negated(value: Decimal128): Decimal128 {
  const parts = value.parts;
  if (parts.kind === 'nan') return value;
  if (parts.kind === 'infinity') return decimalInfinity(!parts.negative);
  return decimal(!parts.negative, parts.coefficient, parts.exponent);
}

type Finite = Extract<DecimalParts, { kind: 'finite' }>;
const signed = (parts: Finite): bigint => (parts.negative ? -parts.coefficient : parts.coefficient);
const fromSigned = (value: bigint, exponent: number, zeroIsNegative = false): Decimal128 =>
  value === 0n ? decimal(zeroIsNegative, 0n, exponent) : decimal(value < 0n, value < 0n ? -value : value, exponent);

/** Beyond this gap the smaller operand cannot touch 34 digits; it keeps only its sign, for rounding. */
const GAP = 2 * MAX_DIGITS + 2;

function addDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [x, y] = [a.parts, b.parts];
  if (x.kind === 'nan' || y.kind === 'nan') return DECIMAL_NAN;
  if (x.kind === 'infinity') return y.kind === 'infinity' && x.negative !== y.negative ? DECIMAL_NAN : a;
  if (y.kind === 'infinity') return b;
  if (x.coefficient === 0n && y.coefficient !== 0n && x.exponent >= y.exponent) return b;
  if (y.coefficient === 0n && x.coefficient !== 0n && y.exponent >= x.exponent) return a;
  const [high, low] = x.exponent >= y.exponent ? [x, y] : [y, x];
  const distance = high.exponent - low.exponent;
  if (distance > GAP && high.coefficient !== 0n) {
    const nudge = low.coefficient === 0n ? 0n : low.negative ? -1n : 1n;
    return fromSigned(signed(high) * 10n ** BigInt(GAP) + nudge, high.exponent - GAP);
  }
  const sum = signed(high) * 10n ** BigInt(high.coefficient === 0n ? 0 : distance) + signed(low);
  return fromSigned(sum, low.exponent, x.negative && y.negative);
}

function multiplyDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [x, y] = [a.parts, b.parts];
  if (x.kind === 'nan' || y.kind === 'nan') return DECIMAL_NAN;
  const negative = x.negative !== y.negative;
  if (x.kind === 'infinity' || y.kind === 'infinity') {
    const zero = (x.kind === 'finite' && x.coefficient === 0n) || (y.kind === 'finite' && y.coefficient === 0n);
    return zero ? DECIMAL_NAN : decimalInfinity(negative);
  }
  return decimal(negative, x.coefficient * y.coefficient, x.exponent + y.exponent);
}

function divideDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [x, y] = [a.parts, b.parts];
  if (x.kind === 'nan' || y.kind === 'nan') return DECIMAL_NAN;
  const negative = x.negative !== y.negative;
  if (x.kind === 'infinity') return y.kind === 'infinity' ? DECIMAL_NAN : decimalInfinity(negative);
  if (y.kind === 'infinity') return decimal(negative, 0n, -6176);
  if (y.coefficient === 0n) return x.coefficient === 0n ? DECIMAL_NAN : decimalInfinity(negative);
  // Two digits more than needed plus a sticky one keep half-even rounding right.
  const shift = Math.max(0, MAX_DIGITS + 2 - (x.coefficient.toString().length - y.coefficient.toString().length));
  const numerator = x.coefficient * 10n ** BigInt(shift);
  const quotient = numerator / y.coefficient;
  const ideal = x.exponent - y.exponent;
  if (numerator % y.coefficient !== 0n) return decimal(negative, quotient * 10n + 1n, ideal - shift - 1);
  return trimmedTo(negative, quotient, ideal - shift, ideal);
}

/** An exact quotient drops trailing zeros until its exponent is the ideal one, as IEEE 754 prescribes. */
function trimmedTo(negative: boolean, coefficient: bigint, exponent: number, ideal: number): Decimal128 {
  let [digits, power] = [coefficient, exponent];
  while (power < ideal && digits % 10n === 0n && digits !== 0n) {
    digits /= 10n;
    power++;
  }
  return decimal(negative, digits, digits === 0n ? ideal : power);
}

/** The square root to 34 digits; NaN for what has none. */
export function squareRoot(value: Decimal128): Decimal128 {
  const parts = value.parts;
  if (parts.kind === 'nan') return value;
  if (parts.kind === 'infinity') return parts.negative ? DECIMAL_NAN : value;
  const ideal = Math.floor(parts.exponent / 2);
  if (parts.coefficient === 0n) return decimal(parts.negative, 0n, ideal);
  if (parts.negative) return DECIMAL_NAN;
  // An even exponent and two digits for each one of the root, with two to spare.
  const odd = parts.exponent - 2 * ideal;
  const shift = 2 * (MAX_DIGITS + 2);
  const radicand = parts.coefficient * 10n ** BigInt(odd + shift);
  const root = integerRoot(radicand);
  const exponent = ideal - shift / 2;
  if (root * root !== radicand) return decimal(false, root * 10n + 1n, exponent - 1);
  return trimmedTo(false, root, exponent, ideal);
}

/** The greatest integer whose square is not above the value (Newton's method from above). */
function integerRoot(value: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (let next = (root + value / root) >> 1n; next < root; next = (root + value / root) >> 1n) root = next;
  return root;
}

function remainderDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [x, y] = [a.parts, b.parts];
  if (x.kind !== 'finite' || y.kind === 'nan') return DECIMAL_NAN;
  if (y.kind === 'infinity') return a;
  if (y.coefficient === 0n) return DECIMAL_NAN;
  const common = Math.min(x.exponent, y.exponent);
  const scaled = (parts: Finite): bigint => parts.coefficient * 10n ** BigInt(parts.exponent - common);
  return decimal(x.negative, scaled(x) % scaled(y), common);
}
