/**
 * Walks lists of steps: begins every step that is ready, and returns the status of each block. Owns: the order of
 * steps, and the handling of their failures. Does not own: the semantics of container steps, attempts.
 *
 * A walk is repeated after each event, from the outermost block, and changes nothing where nothing has become ready.
 * Its cost depends on the open steps only: cursors skip settled ones.
 */
import { blockPath, type PreparedBlock, type PreparedStep, stepPath, truthy } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import type { StepError } from '../../../nodes/contract';
import type { ContainerState, RunState, StepState } from '../state/state';
import { settleInside } from '../decide/cancel';
import { failureOf } from '../decide/failure';
import type { DecisionBuilder } from '../decide/decision-builder';
import { branch } from './branch';
import { evaluate } from './evaluate';
import { foreach } from './foreach';
import { parallel } from './parallel';
import { tryStep } from './try';
import {
  type Control,
  type ControlKind,
  DONE,
  type ControlStatus,
  type ContainerStep,
  OPEN,
  ownFailure,
  type BlockStatus,
} from './control';
import { whileLoop } from './while';

const CONTROLS: { readonly [Kind in ControlKind]: Control<Kind> } = {
  branch,
  parallel,
  foreach,
  while: whileLoop,
  try: tryStep,
};

/**
 * Continues a block. A failure is returned once nothing in the block is open any more; for the outermost block, at
 * once.
 */
export const walkBlock = (run: DecisionBuilder, block: PreparedBlock, path: string): BlockStatus =>
  block.sequential ? walkInOrder(run, block, path) : walkByNeeds(run, block, path);

/** The last step of a block, in the document's order, that has completed; null when none has. */
export function lastOf(state: RunState, block: PreparedBlock, path: string): { id: string; output: JsonObject } | null {
  for (const { def } of block.steps.toReversed()) {
    const known = state.steps.get(stepPath(path, def.id));
    if (known?.kind === 'completed') return { id: def.id, output: known.output };
  }
  return null;
}

/** How a block status by what is on record, before anything in it goes on. */
function blockStatus(state: RunState, { steps, sequential }: PreparedBlock, path: string): BlockStatus {
  let isDone = true;
  for (const { def, blocks } of steps.slice(state.cursors.get(path) ?? 0)) {
    const at = stepPath(path, def.id);
    const known = state.steps.get(at);
    const status = known === undefined ? OPEN : stepStatus(state, known, def.onError, blocks.get('on_error'), at);
    if (status.kind === 'failed' || (sequential && status.kind === 'open')) return status;
    isDone &&= status.kind === 'done';
  }
  return isDone ? DONE : OPEN;
}

function stepStatus(
  state: RunState,
  known: StepState,
  onError: PreparedStep['def']['onError'],
  handler: PreparedBlock | undefined,
  path: string,
): BlockStatus {
  if (known.kind !== 'failed') return known.kind === 'completed' || known.kind === 'skipped' ? DONE : OPEN;
  if (onError === 'continue') return DONE;
  return handler === undefined
    ? { kind: 'failed', failure: known }
    : blockStatus(state, handler, blockPath(path, 'on_error'));
}

function walkInOrder(run: DecisionBuilder, { steps }: PreparedBlock, path: string): BlockStatus {
  const { cursors } = run.state;
  for (let index = cursors.get(path) ?? 0; index < steps.length; index++) {
    const step = steps[index] as PreparedStep;
    const walked = walkStep(run, step, stepPath(path, step.def.id));
    if (walked.kind !== 'done') return walked;
    cursors.set(path, index + 1);
  }
  return DONE;
}

/** Begins steps as soon as the steps they need have settled; one that settles at once may release others. */
function walkByNeeds(run: DecisionBuilder, block: PreparedBlock, path: string): BlockStatus {
  const over = (): boolean => path === '' || settleInside(run, path, isOver(run));
  const failure = failureOf(run.state, block, path);
  if (failure !== null) return over() ? { kind: 'failed', failure } : OPEN;
  const seen = new Map<number, BlockStatus>();
  for (let before = -1; before < seen.size; ) {
    before = seen.size;
    for (const [index, step] of block.steps.entries()) {
      if (seen.has(index) || !block.needs[index]?.every((need) => seen.get(need)?.kind === 'done')) continue;
      const walked = walkStep(run, step, stepPath(path, step.def.id));
      if (walked.kind === 'failed') return over() ? walked : OPEN;
      seen.set(index, walked);
    }
  }
  return [...seen.values()].filter(({ kind }) => kind === 'done').length === block.steps.length ? DONE : OPEN;
}

const isOver =
  (run: DecisionBuilder) =>
  (block: PreparedBlock, path: string): boolean =>
    walkBlock(run, block, path).kind !== 'open';

function walkStep(run: DecisionBuilder, step: PreparedStep, path: string): BlockStatus {
  const known = run.state.steps.get(path);
  switch (known?.kind) {
    case undefined:
      return run.state.inFlight.has(path) ? OPEN : begin(run, step, path);
    case 'completed':
    case 'skipped':
      return DONE;
    case 'failed':
      return afterFailure(run, step, path, known);
    case 'opened':
      return walkContainer(run, step, path, known);
    default:
      return OPEN;
  }
}

/** Starts a step, or skips it. */
function begin(run: DecisionBuilder, step: PreparedStep, path: string): BlockStatus {
  const { condition, control } = step;
  const wanted = condition === null ? null : evaluate(run, condition, path, 'The condition of this step');
  if (wanted?.kind === 'later') return OPEN;
  if (wanted?.kind === 'refused') return refuse(run, step, path, wanted.error);
  if (control === null) run.state.evaluations.delete(path);
  if (wanted !== null && !truthy(wanted.value)) {
    run.emit({ kind: 'step.skipped', path, at: run.now });
    return DONE;
  }
  const { pin } = step.def;
  if (pin !== undefined && run.rules.context.usesPins === true) {
    run.complete({ path, attempt: 1, at: run.now, started: run.now, input: null }, pin, { instead: 'pin' });
    return DONE;
  }
  if (control === null) {
    run.launch(path, 1);
    return OPEN;
  }
  const { begin: beginControl } = controlOf(control.kind);
  const result = beginControl(run, control, path, step);
  if (result.kind === 'later') return OPEN;
  run.state.evaluations.delete(path);
  if (result.kind === 'refused') return refuse(run, step, path, result.error);
  run.emit({ kind: 'step.opened', path, at: run.now, opening: result.controlState });
  return walkStep(run, step, path);
}

/** A step that cannot even begin. */
function refuse(run: DecisionBuilder, step: PreparedStep, path: string, error: StepError): BlockStatus {
  run.fail({ path, attempt: 1, at: run.now, started: run.now, input: null }, error);
  return walkStep(run, step, path);
}

/** A failed step fails its block, unless `on_error` handles the failure. */
function afterFailure(
  run: DecisionBuilder,
  step: PreparedStep,
  path: string,
  failure: Extract<StepState, { kind: 'failed' }>,
): BlockStatus {
  const handler = step.blocks.get('on_error');
  if (step.def.onError === 'continue') return DONE;
  if (handler === undefined) return { kind: 'failed', failure };
  return walkBlock(run, handler, blockPath(path, 'on_error'));
}

function walkContainer(run: DecisionBuilder, step: PreparedStep, path: string, opened: ContainerState): BlockStatus {
  const container = containerOf(run, step, path, opened);
  const status = outOfTime(container) ?? controlOf(container.control.kind).walk(container);
  if (status.kind === 'open' || !settleInside(run, path, isOver(run))) return OPEN;
  const attempt = { path, attempt: 1, at: run.now, started: opened.since };
  if (status.kind === 'done') run.complete(attempt, status.output);
  else {
    const { failedStepPath, error } = status.failure;
    run.fail({ ...attempt, ...(failedStepPath === path ? {} : { culprit: failedStepPath }) }, error);
  }
  return walkStep(run, step, path);
}

function outOfTime({ run, path, step, opened }: ContainerStep<ControlKind>): ControlStatus | null {
  const { timeoutMs } = step.def;
  if (timeoutMs === null || opened.since + timeoutMs > run.now) return null;
  run.state.overdue.add(path);
  return ownFailure({ run, path }, 'timed_out', `The step took longer than its timeout of ${timeoutMs} ms`);
}

function containerOf(
  run: DecisionBuilder,
  step: PreparedStep,
  path: string,
  opened: ContainerState,
): ContainerStep<ControlKind> {
  const blockOf = (key: string): PreparedBlock => {
    const block = step.blocks.get(key);
    if (block === undefined) throw new Error(`The step at ${path} has no block ${key}`);
    return block;
  };
  if (step.control === null) throw new Error(`The step at ${path} holds no others`);
  return {
    run,
    path,
    step,
    control: step.control,
    opened,
    controlState: opened.controlState,
    walk: (key, at = blockPath(path, key)) => walkBlock(run, blockOf(key), at),
    statusOf: (key, at = blockPath(path, key)) => blockStatus(run.state, blockOf(key), at),
    last: (key, at = blockPath(path, key)) => lastOf(run.state, blockOf(key), at),
  };
}

/** The rules of a kind. The cast is safe, as the same rules made the control state that they read. */
const controlOf = (kind: ControlKind): Control<ControlKind> => CONTROLS[kind] as unknown as Control<ControlKind>;
