import { compare } from '../../bson/compare';
import type { Maybe, Value } from '../../bson/value';
import { ValueSet } from '../../bson/valueset';
import { isNullish, nary, naryOrNull, type Operators } from '../operator';
import { arrayOf } from './array';

/** Results are in BSON order. */
const sorted = (values: Iterable<Value>): Value[] => [...values].sort((a, b) => compare(a, b));

const mustBeArray =
  (code: number) =>
  (value: Value, name: string): void => {
    arrayOf(value, code, `All operands of ${name}`);
  };

const union = (values: Value[]): Maybe => sorted(new ValueSet((values as Value[][]).flat()));

function intersection(values: Value[]): Maybe {
  const [first, ...rest] = (values as Value[][]).map((value) => new ValueSet(value));
  if (first === undefined) return [];
  return sorted([...first].filter((value) => rest.every((set) => set.has(value))));
}

/** The only set operator that keeps the order of its input. */
function difference([a, b]: Maybe[]): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  const all = new ValueSet(arrayOf(a, 17048, 'both operands of $setDifference'));
  const removed = new ValueSet(arrayOf(b, 17049, 'both operands of $setDifference'));
  return [...all].filter((value) => !removed.has(value));
}

function allEqual(values: Maybe[]): Maybe {
  const [first, ...rest] = values.map((value) => new ValueSet(arrayOf(value, 17044, 'All operands of $setEquals')));
  return rest.every((set) => set.size === first?.size && [...set].every((value) => first.has(value)));
}

function isSubset([a, b]: Maybe[]): Maybe {
  const part = arrayOf(a, 17046, 'both operands of $setIsSubset');
  const whole = new ValueSet(arrayOf(b, 17042, 'both operands of $setIsSubset'));
  return part.every((value) => whole.has(value));
}

export const set: Operators = {
  $setUnion: naryOrNull(union, mustBeArray(17043)),
  $setIntersection: naryOrNull(intersection, mustBeArray(17047)),
  $setDifference: nary(difference, 2, 2),
  $setEquals: nary(allEqual, 2),
  $setIsSubset: nary(isSubset, 2, 2),
};
