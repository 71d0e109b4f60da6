/**
 * IEEE 754 decimal128 in BSON's binary integer encoding: 34 digits, exponents -6176 to 6111.
 * The stored bits are kept as they are (trailing zeros, NaN payloads); `parts` gives their meaning.
 */
export type DecimalParts =
  | { kind: 'finite'; negative: boolean; coefficient: bigint; exponent: number }
  | { kind: 'infinity'; negative: boolean }
  | { kind: 'nan' };

const BIAS = 6176;
const MAX_DIGITS = 34;
const LIMIT = 10n ** BigInt(MAX_DIGITS);
const SIGN = 1n << 63n;
const COEFFICIENT_HIGH = (1n << 49n) - 1n;

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
