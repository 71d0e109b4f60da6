import type { Json } from '../../lib/json';
import type { Env } from './env';
import { AbsentError, ExpressionError } from './error';
import { MAX_OPERATIONS, MAX_RESULT } from './limits';
import { jsonSize } from './values';

/** The state of one rendering: what is left of its operations, and the expression that is being evaluated. */
export interface Scope {
  readonly env: Env;
  source: string;
  /** In a lenient place what is missing or null spreads as null; elsewhere it is an error. */
  lenient: boolean;
  operations: number;
}

export const newScope = (env: Env): Scope => ({ env, source: '', lenient: false, operations: MAX_OPERATIONS });

export const fail = (scope: Scope, position: number, message: string): ExpressionError =>
  new ExpressionError(message, scope.source, position);

export const absent = (scope: Scope, position: number, message: string): AbsentError =>
  new AbsentError(message, scope.source, position);

/** Takes operations from the budget; throws ExpressionError when it is used up. */
export function spend(scope: Scope, operations: number, position = 0): void {
  scope.operations -= operations;
  if (scope.operations < 0) throw fail(scope, position, `more than ${MAX_OPERATIONS} operations`);
}

/** Checks that a value is small enough to walk, and pays for the walk. Scalars cost nothing. */
export function measured<T extends Json>(scope: Scope, value: T, position = 0): T {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  const size = jsonSize(value, MAX_RESULT);
  if (size === Number.POSITIVE_INFINITY) {
    throw fail(scope, position, 'the value is larger than 1 MiB, or nested too deep');
  }
  spend(scope, size >> 5, position);
  return value;
}
