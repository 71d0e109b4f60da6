import { Decimal128, type DecimalParts } from './decimal';
import { Double, isInt32, type Maybe } from './value';

/** Any BSON number. */
export type Numeric = number | bigint | Double | Decimal128;

/** The four numeric types in order of widening: arithmetic answers in the wider of its operands' types. */
type NumericType = 'int' | 'long' | 'double' | 'decimal';

export const isNumeric = (value: Maybe): value is Numeric =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Double || value instanceof Decimal128;

export function numericType(value: Numeric): NumericType {
  if (typeof value === 'number') return isInt32(value) ? 'int' : 'double';
  if (typeof value === 'bigint') return 'long';
  return value instanceof Double ? 'double' : 'decimal';
}

/** The nearest double; a decimal out of range becomes an infinity. */
export function toDouble(value: Numeric): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Double ? value.value : Number(value.toString());
}

export function isNaNValue(value: Maybe): boolean {
  if (typeof value === 'number') return Number.isNaN(value);
  return value instanceof Decimal128 && value.parts.kind === 'nan';
}

const sign = (difference: bigint): number => (difference > 0n ? 1 : difference < 0n ? -1 : 0);

const compareDoubles = (a: number, b: number): number =>
  a < b ? -1 : a > b ? 1 : a === b ? 0 : (Number.isNaN(b) ? 1 : 0) - (Number.isNaN(a) ? 1 : 0);

/** Order of two numbers by exact value, whatever their types. NaN equals itself and is below all others. */
export function compareNumbers(a: Numeric, b: Numeric): number {
  if (typeof a === 'number' && typeof b === 'number') return compareDoubles(a, b);
  if (typeof a === 'bigint' && typeof b === 'bigint') return sign(a - b);
  if (a instanceof Decimal128) {
    return b instanceof Decimal128 ? compareDecimals(a.parts, b.parts) : compareDecimals(a.parts, partsOf(b));
  }
  if (b instanceof Decimal128) return compareDecimals(partsOf(a), b.parts);
  if (typeof a === 'bigint') return -compareDoubleToBigint(toDouble(b), a);
  if (typeof b === 'bigint') return compareDoubleToBigint(toDouble(a), b);
  return compareDoubles(toDouble(a), toDouble(b));
}

// JavaScript compares a number with a bigint by exact value; only NaN needs a rule of its own.
const compareDoubleToBigint = (a: number, b: bigint): number => (a < b ? -1 : a > b ? 1 : Number.isNaN(a) ? -1 : 0);

/** The exact decimal meaning of a binary number: every finite double is coefficient * 10^exponent with no rest. */
export function partsOf(value: number | bigint | Double): DecimalParts {
  if (typeof value === 'bigint') return finite(value < 0n, value < 0n ? -value : value, 0);
  const number = toDouble(value);
  if (Number.isNaN(number)) return { kind: 'nan' };
  const negative = number < 0 || Object.is(number, -0);
  if (!Number.isFinite(number)) return { kind: 'infinity', negative };
  const magnitude = Math.abs(number);
  if (Number.isInteger(magnitude)) return finite(negative, BigInt(magnitude), 0);
  // A fraction is m * 2^-k, which is m * 5^k * 10^-k.
  let [mantissa, halvings] = [magnitude, 0];
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    halvings++;
  }
  return finite(negative, BigInt(mantissa) * 5n ** BigInt(halvings), -halvings);
}

const finite = (negative: boolean, coefficient: bigint, exponent: number): DecimalParts => ({
  kind: 'finite',
  negative,
  coefficient,
  exponent,
});

function compareDecimals(a: DecimalParts, b: DecimalParts): number {
  if (a.kind === 'nan' || b.kind === 'nan') return (b.kind === 'nan' ? 1 : 0) - (a.kind === 'nan' ? 1 : 0);
  const [signA, signB] = [signOf(a), signOf(b)];
  if (signA !== signB) return signA < signB ? -1 : 1;
  if (signA === 0) return 0;
  const magnitude = compareMagnitudes(a, b);
  return signA > 0 ? magnitude : -magnitude;
}

const signOf = (parts: Exclude<DecimalParts, { kind: 'nan' }>): number =>
  parts.kind === 'finite' && parts.coefficient === 0n ? 0 : parts.negative ? -1 : 1;

function compareMagnitudes(
  a: Exclude<DecimalParts, { kind: 'nan' }>,
  b: Exclude<DecimalParts, { kind: 'nan' }>,
): number {
  if (a.kind === 'infinity' || b.kind === 'infinity') {
    return (a.kind === 'infinity' ? 1 : 0) - (b.kind === 'infinity' ? 1 : 0);
  }
  // The leading digit's power decides first, so that 1E+6111 against 1 needs no number of six thousand digits.
  const leading = a.coefficient.toString().length + a.exponent - (b.coefficient.toString().length + b.exponent);
  if (leading !== 0) return leading < 0 ? -1 : 1;
  const common = Math.min(a.exponent, b.exponent);
  return sign(a.coefficient * 10n ** BigInt(a.exponent - common) - b.coefficient * 10n ** BigInt(b.exponent - common));
}

/** The number as an integer when it has an exact integral value; undefined for fractions, NaN and infinities. */
export function asInteger(value: Numeric): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (!(value instanceof Decimal128)) {
    const number = toDouble(value);
    return Number.isInteger(number) ? BigInt(number) : undefined;
  }
  const parts = value.parts;
  if (parts.kind !== 'finite') return undefined;
  const { coefficient, exponent, negative } = parts;
  const scale = 10n ** BigInt(Math.abs(exponent));
  if (exponent < 0 && coefficient % scale !== 0n) return undefined;
  const magnitude = exponent < 0 ? coefficient / scale : coefficient * scale;
  return negative ? -magnitude : magnitude;
}
