import { compare } from '../../bson/compare';
import { badValue, ServerError } from '../../bson/error';
import { asInteger, isNumeric } from '../../bson/numeric';
import { typeName } from '../../bson/types';
import { type Doc, isDoc, type Maybe, type Value } from '../../bson/value';
import { compileSorter } from '../../query/sort';
import {
  binary,
  isNullish,
  membersOf,
  nary,
  naryOrNull,
  type Operator,
  type Operators,
  operands,
  unary,
} from '../operator';

export function arrayOf(value: Maybe, code: number, what: string): Value[] {
  if (!Array.isArray(value))
    throw new ServerError(code, `${what} must be an array, but is of type: ${typeName(value)}`);
  return value;
}

function int32Of(value: Maybe, code: number, what: string): number {
  const integer = isNumeric(value) ? asInteger(value) : undefined;
  if (integer === undefined || integer > 0x7fffffffn || integer < -0x80000000n) {
    throw new ServerError(code, `${what} must be representable as a 32-bit integer, found: ${typeName(value)}`);
  }
  return Number(integer);
}

function arrayElemAt(array: Maybe, index: Maybe): Maybe {
  if (isNullish(array) || isNullish(index)) return null;
  return arrayOf(array, 28689, "$arrayElemAt's first argument").at(
    int32Of(index, 28690, "$arrayElemAt's second argument"),
  );
}

const endOf = (at: 0 | -1): Operator =>
  unary((value, name) => (isNullish(value) ? null : arrayOf(value, 28689, `${name}'s argument`).at(at)));

function slice([input, first, second]: Maybe[]): Maybe {
  if (isNullish(input) || isNullish(first)) return null;
  const array = arrayOf(input, 28724, 'First argument to $slice');
  const start = int32Of(first, 28725, 'Second argument to $slice');
  if (second === undefined) return start < 0 ? array.slice(start) : array.slice(0, start);
  if (isNullish(second)) return null;
  const count = int32Of(second, 28727, 'Third argument to $slice');
  if (count <= 0) throw new ServerError(28729, 'Third argument to $slice must be positive');
  const from = start < 0 ? Math.max(0, array.length + start) : start;
  return array.slice(from, from + count);
}

function indexOfArray(values: Maybe[]): Maybe {
  const [input, wanted, from, to] = values;
  if (isNullish(input)) return null;
  const array = arrayOf(input, 40090, "$indexOfArray's first argument");
  const start = values.length > 2 ? bound(from, 'starting') : 0;
  const end = values.length > 3 ? Math.min(array.length, bound(to, 'ending')) : array.length;
  for (let index = start; index < end; index++) if (compare(array[index], wanted) === 0) return index;
  return -1;
}

function bound(value: Maybe, which: string): number {
  const number = int32Of(value, 40096, `$indexOfArray ${which} index`);
  if (number < 0) throw new ServerError(40097, `$indexOfArray ${which} index must be non-negative`);
  return number;
}

/** Maximum length of a range: MongoDB applies its memory limit instead. */
const MAX_RANGE = 10_000_000;

function rangeOf([first, last, by]: Maybe[]): Value {
  const start = int32Of(first, 34443, "$range's starting value");
  const end = int32Of(last, 34445, "$range's ending value");
  const step = by === undefined ? 1 : int32Of(by, 34447, "$range's step value");
  if (step === 0) throw new ServerError(34449, '$range requires a non-zero step value');
  const length = Math.max(0, Math.ceil((end - start) / step));
  if (length > MAX_RANGE) throw new ServerError('ExceededMemoryLimit', `$range would make ${length} values`);
  return Array.from({ length }, (_, index) => start + index * step);
}

const sortArray: Operator = (argument, compiler, name) => {
  const members = membersOf(name, argument, ['input', 'sortBy']);
  const input = compiler.compile(members.get('input') as Value);
  const order = arrayOrder(members.get('sortBy') as Value);
  return (scope) => {
    const value = input(scope);
    return isNullish(value) ? null : [...arrayOf(value, 2942504, 'The input argument to $sortArray')].sort(order);
  };
};

/** Sorts whole values by 1 or -1, or documents by a pattern. Elements that are not documents sort as empty ones. */
export function arrayOrder(sortBy: Value): (a: Value, b: Value) => number {
  if (isNumeric(sortBy)) {
    const direction = asInteger(sortBy);
    if (direction !== 1n && direction !== -1n) throw badValue('The $sort element value must be either 1 or -1');
    return (a, b) => compare(a, b) * Number(direction);
  }
  if (!isDoc(sortBy)) throw new ServerError(2942507, 'sortBy must be 1, -1 or a document');
  const sorter = compileSorter(sortBy);
  const asDoc = (value: Value): Doc => (isDoc(value) ? value : new Map());
  return (a, b) => sorter.compare(asDoc(a), asDoc(b));
}

function arrayToObject(value: Maybe): Maybe {
  if (isNullish(value)) return null;
  const result: Doc = new Map();
  for (const entry of arrayOf(value, 40386, '$arrayToObject input')) {
    const [name, member] = pairOf(entry);
    if (name.includes('\0')) throw new ServerError(4940400, 'Key field cannot contain an embedded null byte');
    result.set(name, member);
  }
  return result;
}

function pairOf(entry: Value): [string, Value] {
  if (Array.isArray(entry)) {
    const [name, member] = entry;
    if (entry.length !== 2) throw new ServerError(40397, '$arrayToObject requires an array of size 2 arrays');
    if (typeof name !== 'string')
      throw new ServerError(
        40395,
        '$arrayToObject requires an array of key-value pairs, where the key must be of type string',
      );
    return [name, member as Value];
  }
  if (!isDoc(entry)) throw new ServerError(40398, 'Unrecognised input type format for $arrayToObject');
  if (entry.size !== 2) throw new ServerError(40392, '$arrayToObject requires an object keys of k and v, exactly two');
  const [name, member] = [entry.get('k'), entry.get('v')];
  if (name === undefined || member === undefined)
    throw new ServerError(40393, "$arrayToObject requires an object with keys 'k' and 'v'");
  if (typeof name !== 'string')
    throw new ServerError(40394, "$arrayToObject requires the value of 'k' to be of type string");
  return [name, member];
}

export const array: Operators = {
  $arrayElemAt: binary(arrayElemAt),
  $first: endOf(0),
  $last: endOf(-1),
  $slice: nary(slice, 2, 3),
  $size: unary((value) => arrayOf(value, 17124, 'The argument to $size').length),
  $isArray: unary((value) => Array.isArray(value)),
  $in: binary((value, list) =>
    arrayOf(list, 40081, '$in: the second argument').some((entry) => compare(entry, value) === 0),
  ),
  $concatArrays: naryOrNull(
    (values) => values.flat(1),
    (value, name) => arrayOf(value, 28664, `${name}: each argument`),
  ),
  $reverseArray: unary((value) =>
    isNullish(value) ? null : arrayOf(value, 34435, 'The argument to $reverseArray').toReversed(),
  ),
  $indexOfArray: nary(indexOfArray, 2, 4),
  $range: nary(rangeOf, 2, 3),
  $sortArray: sortArray,
  $arrayToObject: (argument, compiler, name) => {
    const [operand] = operands(name, argument, 1, 1).map((value) => compiler.compile(value));
    return (scope) => arrayToObject(operand?.(scope));
  },
};
