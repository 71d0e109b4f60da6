import { blockOf, blockPath, itemPath, iterationOf, scopeOf, stepIdOf, turnPath } from '../../dsl';
import { type Json, type JsonObject, jsonSize } from '../../lib/json';
import { addUsd } from '../../lib/usd';
import type { Usage } from '../../nodes/contract';
import type { Entry, StepEntry } from './entry';
import {
  type Cleanup,
  type Closing,
  emptyState,
  type Notes,
  type OpenedStep,
  type RunState,
  type StepState,
} from './state';

/** Adds one entry to what is known. Total: an entry about a settled step changes nothing but the counts it carries. */
export function apply(state: RunState, entry: Entry): void {
  state.size += jsonSize(entry as unknown as Json);
  state.inherited &&= 'from' in entry && entry.from !== undefined;
  if (entry.kind === 'run.ended') state.ended = entry;
  else if (entry.kind === 'run.closing') close(state, entry);
  else if (entry.kind === 'loop.item') endItem(state, entry.path, entry.index, entry.last);
  else if (entry.kind === 'loop.turn') beginTurn(state, entry.path, entry.index);
  else if (entry.kind === 'step.noted') note(state, entry);
  else applyToStep(state, entry);
}

type Moving = Exclude<StepEntry, { kind: 'loop.item' | 'loop.turn' | 'step.noted' }>;

function applyToStep(state: RunState, entry: Moving): void {
  const { path } = entry;
  const before = state.steps.get(path);
  if (entry.kind === 'step.started' && entry.child !== undefined) state.children.set(entry.child, path);
  if ('mail' in entry && entry.mail !== undefined) {
    state.taken.add(entry.mail);
    if (before?.kind === 'waiting' && before.wait.kind === 'child') state.children.delete(before.wait.executionId);
  }
  const after = next(entry, before, state.undoables.length);
  state.steps.set(path, after);
  state.inside.add(path);
  if (isOpen(after)) state.open.add(path);
  else settle(state, path);
  follow(state, entry);
}

/** What an entry changes beside the step's own state: what others see of it, and what may have to be cleaned up. */
function follow(state: RunState, entry: Moving): void {
  const { path } = entry;
  switch (entry.kind) {
    case 'step.completed':
      outputsAt(state, path)[stepIdOf(path)] = entry.output;
      if (entry.from === undefined) state.stepsRun += 1;
      use(state, entry.usage);
      if (entry.response === true) state.response = entry.output;
      if (entry.undo === true && state.closing === null) {
        state.undoables.push({ path, output: entry.output });
        keepScopes(state, path);
      }
      return;
    case 'step.failed':
      if (entry.from === undefined && entry.retryAt === null) state.stepsRun += 1;
      use(state, entry.usage);
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

/** Nothing inside of a settled step is looked at again. */
function settle(state: RunState, path: string): void {
  state.open.delete(path);
  state.notes.delete(path);
  state.overdue.delete(path);
  state.loops.delete(path);
  state.inside.clear(path, (inner) => forget(state, inner));
}

function forget(state: RunState, path: string): void {
  state.steps.delete(path);
  state.open.delete(path);
  state.notes.delete(path);
  state.cursors.delete(path);
  state.loops.delete(path);
  if (state.items.get(path)?.kept === false) state.items.delete(path);
}

/** Outputs that a step at this path puts its own to. */
function outputsAt(state: RunState, path: string): JsonObject {
  const scope = scopeOf(path);
  if (scope === '') return state.outputs;
  const known = state.items.get(scope);
  if (known !== undefined) return known.outputs;
  const outputs = Object.create(null) as JsonObject;
  state.items.set(scope, { outputs, item: itemAt(state, scope), kept: false });
  return outputs;
}

/** The item of a foreach that a block works on. */
export function itemAt(state: RunState, block: string): Json {
  const known = state.items.get(block);
  if (known !== undefined) return known.item;
  const holder = state.steps.get(blockOf(block));
  if (holder?.kind !== 'opened' || holder.opening.kind !== 'foreach') return null;
  return holder.opening.items[iterationOf(block) ?? -1] ?? null;
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
  state.inside.drop(block, (inner) => forget(state, inner));
  forget(state, block);
}

function beginTurn(state: RunState, path: string, index: number): void {
  const step = state.steps.get(path);
  if (step?.kind !== 'opened') return;
  const before = turnPath(path, step.turn);
  step.turn = index;
  state.inside.drop(before, (inner) => forget(state, inner));
  forget(state, before);
}

function note(state: RunState, { path, key, value, usage }: Extract<Entry, { kind: 'step.noted' }>): void {
  const notes: Notes = state.notes.get(path) ?? new Map();
  notes.set(key, value === undefined ? null : { value });
  state.notes.set(path, notes);
  use(state, usage);
}

function use(state: RunState, usage: Usage | undefined): void {
  state.tokens += (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
  state.costUsd = addUsd(state.costUsd, usage?.cost_usd ?? 0);
}

/** Last come, first cleaned up. A `finally` that is under way goes on. */
function close(state: RunState, entry: Closing): void {
  const cleanup: Cleanup[] = [];
  const tries = openTries(state).map((path) => ({ path, before: (state.steps.get(path) as OpenedStep).undoables }));
  for (const [index, { path }] of state.undoables.entries()) {
    while (tries[0] !== undefined && tries[0].before <= index)
      cleanup.push({ key: 'finally', path: (tries.shift() as { path: string }).path });
    cleanup.push({ key: 'compensate', path });
  }
  cleanup.push(...tries.map(({ path }): Cleanup => ({ key: 'finally', path })));
  state.cleanup = cleanup.reverse();
  state.closing = entry;
}

/**
 * The steps `try` that have begun and have a `finally`, in the order in which they began. Those that stand in the
 * `finally` of another one are steps of that, and have their own turn there.
 */
export function openTries({ open, steps }: RunState): string[] {
  const tries: string[] = [];
  for (const path of open) {
    const step = steps.get(path);
    const finishes = step?.kind === 'opened' && step.opening.kind === 'try' && step.opening.finally === true;
    if (finishes && !tries.some((other) => path.startsWith(`${blockPath(other, 'finally')}/`))) tries.push(path);
  }
  return tries;
}

function next(entry: Moving, before: StepState | undefined, undoables: number): StepState {
  const failures = before !== undefined && 'failures' in before ? before.failures : 0;
  switch (entry.kind) {
    case 'step.started':
      return { kind: 'running', attempt: entry.attempt, failures, started: entry.at };
    case 'step.opened':
      return { kind: 'opened', since: entry.at, opening: entry.opening, undoables, results: new Map(), turn: -1 };
    case 'step.completed':
      return { kind: 'completed', output: entry.output };
    case 'step.failed':
      return entry.retryAt === null
        ? { kind: 'failed', error: entry.error, culprit: entry.culprit ?? entry.path, at: entry.at }
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

/** The state after a whole history. */
export function replay(entries: Iterable<Entry>): RunState {
  const state = emptyState();
  for (const entry of entries) apply(state, entry);
  return state;
}
