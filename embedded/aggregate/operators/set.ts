import { compare } from '../../bson/compare';
import { ServerError } from '../../bson/error';
import { typeName } from '../../bson/types';
import type { Maybe, Value } from '../../bson/value';
import { ValueSet } from '../../bson/valueset';
import { type Compiler, isNullish, nary, naryOrNull, type Operator, type Operators } from '../operator';
import { truthy } from '../truth';
import { arrayOf } from './array';

const setOf = (values: Iterable<Value>, compiler: Compiler): ValueSet => new ValueSet(compiler.collation, values);

/** Sets answer in BSON order. */
const sorted = (values: Iterable<Value>): Value[] => [...values].sort((a, b) => compare(a, b));

const mustBeArray =
  (code: number) =>
  (value: Value, name: string): void => {
    arrayOf(value, code, `All operands of ${name}`);
  };

const union = (values: Value[], compiler: Compiler): Maybe => sorted(setOf((values as Value[][]).flat(), compiler));

function intersection(values: Value[], compiler: Compiler): Maybe {
  const [first, ...rest] = (values as Value[][]).map((value) => setOf(value, compiler));
  if (first === undefined) return [];
  return sorted([...first].filter((value) => rest.every((set) => set.has(value))));
}

/** The only set operator that keeps the order of its input. */
function difference([a, b]: Maybe[], compiler: Compiler): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  const all = setOf(arrayOf(a, 17048, 'both operands of $setDifference'), compiler);
  const removed = setOf(arrayOf(b, 17049, 'both operands of $setDifference'), compiler);
  return [...all].filter((value) => !removed.has(value));
}

function allEqual(values: Maybe[], compiler: Compiler): Maybe {
  const [first, ...rest] = values.map((value) => setOf(arrayOf(value, 17044, 'All operands of $setEquals'), compiler));
  return rest.every((set) => set.size === first?.size && [...set].every((value) => first.has(value)));
}

function isSubset([a, b]: Maybe[], compiler: Compiler): Maybe {
  const part = arrayOf(a, 17046, 'both operands of $setIsSubset');
  const whole = setOf(arrayOf(b, 17042, 'both operands of $setIsSubset'), compiler);
  return part.every((value) => whole.has(value));
}

const elementsTrue = (every: boolean, code: number): Operator =>
  nary(
    ([value], _, name) => {
      if (!Array.isArray(value))
        throw new ServerError(code, `${name}'s argument must be an array, but is ${typeName(value)}`);
      return every ? value.every(truthy) : value.some(truthy);
    },
    1,
    1,
  );

export const set: Operators = {
  $setUnion: naryOrNull(union, mustBeArray(17043)),
  $setIntersection: naryOrNull(intersection, mustBeArray(17047)),
  $setDifference: nary(difference, 2, 2),
  $setEquals: nary(allEqual, 2),
  $setIsSubset: nary(isSubset, 2, 2),
  $allElementsTrue: elementsTrue(true, 17040),
  $anyElementTrue: elementsTrue(false, 17041),
};
