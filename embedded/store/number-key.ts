import { compare } from '../bson/compare';
import { type Decimal128 } from '../bson/decimal';
import { double } from '../bson/value';

const scratch = new DataView(new ArrayBuffer(8));

/** The next double below. */
function doubleBelow(value: number): number {
  if (value === Number.POSITIVE_INFINITY) return Number.MAX_VALUE;
  if (value === 0) return -Number.MIN_VALUE;
  scratch.setFloat64(0, value);
  const bits = scratch.getBigInt64(0);
  scratch.setBigInt64(0, value > 0 ? bits - 1n : bits + 1n);
  return scratch.getFloat64(0);
}

const EXPONENT_BIAS = 0x4000;

/** Exponent and digits of a number that no double equals, ended by a zero, so that byte order is numeric order. */
function digitBytes(negative: boolean, coefficient: bigint, exponent: number): Buffer {
  const digits = coefficient.toString();
  const significant = digits.replace(/0+$/, '');
  const bytes = Buffer.alloc(2 + significant.length + 1);
  bytes.writeUInt16BE(exponent + digits.length + EXPONENT_BIAS, 0);
  bytes.write(significant, 2, 'latin1');
  // A negative number sorts the other way round, and more digits mean less.
  if (negative) for (let i = 0; i < bytes.length; i++) bytes[i] = ~(bytes[i] as number);
  return bytes;
}

/** A number as the greatest double that is not above it, and what lies between the two (nothing for most). */
interface SplitNumber {
  readonly floor: number;
  readonly rest?: Buffer;
}

/**
 * Splits an int64 or decimal128 so that ordering by `floor`, then by `rest` (absent first), is ordering by exact value:
 * doubles alone cannot tell 2^53 from 2^53 + 1, nor decimal 0.1 from double 0.1.
 */
export function splitNumber(value: bigint | Decimal128): SplitNumber {
  if (typeof value === 'bigint') {
    const near = Number(value);
    return BigInt(near) === value ? { floor: near } : split(value, near, value < 0n, value < 0n ? -value : value, 0);
  }
  const { parts } = value;
  const near = Number(value.toString());
  return parts.kind === 'finite'
    ? split(value, near, parts.negative, parts.coefficient, parts.exponent)
    : { floor: near };
}

function split(
  value: bigint | Decimal128,
  near: number,
  negative: boolean,
  digits: bigint,
  exponent: number,
): SplitNumber {
  const order = compare(double(near), value);
  if (order === 0) return { floor: near };
  return { floor: order > 0 ? doubleBelow(near) : near, rest: digitBytes(negative, digits, exponent) };
}
