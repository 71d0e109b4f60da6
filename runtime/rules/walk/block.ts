/**
 * Walks lists of steps: begins what can begin, and says how they stand. Owns: the order of steps, what becomes of their
 * failures. Does not own: what the kinds of control steps mean, attempts.
 *
 * A walk is repeated after each event, from the outermost block, and changes nothing where nothing has become ready. It
 * costs as much as there is under way: cursors skip what is behind.
 */
import { blockPath, type PreparedBlock, type PreparedStep, stepPath, truthy } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import type { StepError } from '../../../nodes/contract';
import type { OpenedStep, RunState, StepState } from '../../record/state';
import { clear } from '../cancel';
import { failureOf } from '../failure';
import type { Turn } from '../turn';
import { branch } from './branch';
import { evaluate } from './evaluate';
import { foreach } from './foreach';
import { parallel } from './parallel';
import { tryStep } from './try';
import { type Control, type ControlKind, DONE, type Held, type Holder, OPEN, ownFailure, type Walked } from './walked';
import { whileLoop } from './while';

const CONTROLS: { readonly [Kind in ControlKind]: Control<Kind> } = {
  branch,
  parallel,
  foreach,
  while: whileLoop,
  try: tryStep,
};

/** Goes on with a block. Its failure is told when nothing in it is under way any more, but for the outermost one. */
export const walkBlock = (run: Turn, block: PreparedBlock, path: string): Walked =>
  block.sequential ? walkInOrder(run, block, path) : walkByNeeds(run, block, path);

/** The last step of a block, in the document's order, that has completed; null when none has. */
export function lastOf(state: RunState, block: PreparedBlock, path: string): { id: string; output: JsonObject } | null {
  for (const { def } of block.steps.toReversed()) {
    const known = state.steps.get(stepPath(path, def.id));
    if (known?.kind === 'completed') return { id: def.id, output: known.output };
  }
  return null;
}

/** How a block stands by what is on record, before anything in it goes on. */
function standing(state: RunState, { steps, sequential }: PreparedBlock, path: string): Walked {
  let isDone = true;
  for (const { def, blocks } of steps.slice(state.cursors.get(path) ?? 0)) {
    const at = stepPath(path, def.id);
    const known = state.steps.get(at);
    const stands = known === undefined ? OPEN : standingOfStep(state, known, def.onError, blocks.get('on_error'), at);
    if (stands.kind === 'failed' || (sequential && stands.kind === 'open')) return stands;
    isDone &&= stands.kind === 'done';
  }
  return isDone ? DONE : OPEN;
}

function standingOfStep(
  state: RunState,
  known: StepState,
  onError: PreparedStep['def']['onError'],
  handler: PreparedBlock | undefined,
  path: string,
): Walked {
  if (known.kind !== 'failed') return known.kind === 'completed' || known.kind === 'skipped' ? DONE : OPEN;
  if (onError === 'continue') return DONE;
  return handler === undefined
    ? { kind: 'failed', failure: known }
    : standing(state, handler, blockPath(path, 'on_error'));
}

function walkInOrder(run: Turn, { steps }: PreparedBlock, path: string): Walked {
  const { cursors } = run.state;
  for (let index = cursors.get(path) ?? 0; index < steps.length; index++) {
    const step = steps[index] as PreparedStep;
    const walked = walkStep(run, step, stepPath(path, step.def.id));
    if (walked.kind !== 'done') return walked;
    cursors.set(path, index + 1);
  }
  return DONE;
}

/** Steps begin as soon as those that they need are behind; one that settles at once may set others free. */
function walkByNeeds(run: Turn, block: PreparedBlock, path: string): Walked {
  const over = (): boolean => path === '' || clear(run, path, isOver(run));
  const failure = failureOf(run.state, block, path);
  if (failure !== null) return over() ? { kind: 'failed', failure } : OPEN;
  const seen = new Map<number, Walked>();
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
  (run: Turn) =>
  (block: PreparedBlock, path: string): boolean =>
    walkBlock(run, block, path).kind !== 'open';

function walkStep(run: Turn, step: PreparedStep, path: string): Walked {
  const known = run.state.steps.get(path);
  switch (known?.kind) {
    case undefined:
      return run.state.flights.has(path) ? OPEN : begin(run, step, path);
    case 'completed':
    case 'skipped':
      return DONE;
    case 'failed':
      return afterFailure(run, step, path, known);
    case 'opened':
      return walkHolder(run, step, path, known);
    default:
      return OPEN;
  }
}

/** Starts a step, or skips it. */
function begin(run: Turn, step: PreparedStep, path: string): Walked {
  const { condition, control } = step;
  const wanted = condition === null ? null : evaluate(run, condition, path, 'The condition of this step');
  if (wanted?.kind === 'refused') return refuse(run, step, path, wanted.error);
  if (wanted !== null && !truthy(wanted.value)) {
    run.emit({ kind: 'step.skipped', path, at: run.now });
    return DONE;
  }
  const { pin } = step.def;
  if (pin !== undefined && run.rules.facts.pins === true) {
    run.complete({ path, attempt: 1, at: run.now, started: run.now, input: null }, pin, { instead: 'pin' });
    return DONE;
  }
  if (control === null) {
    run.launch(path, 1);
    return OPEN;
  }
  const { begin: beginControl } = controlOf(control.kind);
  const begun = beginControl(run, control, path, step);
  if (begun.kind === 'refused') return refuse(run, step, path, begun.error);
  run.emit({ kind: 'step.opened', path, at: run.now, opening: begun.opening });
  return walkStep(run, step, path);
}

/** A step that cannot even begin. */
function refuse(run: Turn, step: PreparedStep, path: string, error: StepError): Walked {
  run.fail({ path, attempt: 1, at: run.now, started: run.now, input: null }, error);
  return walkStep(run, step, path);
}

/** A failed step fails its block, unless it says otherwise. */
function afterFailure(
  run: Turn,
  step: PreparedStep,
  path: string,
  failure: Extract<StepState, { kind: 'failed' }>,
): Walked {
  const handler = step.blocks.get('on_error');
  if (step.def.onError === 'continue') return DONE;
  if (handler === undefined) return { kind: 'failed', failure };
  return walkBlock(run, handler, blockPath(path, 'on_error'));
}

function walkHolder(run: Turn, step: PreparedStep, path: string, opened: OpenedStep): Walked {
  const holder = holderOf(run, step, path, opened);
  const held = outOfTime(holder) ?? controlOf(holder.control.kind).walk(holder);
  if (held.kind === 'open' || !clear(run, path, isOver(run))) return OPEN;
  const attempt = { path, attempt: 1, at: run.now, started: opened.since };
  if (held.kind === 'done') run.complete(attempt, held.output);
  else {
    const { culprit, error } = held.failure;
    run.fail({ ...attempt, ...(culprit === path ? {} : { culprit }) }, error);
  }
  return walkStep(run, step, path);
}

function outOfTime({ run, path, step, opened }: Holder<ControlKind>): Held | null {
  const { timeoutMs } = step.def;
  if (timeoutMs === null || opened.since + timeoutMs > run.now) return null;
  run.state.overdue.add(path);
  return ownFailure({ run, path }, 'timed_out', `The step took longer than its timeout of ${timeoutMs} ms`);
}

function holderOf(run: Turn, step: PreparedStep, path: string, opened: OpenedStep): Holder<ControlKind> {
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
    opening: opened.opening,
    walk: (key, at = blockPath(path, key)) => walkBlock(run, blockOf(key), at),
    standing: (key, at = blockPath(path, key)) => standing(run.state, blockOf(key), at),
    last: (key, at = blockPath(path, key)) => lastOf(run.state, blockOf(key), at),
  };
}

/** The rules of a kind. The cast holds because a step's opening is made by the same rules that read it. */
const controlOf = (kind: ControlKind): Control<ControlKind> => CONTROLS[kind] as unknown as Control<ControlKind>;
