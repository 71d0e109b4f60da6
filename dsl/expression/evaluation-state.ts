import { tick } from '../../lib/compute/time-slice';
import type { Json } from '../../lib/json';
import type { EvaluationContext } from './evaluation-context';
import { AbsentError, ExpressionError } from './error';
import { MAX_OPERATIONS, MAX_RESULT } from './limits';
import { jsonSize } from './values';

/** The state of one evaluation: its remaining budget of operations, and the current expression. */
export interface EvaluationState {
  readonly env: EvaluationContext;
  source: string;
  /** In a lenient position a missing value is null; elsewhere it is an error. */
  lenient: boolean;
  operations: number;
}

export const newEvaluation = (env: EvaluationContext): EvaluationState => ({
  env,
  source: '',
  lenient: false,
  operations: MAX_OPERATIONS,
});

export const fail = (scope: EvaluationState, position: number, message: string): ExpressionError =>
  new ExpressionError(message, scope.source, position);

export const absent = (scope: EvaluationState, position: number, message: string): AbsentError =>
  new AbsentError(message, scope.source, position);

/** Spends operations of the budget; throws ExpressionError when it is used up. */
export function spend(scope: EvaluationState, operations: number, position = 0): void {
  tick(operations);
  scope.operations -= operations;
  if (scope.operations < 0) throw fail(scope, position, `more than ${MAX_OPERATIONS} operations`);
}

/** Checks the size of a value, and spends the cost of walking it. Scalars cost nothing. */
export function measured<T extends Json>(scope: EvaluationState, value: T, position = 0): T {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  const size = jsonSize(value, MAX_RESULT);
  if (size === Number.POSITIVE_INFINITY) {
    throw fail(scope, position, 'the value is larger than 1 MiB, or nested too deep');
  }
  spend(scope, size >> 5, position);
  return value;
}
