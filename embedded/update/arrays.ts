import { arrayOrder } from '../aggregate/operators/array';
import { compare } from '../bson/compare';
import { badValue, failedToParse, typeMismatch } from '../bson/error';
import { asInteger, isNumeric } from '../bson/numeric';
import { typeName } from '../bson/types';
import { type Doc, isDoc, type Maybe, Regex, type Value } from '../bson/value';
import { compileFilter } from '../query/matcher';
import { isOperatorDoc } from '../query/node';
import { always, type LeafOperator } from './leaf';

/** The array of `$push` and `$addToSet`; a missing one starts empty. */
function arrayAt(existing: Maybe, operator: string, path: string): Value[] {
  if (existing === undefined) return [];
  if (Array.isArray(existing)) return existing;
  throw badValue(
    `Cannot apply ${operator} to non-array field. The field '${path}' has non-array type ${typeName(existing)}`,
  );
}

function integer(value: Value, what: string): number {
  const whole = isNumeric(value) ? asInteger(value) : undefined;
  if (whole === undefined)
    throw badValue(`The value for ${what} must be an integer value, not of type: ${typeName(value)}`);
  return Number(whole);
}

interface Push {
  values: Value[];
  position?: number;
  slice?: number;
  order?: (a: Value, b: Value) => number;
}

function parsePush(argument: Value): Push {
  if (!isDoc(argument) || !argument.has('$each')) return { values: [argument] };
  const values = argument.get('$each') as Value;
  if (!Array.isArray(values))
    throw badValue(`The argument to $each in $push must be an array but it was of type: ${typeName(values)}`);
  const push: Push = { values };
  for (const [clause, value] of argument) {
    if (clause === '$position') push.position = integer(value, '$position');
    else if (clause === '$slice') push.slice = integer(value, '$slice');
    else if (clause === '$sort') push.order = sortOrder(value);
    else if (clause !== '$each') throw badValue(`Unrecognized clause in $push: ${clause}`);
  }
  return push;
}

function sortOrder(sortBy: Value): (a: Value, b: Value) => number {
  if (isDoc(sortBy) && sortBy.size === 0)
    throw badValue('The sort pattern is empty when it should be a set of fields.');
  if (!isDoc(sortBy) && !isNumeric(sortBy))
    throw badValue('The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields');
  return arrayOrder(sortBy);
}

const push: LeafOperator = (argument, path) => {
  const { values, position, slice, order } = parsePush(argument);
  return {
    needsPath: always,
    apply(existing) {
      const array = arrayAt(existing, '$push', path);
      const at =
        position === undefined
          ? array.length
          : position < 0
            ? Math.max(0, array.length + position)
            : Math.min(position, array.length);
      const pushed = array.toSpliced(at, 0, ...values);
      if (order !== undefined) pushed.sort(order);
      const result = slice === undefined ? pushed : slice < 0 ? pushed.slice(slice) : pushed.slice(0, slice);
      const unchanged =
        existing !== undefined &&
        result.length === array.length &&
        result.every((value, index) => value === array[index]);
      return unchanged ? existing : result;
    },
  };
};

const includes = (list: readonly Value[], value: Value): boolean => list.some((entry) => compare(entry, value) === 0);

const addToSet: LeafOperator = (argument, path) => {
  const values = eachOf(argument);
  return {
    needsPath: always,
    apply(existing) {
      const array = arrayAt(existing, '$addToSet', path);
      const result = [...array];
      for (const value of values) if (!includes(result, value)) result.push(value);
      return existing !== undefined && result.length === array.length ? existing : result;
    },
  };
};

/** Only a leading `$each` is a list here; anywhere else it is part of the value. */
function eachOf(argument: Value): Value[] {
  if (!isDoc(argument) || argument.keys().next().value !== '$each') return [argument];
  const values = argument.get('$each') as Value;
  if (!Array.isArray(values))
    throw typeMismatch(`The argument to $each in $addToSet must be an array but it was of type ${typeName(values)}`);
  const [, extra] = argument.keys();
  if (extra !== undefined) throw badValue(`Found unexpected fields after $each in $addToSet: ${extra}`);
  return values;
}

const removal = (removes: (value: Value) => boolean): ReturnType<LeafOperator> => ({
  needsPath: always,
  apply(existing) {
    if (existing === undefined) return undefined;
    if (!Array.isArray(existing)) throw badValue('Cannot apply $pull to a non-array value');
    const kept = existing.filter((value) => !removes(value));
    return kept.length === existing.length ? existing : kept;
  },
});

const pull: LeafOperator = (argument) => {
  if (isDoc(argument) && !isValueCondition(argument)) {
    const matches = compileFilter(argument);
    return removal((value) => isDoc(value) && matches(value));
  }
  if (isDoc(argument) || argument instanceof Regex) {
    const matches = compileFilter(new Map([['', argument]]));
    return removal((value) => matches(new Map([['', value]])));
  }
  return removal((value) => compare(value, argument) === 0);
};

/** Operators test the element itself; logical operators such as `$and` and `$not` form a filter on elements instead. */
const isValueCondition = (condition: Doc): boolean =>
  isOperatorDoc(condition) && !['$and', '$or', '$nor', '$not', '$expr'].includes(condition.keys().next().value ?? '');

const pullAll: LeafOperator = (argument) => {
  if (!Array.isArray(argument))
    throw badValue(`$pullAll requires an array argument but was given a ${typeName(argument)}`);
  return removal((value) => includes(argument, value));
};

const pop: LeafOperator = (argument, path) => {
  const end = isNumeric(argument) ? asInteger(argument) : undefined;
  if (end !== 1n && end !== -1n) throw failedToParse(`$pop expects 1 or -1, found: ${String(argument)}`);
  return {
    needsPath: always,
    apply(existing) {
      if (existing === undefined) return undefined;
      if (!Array.isArray(existing))
        throw typeMismatch(`Path '${path}' contains an element of non-array type '${typeName(existing)}'`);
      if (existing.length === 0) return existing;
      return end === 1n ? existing.slice(0, -1) : existing.slice(1);
    },
  };
};

/** The operators that change an array. */
export const arrayOperators: Readonly<Record<string, LeafOperator>> = {
  $push: push,
  $addToSet: addToSet,
  $pull: pull,
  $pullAll: pullAll,
  $pop: pop,
};
