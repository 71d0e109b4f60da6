import { blockPath, DOCUMENT_ON_ERROR, type PreparedBlock, type PreparedPlan, stepIdOf, stepPath } from '../../../dsl';
import type { Json } from '../../../lib/json';
import type { StepError } from '../../../nodes/contract';
import type { RunError } from '../entries/entry';
import type { RunState } from '../state/state';
import { nearestBlock } from '../state/nearest-block';
import { findStep, stepAt } from '../state/step-at';

/** Why a block has failed: the path of the innermost step that failed, its error and its time. */
export interface Failure {
  readonly failedStepPath: string;
  readonly error: StepError;
  readonly at: number;
}

/** The first unhandled failure in a block, in the order of the block; null when there is none. */
export function failureOf(state: RunState, block: PreparedBlock, path: string): Failure | null {
  for (const step of block.steps) {
    const at = stepPath(path, step.def.id);
    const known = state.steps.get(at);
    if (known?.kind !== 'failed' || step.def.onError === 'continue') continue;
    if (step.def.onError === 'fail') return known;
    const handler = step.blocks.get('on_error');
    const failure = handler === undefined ? null : failureOf(state, handler, blockPath(at, 'on_error'));
    if (failure !== null) return failure;
  }
  return null;
}

/** A failure as the run's own error. */
export const runError = ({ failedStepPath, error }: Failure): RunError => ({
  ...error,
  step_id: stepIdOf(failedStepPath),
});

/** The value of `error` in expressions of handlers and their nested steps; undefined elsewhere. */
export function errorAt(plan: PreparedPlan, state: RunState, path: string): Json | undefined {
  const handler = nearestBlock(path, HANDLERS);
  if (handler === null) return undefined;
  const { key, step: holder } = handler;
  if (key === DOCUMENT_ON_ERROR || key === 'compensate') return closingError(plan, state);
  if (key === 'on_error') {
    const known = state.steps.get(holder);
    return known?.kind === 'failed' ? failureJson(plan, known) : null;
  }
  const blocks = stepAt(plan, holder).blocks;
  const inBlock = (name: string): Failure | null => {
    const block = blocks.get(name);
    return block === undefined ? null : failureOf(state, block, blockPath(holder, name));
  };
  const failure = (key === 'finally' ? inBlock('catch') : null) ?? inBlock('steps');
  return failure === null ? closingError(plan, state) : failureJson(plan, failure);
}

/** Keys of the blocks in which there is an `error`. */
export const HANDLERS: readonly string[] = [DOCUMENT_ON_ERROR, 'catch', 'finally', 'on_error', 'compensate'];

/** A failure as the JSON of `error`. */
export const failureJson = (plan: PreparedPlan, { failedStepPath, error }: Failure): Json => ({
  step_id: stepIdOf(failedStepPath),
  type: findStep(plan, failedStepPath)?.def.type ?? null,
  code: error.code,
  message: error.message,
});

/** The error of a closing run; null when no step failed. */
function closingError({ byPath }: PreparedPlan, { closing }: RunState): Json {
  const error = closing?.error ?? null;
  if (error === null) return null;
  const { step_id, code, message } = error;
  const type = [...byPath.values()].find(({ def }) => def.id === step_id)?.def.type ?? null;
  return { step_id, type, code, message };
}
