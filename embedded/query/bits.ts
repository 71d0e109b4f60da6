import { badValue, failedToParse } from '../bson/error';
import { asInteger, isNumeric } from '../bson/numeric';
import { Binary, type Value } from '../bson/value';
import type { Predicate } from './comparison';

export type BitsOperator = '$bitsAllSet' | '$bitsAnySet' | '$bitsAllClear' | '$bitsAnyClear';

const INT64_MAX = (1n << 63n) - 1n;

/** The bit operators: on integers that fit int64 (negative ones in two's complement) and on binary data. */
export function bitsTest(operator: BitsOperator, mask: Value): Predicate {
  const positions = positionsOf(operator, mask);
  const wantSet = operator.endsWith('Set');
  const all = operator.startsWith('$bitsAll');
  return (value) => {
    const isSet = bitReader(value);
    if (isSet === undefined) return false;
    const holds = (position: number): boolean => isSet(position) === wantSet;
    return all ? positions.every(holds) : positions.some(holds);
  };
}

function bitReader(value: Value | undefined): ((position: number) => boolean) | undefined {
  if (value instanceof Binary) {
    return (position) => (((value.bytes[position >> 3] ?? 0) >> (position & 7)) & 1) === 1;
  }
  const integer = isNumeric(value) ? asInteger(value) : undefined;
  if (integer === undefined || integer > INT64_MAX || integer < -INT64_MAX - 1n) return undefined;
  // Positions from 64 on read the sign, as in two's complement of any width.
  return (position) => ((integer >> BigInt(Math.min(position, 64))) & 1n) === 1n;
}

function positionsOf(operator: string, mask: Value): number[] {
  if (Array.isArray(mask)) return mask.map((entry) => positionOf(operator, entry));
  if (mask instanceof Binary) {
    return Array.from({ length: mask.bytes.length * 8 }, (_, position) => position).filter(
      (position) => (((mask.bytes[position >> 3] as number) >> (position & 7)) & 1) === 1,
    );
  }
  if (!isNumeric(mask)) throw badValue(`${operator} takes an Array, a number, or a BinData`);
  const integer = asInteger(mask);
  if (integer === undefined || integer > INT64_MAX) throw failedToParse(`Expected an integer: ${operator}`);
  if (integer < 0n) throw failedToParse(`Expected a non-negative number in: ${operator}`);
  return Array.from({ length: 63 }, (_, position) => position).filter(
    (position) => ((integer >> BigInt(position)) & 1n) === 1n,
  );
}

function positionOf(operator: string, entry: Value): number {
  const integer = isNumeric(entry) ? asInteger(entry) : undefined;
  if (integer === undefined || integer < 0n || integer > 0x7fffffffn) {
    throw badValue(`bit positions of ${operator} must be non-negative integers`);
  }
  return Number(integer);
}
