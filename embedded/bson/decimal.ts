/**
 * IEEE 754 decimal128 in BSON's binary integer encoding: 34 digits, exponents -6176 to 6111.
 * The stored bits are kept as they are (trailing zeros, NaN payloads); `parts` gives their meaning.
 */
export type DecimalParts =
  | { kind: 'finite'; negative: boolean; coefficient: bigint; exponent: number }
  | { kind: 'infinity'; negative: boolean }
  | { kind: 'nan' };

const BIAS = 6176;
const MIN_EXPONENT = -6176;
const MAX_EXPONENT = 6111;
export const MAX_DIGITS = 34;
const LIMIT = 10n ** BigInt(MAX_DIGITS);
const SIGN = 1n << 63n;
const COEFFICIENT_HIGH = (1n << 49n) - 1n;
const LOW_64 = (1n << 64n) - 1n;

export class Decimal128 {
  #parts: DecimalParts | undefined;

  /** The two unsigned 64-bit halves of the encoding. */
  constructor(
    readonly high: bigint,
    readonly low: bigint,
  ) {}

  get parts(): DecimalParts {
    this.#parts ??= partsOf(this.high, this.low);
    return this.#parts;
  }

  /** Scientific text as IEEE 754 and MongoDB write it: `1.5`, `1.5E+10`, `NaN`, `-Infinity`. */
  toString(): string {
    const parts = this.parts;
    if (parts.kind === 'nan') return 'NaN';
    if (parts.kind === 'infinity') return parts.negative ? '-Infinity' : 'Infinity';
    return (parts.negative ? '-' : '') + plainOrScientific(parts.coefficient.toString(), parts.exponent);
  }
}

function partsOf(high: bigint, low: bigint): DecimalParts {
  const negative = (high & SIGN) !== 0n;
  const combination = Number((high >> 58n) & 0x1fn);
  if (combination === 0x1f) return { kind: 'nan' };
  if (combination === 0x1e) return { kind: 'infinity', negative };
  // A leading 11 selects the long form, whose coefficient is always above 34 digits; IEEE 754 reads that as zero.
  if (combination >> 3 === 3) {
    return { kind: 'finite', negative, coefficient: 0n, exponent: Number((high >> 47n) & 0x3fffn) - BIAS };
  }
  const coefficient = ((high & COEFFICIENT_HIGH) << 64n) | low;
  const exponent = Number((high >> 49n) & 0x3fffn) - BIAS;
  return { kind: 'finite', negative, coefficient: coefficient >= LIMIT ? 0n : coefficient, exponent };
}

function plainOrScientific(digits: string, exponent: number): string {
  const scientific = exponent + digits.length - 1;
  if (exponent > 0 || scientific < -6) {
    const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits;
    return `${mantissa}E${scientific < 0 ? '-' : '+'}${Math.abs(scientific)}`;
  }
  if (exponent === 0) return digits;
  const point = digits.length + exponent;
  return point > 0 ? `${digits.slice(0, point)}.${digits.slice(point)}` : `0.${'0'.repeat(-point)}${digits}`;
}

export const DECIMAL_NAN = new Decimal128(0x1fn << 58n, 0n);
const INFINITY = new Decimal128(0x1en << 58n, 0n);
const NEGATIVE_INFINITY = new Decimal128((0x1en << 58n) | SIGN, 0n);
export const decimalInfinity = (negative: boolean): Decimal128 => (negative ? NEGATIVE_INFINITY : INFINITY);

/** The decimal of coefficient * 10^exponent, rounded half to even to 34 digits; overflow is infinity. */
export function decimal(negative: boolean, coefficient: bigint, exponent: number): Decimal128 {
  let [digits, power] = [coefficient, exponent];
  const excess = Math.max(digits.toString().length - MAX_DIGITS, MIN_EXPONENT - power);
  if (excess > 0 && (digits >= LIMIT || power < MIN_EXPONENT)) {
    digits = divideHalfEven(digits, 10n ** BigInt(Math.min(excess, 7000)));
    power += excess;
    if (digits === LIMIT) {
      digits /= 10n;
      power += 1;
    }
  }
  if (digits === 0n) power = Math.min(Math.max(power, MIN_EXPONENT), MAX_EXPONENT);
  while (power > MAX_EXPONENT && digits * 10n < LIMIT) {
    digits *= 10n;
    power -= 1;
  }
  if (power > MAX_EXPONENT) return decimalInfinity(negative);
  const high = ((negative ? 1n : 0n) << 63n) | (BigInt(power + BIAS) << 49n) | (digits >> 64n);
  return new Decimal128(high, digits & LOW_64);
}

/** Integer division rounded half to even, for a non-negative numerator. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  if (twice < denominator || (twice === denominator && quotient % 2n === 0n)) return quotient;
  return quotient + 1n;
}

const NUMBER = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:e([+-]?\d{1,9}))?$/i;

/** The decimal that a text spells; undefined when it spells none. */
export function parseDecimal(text: string): Decimal128 | undefined {
  const match = NUMBER.exec(text);
  if (match === null) return parseSpecial(text);
  const fraction = match[3] ?? match[4] ?? '';
  return decimal(
    match[1] === '-',
    BigInt((match[2] ?? '') + fraction),
    Number.parseInt(match[5] ?? '0', 10) - fraction.length,
  );
}

function parseSpecial(text: string): Decimal128 | undefined {
  if (/^[+-]?nan$/i.test(text)) return DECIMAL_NAN;
  const infinite = /^([+-]?)inf(?:inity)?$/i.exec(text);
  return infinite === null ? undefined : decimalInfinity(infinite[1] === '-');
}
