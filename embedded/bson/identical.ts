import { equals } from './compare';
import { typeNumber } from './types';
import type { Maybe, Value } from './value';

/** Same value, type and field order: storing one for the other changes nothing. */
export function identical(a: Maybe, b: Maybe): boolean {
  if (a === b) return a !== 0 || Object.is(a, b);
  if (a === undefined || b === undefined || typeNumber(a) !== typeNumber(b)) return false;
  if (a instanceof Map && b instanceof Map) {
    return (
      a.size === b.size &&
      everyPair([...a.keys()], [...b.keys()], (x, y) => x === y) &&
      everyPair([...a.values()], [...b.values()], identical)
    );
  }
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && everyPair(a, b, identical);
  return typeof a === 'number' ? Object.is(a, b) : sameScalar(a, b);
}

const everyPair = <T>(a: readonly T[], b: readonly T[], same: (x: T, y: T) => boolean): boolean =>
  a.every((entry, index) => same(entry, b[index] as T));

/** Decimals that are equal may still differ in trailing zeros, which are stored. */
const sameScalar = (a: Value, b: Value): boolean => equals(a, b) && String(a) === String(b);
