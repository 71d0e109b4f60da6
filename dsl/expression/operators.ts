import type { Json } from '../../lib/json';
import { includesText } from '../../lib/text-search';
import type { BinaryOperator } from './ast';
import { absent, fail, measured, type EvaluationState } from './evaluation-state';
import { equal, getOwn, kindOf, toText } from './values';

/** Operators whose right side is evaluated only when it is needed; the evaluator has them. */
type LazyOperator = '??' | '||' | '&&';

type Operation = (left: Json, right: Json, scope: EvaluationState, position: number) => Json;

const arithmetic =
  (operator: string, compute: (left: number, right: number) => number): Operation =>
  (left, right, scope, position) => {
    if (typeof left === 'number' && typeof right === 'number')
      return finiteNumber(compute(left, right), scope, position);
    if (left === null || right === null) {
      if (scope.lenient) return null;
      throw absent(scope, position, `${operator} needs numbers, not null`);
    }
    throw fail(scope, position, `${operator} needs numbers, not ${kindOf(left)} and ${kindOf(right)}`);
  };

/** JSON has neither infinities nor a negative zero: an overflow and a division by zero are errors. */
export function finiteNumber(value: number, scope: EvaluationState, position: number): number {
  if (Number.isFinite(value)) return value === 0 ? 0 : value;
  throw fail(scope, position, 'the result is not a finite number');
}

const addNumbers = arithmetic('+', (left, right) => left + right);

const add: Operation = (left, right, scope, position) => {
  if (typeof left !== 'string' && typeof right !== 'string') return addNumbers(left, right, scope, position);
  if (scope.lenient && (left === null || right === null)) return null;
  return measured(scope, toText(measured(scope, left, position)) + toText(measured(scope, right, position)), position);
};

const comparison =
  (operator: string, holds: (order: number) => boolean): Operation =>
  (left, right, scope, position) => {
    if (left === null || right === null) return false;
    if (
      (typeof left === 'number' && typeof right === 'number') ||
      (typeof left === 'string' && typeof right === 'string')
    ) {
      return holds(left < right ? -1 : left > right ? 1 : 0);
    }
    throw fail(
      scope,
      position,
      `${operator} compares two numbers or two strings, not ${kindOf(left)} and ${kindOf(right)}`,
    );
  };

const same: Operation = (left, right, scope, position) =>
  equal(measured(scope, left, position), measured(scope, right, position));

/** Whether `item` is an item of a list, a key of an object, or part of a text. */
export const isIn: Operation = (item, holder, scope, position) => {
  if (holder === null) return false;
  measured(scope, holder, position);
  if (Array.isArray(holder)) return holder.some((each) => equal(each, item));
  if (item === null) return false;
  if (typeof item === 'string' && typeof holder === 'string') return includesText(holder, item);
  if (typeof item === 'string' && typeof holder === 'object') return getOwn(holder, item) !== undefined;
  throw fail(
    scope,
    position,
    `looks in an array, for a key of an object, or for a string in a string, not for ${kindOf(item)} in ${kindOf(holder)}`,
  );
};

/** What each operator does with two values. A missing row does not compile. */
export const OPERATIONS: Readonly<Record<Exclude<BinaryOperator, LazyOperator>, Operation>> = {
  '==': same,
  '!=': (left, right, scope, position) => !same(left, right, scope, position),
  '<': comparison('<', (order) => order < 0),
  '<=': comparison('<=', (order) => order <= 0),
  '>': comparison('>', (order) => order > 0),
  '>=': comparison('>=', (order) => order >= 0),
  in: isIn,
  '+': add,
  '-': arithmetic('-', (left, right) => left - right),
  '*': arithmetic('*', (left, right) => left * right),
  '/': arithmetic('/', (left, right) => left / right),
  '%': arithmetic('%', (left, right) => left % right),
};

/** Unary minus. */
export function negate(value: Json, scope: EvaluationState, position: number): Json {
  if (typeof value === 'number') return value === 0 ? 0 : -value;
  if (value !== null) throw fail(scope, position, `- needs a number, not ${kindOf(value)}`);
  if (scope.lenient) return null;
  throw absent(scope, position, '- needs a number, not null');
}
