import { blockOf, blockPath, itemPath, iterationOf, scopeOf, stepIdOf, iterationPath } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import { sizeOfJson } from '../../../lib/json/prepared';
import { addUsd } from '../../../lib/usd';
import type { Usage } from '../../../nodes/contract';
import type { Entry, StepEntry } from '../entries/entry';
import {
  type Cleanup,
  type ClosingEntry,
  emptyState,
  type Checkpoints,
  type ContainerState,
  type RunState,
  type StepState,
} from './state';

/** Folds one entry into the state. Total: an entry about a settled step changes only counts. */
export function apply(state: RunState, entry: Entry): void {
  state.size += sizeOf(entry);
  if ('at' in entry) state.latestAt = Math.max(state.latestAt, entry.at);
  state.onlyReused &&= 'from' in entry && entry.from !== undefined;
  if (entry.kind === 'run.ended') state.ended = entry;
  else if (entry.kind === 'run.closing') close(state, entry);
  else if (entry.kind === 'run.paused') state.paused = entry;
  else if (entry.kind === 'run.resumed') state.paused = null;
  else if (entry.kind === 'loop.item') endItem(state, entry.path, entry.index, entry.last);
  else if (entry.kind === 'loop.turn') beginIteration(state, entry.path, entry.index);
  else if (entry.kind === 'step.noted') addCheckpoint(state, entry);
  else applyToStep(state, entry);
}

/** Approximate size of an entry in characters. */
function sizeOf(entry: Entry): number {
  let size = 2;
  const members = entry as unknown as JsonObject;
  for (const key in members) size += key.length + 4 + sizeOfJson(members[key] as Json);
  return size;
}

type StepTransition = Exclude<StepEntry, { kind: 'loop.item' | 'loop.turn' | 'step.noted' }>;

function applyToStep(state: RunState, entry: StepTransition): void {
  const { path } = entry;
  const before = state.steps.get(path);
  if (entry.kind === 'step.started' && entry.child !== undefined) state.children.set(entry.child, path);
  if ('mail' in entry && entry.mail !== undefined) {
    state.consumedMessageIds.add(entry.mail);
    if (before?.kind === 'waiting' && before.wait.kind === 'child') state.children.delete(before.wait.executionId);
  }
  const after = next(entry, before, state.undoables.length);
  state.turns.delete(path);
  state.steps.set(path, after);
  state.tree.add(path);
  if (isOpen(after)) state.open.add(path);
  else settle(state, path);
  applySideEffects(state, entry);
}

/** Side effects of an entry: outputs that other steps see, and pending compensations. */
function applySideEffects(state: RunState, entry: StepTransition): void {
  const { path } = entry;
  switch (entry.kind) {
    case 'step.completed':
      outputsAt(state, path)[stepIdOf(path)] = entry.output;
      if (entry.from === undefined) state.stepsRun += 1;
      addUsage(state, entry.usage);
      if (entry.response === true) state.response = entry.output;
      if (entry.undo === true && state.closing === null) {
        state.undoables.push({ path, output: entry.output });
        keepScopes(state, path);
      }
      return;
    case 'step.failed':
      if (entry.from === undefined && entry.retryAt === null) state.stepsRun += 1;
      addUsage(state, entry.usage);
      if (entry.retryAt === null) outputsAt(state, path)[stepIdOf(path)] = { error: { ...entry.error } };
      return;
    case 'step.skipped':
      delete outputsAt(state, path)[stepIdOf(path)];
      return;
    default:
      return;
  }
}

const isOpen = (step: StepState): boolean => 'failures' in step || step.kind === 'opened';

/** Forgets everything inside a settled step. */
function settle(state: RunState, path: string): void {
  state.open.delete(path);
  state.checkpoints.delete(path);
  state.overdue.delete(path);
  state.loops.delete(path);
  state.tree.removeInside(path, (inner) => forget(state, inner));
}

function forget(state: RunState, path: string): void {
  state.steps.delete(path);
  state.open.delete(path);
  state.checkpoints.delete(path);
  state.cursors.delete(path);
  state.loops.delete(path);
  if (state.items.get(path)?.kept === false) state.items.delete(path);
}

/** The outputs object that a step at this path writes to. */
function outputsAt(state: RunState, path: string): JsonObject {
  const scope = scopeOf(path);
  if (scope === '') return state.outputs;
  const known = state.items.get(scope);
  if (known !== undefined) return known.outputs;
  const outputs = Object.create(null) as JsonObject;
  state.items.set(scope, { outputs, item: itemAt(state, scope), kept: false });
  return outputs;
}

/** The foreach item of a block. */
export function itemAt(state: RunState, block: string): Json {
  const known = state.items.get(block);
  if (known !== undefined) return known.item;
  const holder = state.steps.get(blockOf(block));
  if (holder?.kind !== 'opened' || holder.controlState.kind !== 'foreach') return null;
  return holder.controlState.items[iterationOf(block) ?? -1] ?? null;
}

function keepScopes(state: RunState, path: string): void {
  for (let scope = scopeOf(path); scope !== ''; scope = scopeOf(blockOf(scope))) {
    outputsAt(state, scope);
    const item = state.items.get(scope);
    if (item !== undefined) item.kept = true;
  }
}

function endItem(state: RunState, path: string, index: number, last: string | null): void {
  const step = state.steps.get(path);
  if (step?.kind !== 'opened') return;
  const block = itemPath(path, index);
  const outputs = state.items.get(block)?.outputs;
  step.results.set(index, last === null ? null : (outputs?.[last] ?? null));
  state.tree.remove(block, (inner) => forget(state, inner));
  forget(state, block);
}

function beginIteration(state: RunState, path: string, index: number): void {
  const step = state.steps.get(path);
  if (step?.kind !== 'opened') return;
  const before = iterationPath(path, step.iteration);
  step.iteration = index;
  state.tree.remove(before, (inner) => forget(state, inner));
  forget(state, before);
}

function addCheckpoint(state: RunState, { path, key, value, usage }: Extract<Entry, { kind: 'step.noted' }>): void {
  const notes: Checkpoints = state.checkpoints.get(path) ?? new Map();
  notes.set(key, value === undefined ? null : { value });
  state.checkpoints.set(path, notes);
  addUsage(state, usage);
}

function addUsage(state: RunState, usage: Usage | undefined): void {
  state.tokens += (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
  state.costUsd = addUsd(state.costUsd, usage?.cost_usd ?? 0);
}

/** Plans the cleanup in reverse order. A `finally` that is running continues. */
function close(state: RunState, entry: ClosingEntry): void {
  const cleanup: Cleanup[] = [];
  const tries = openTries(state).map((path) => ({ path, before: (state.steps.get(path) as ContainerState).undoables }));
  for (const [index, { path }] of state.undoables.entries()) {
    while (tries[0] !== undefined && tries[0].before <= index)
      cleanup.push({ key: 'finally', path: (tries.shift() as { path: string }).path });
    cleanup.push({ key: 'compensate', path });
  }
  cleanup.push(...tries.map(({ path }): Cleanup => ({ key: 'finally', path })));
  state.cleanup = cleanup.reverse();
  state.closing = entry;
  state.paused = null;
}

/**
 * Open `try` steps with a `finally`, in the order in which they began. Those inside the `finally` of another one are
 * left out; they belong to it.
 */
export function openTries({ open, steps }: RunState): string[] {
  const tries: string[] = [];
  for (const path of open) {
    const step = steps.get(path);
    const finishes = step?.kind === 'opened' && step.controlState.kind === 'try' && step.controlState.finally === true;
    if (finishes && !tries.some((other) => path.startsWith(`${blockPath(other, 'finally')}/`))) tries.push(path);
  }
  return tries;
}

function next(entry: StepTransition, before: StepState | undefined, undoables: number): StepState {
  const failures = before !== undefined && 'failures' in before ? before.failures : 0;
  switch (entry.kind) {
    case 'step.started':
      return { kind: 'running', attempt: entry.attempt, failures, started: entry.at };
    case 'step.opened':
      return {
        kind: 'opened',
        since: entry.at,
        controlState: entry.opening,
        undoables,
        results: new Map(),
        iteration: -1,
      };
    case 'step.completed':
      return { kind: 'completed', output: entry.output };
    case 'step.failed':
      return entry.retryAt === null
        ? { kind: 'failed', error: entry.error, failedStepPath: entry.culprit ?? entry.path, at: entry.at }
        : {
            kind: 'retrying',
            attempt: entry.attempt,
            failures: failures + 1,
            since: entry.at,
            retryAt: entry.retryAt,
            error: entry.error,
          };
    case 'step.waiting':
      return {
        kind: 'waiting',
        attempt: entry.attempt,
        failures,
        since: entry.at,
        wait: entry.wait,
        rerun: entry.rerun === true,
        ...(entry.note === undefined ? {} : { note: entry.note }),
      };
    case 'step.resumed':
      return { kind: 'resumed', attempt: before !== undefined && 'attempt' in before ? before.attempt : 0, failures };
    case 'step.skipped':
      return { kind: 'skipped' };
    case 'step.cancelled':
      return { kind: 'cancelled' };
  }
}

/** The state after a history. */
export function replay(entries: Iterable<Entry>): RunState {
  const state = emptyState();
  for (const entry of entries) apply(state, entry);
  return state;
}
