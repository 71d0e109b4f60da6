import { add, multiply } from '../bson/arithmetic';
import { compare } from '../bson/compare';
import { badValue, typeMismatch } from '../bson/error';
import { identical } from '../bson/identical';
import { isNumeric, type Numeric, numericType } from '../bson/numeric';
import { typeName } from '../bson/types';
import { isDoc, type Maybe, type Value } from '../bson/value';
import { always, type LeafOperator, never } from './leaf';

const put = (existing: Maybe, value: Value): Value =>
  existing !== undefined && identical(existing, value) ? existing : value;

const set: LeafOperator = (argument) => ({ apply: (existing) => put(existing, argument), needsPath: always });

const setOnInsert: LeafOperator = (argument) => ({
  apply: (existing, context) => (context.isInsert ? put(existing, argument) : existing),
  needsPath: (context) => context.isInsert,
});

const unset: LeafOperator = () => ({ apply: () => undefined, needsPath: never });

/** `$inc` and `$mul`: the argument's type determines the result for a missing field. */
const arithmetic =
  (
    verb: string,
    onMissing: (argument: Numeric) => Value,
    apply: (a: Numeric, b: Numeric) => Numeric | undefined,
  ): LeafOperator =>
  (argument, path) => {
    if (!isNumeric(argument)) throw typeMismatch(`Cannot ${verb} with non-numeric argument: {${path}}`);
    return {
      needsPath: always,
      apply(existing) {
        if (existing === undefined) return onMissing(argument);
        if (!isNumeric(existing)) {
          throw typeMismatch(
            `Cannot apply arithmetic to a value of non-numeric type. The field '${path}' is of type ${typeName(existing)}`,
          );
        }
        const result = apply(existing, argument);
        if (result === undefined) throw badValue(`Failed to ${verb} the current value of '${path}': int64 overflow`);
        return put(existing, result);
      },
    };
  };

const extreme =
  (sign: 1 | -1): LeafOperator =>
  (argument) => ({
    needsPath: always,
    apply: (existing) => (existing === undefined || compare(argument, existing) * sign > 0 ? argument : existing),
  });

const currentDate: LeafOperator = (argument) => {
  const wanted = isDoc(argument) && argument.size === 1 ? argument.get('$type') : argument;
  if (wanted !== 'timestamp' && wanted !== 'date' && (typeof wanted !== 'boolean' || isDoc(argument))) {
    throw badValue(
      `${typeName(argument)} is not valid type for $currentDate. Please use a boolean ('true') or {$type: 'timestamp' or 'date'}`,
    );
  }
  return { apply: (_, context) => (wanted === 'timestamp' ? context.clusterTime : context.now), needsPath: always };
};

const BITWISE: Record<string, (a: bigint, b: bigint) => bigint> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

const bit: LeafOperator = (argument, path) => {
  if (!isDoc(argument)) throw badValue('The $bit modifier takes an embedded document: {$bit: {field: {and/or/xor: #}}');
  if (argument.size === 0) throw badValue('$bit needs at least one bitwise operation');
  const steps = [...argument].map(([name, operand]) => {
    if (!Object.hasOwn(BITWISE, name))
      throw badValue(`The $bit modifier only supports 'and', 'or', and 'xor', not '${name}'`);
    if (!isInteger(operand))
      throw badValue(
        `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(operand)}' is not supported here`,
      );
    return { operand, apply: BITWISE[name] as (a: bigint, b: bigint) => bigint };
  });
  return {
    needsPath: always,
    apply(existing) {
      const start = existing === undefined ? 0 : existing;
      if (!isInteger(start))
        throw badValue(`Cannot apply $bit to a value of non-integral type: '${path}' is of type ${typeName(start)}`);
      let result = BigInt(start);
      let long = typeof start === 'bigint';
      for (const { operand, apply } of steps) {
        result = apply(result, BigInt(operand));
        long ||= typeof operand === 'bigint';
      }
      return put(existing, long ? result : Number(result));
    },
  };
};

const isInteger = (value: Value): value is number | bigint =>
  typeof value === 'bigint' || (typeof value === 'number' && numericType(value) === 'int');

/** Operators that change one field. */
export const fieldOperators: Readonly<Record<string, LeafOperator>> = {
  $set: set,
  $setOnInsert: setOnInsert,
  $unset: unset,
  $inc: arithmetic(
    'increment',
    (argument) => argument,
    (a, b) => add(a, b, 'refuse'),
  ),
  $mul: arithmetic(
    'multiply',
    (argument) => multiply(argument, 0),
    (a, b) => multiply(a, b, 'refuse'),
  ),
  $min: extreme(-1),
  $max: extreme(1),
  $currentDate: currentDate,
  $bit: bit,
};
