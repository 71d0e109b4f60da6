import { type Json, type JsonObject, jsonSize } from '../../lib/json';
import type { StepError } from '../../nodes/contract';
import type { Entry, Wait } from './entry';

/** Where one step stands. `failures` counts failed attempts; an interrupted attempt is none. */
export type StepState =
  | { kind: 'running'; attempt: number; failures: number; started: number }
  | { kind: 'waiting'; attempt: number; failures: number; since: number; wait: Wait; rerun: boolean }
  | { kind: 'retrying'; attempt: number; failures: number; since: number; retryAt: number; error: StepError }
  | { kind: 'resumed'; attempt: number; failures: number }
  | { kind: 'completed'; output: JsonObject }
  | { kind: 'failed'; error: StepError }
  | { kind: 'skipped' }
  | { kind: 'cancelled' };

/** A message to a run: a signal, a decision, a cancellation. Durable before the sender is answered. */
export interface Mail {
  readonly id: string;
  readonly name: string;
  readonly data: JsonObject;
  readonly by: string | null;
  readonly at: number;
}

/** Name of the message that cancels a run. No user may send it: signal names of users never begin with `$`. */
export const CANCEL = '$cancel';

/** Messages are taken in the order in which they were sent, in whichever order they came to be known. */
export const bySending = (a: Mail, b: Mail): number => a.at - b.at || (a.id < b.id ? -1 : 1);

/**
 * What is known of a run: a fold over its entries, and nothing else, except for the volatile part, which a new owner
 * begins empty: `flights` are attempts in progress on this host, `mail` is what has arrived and no entry has taken.
 */
export interface RunState {
  readonly steps: Map<string, StepState>;
  /** Paths of the steps that have begun and not settled: few, however long the run. */
  readonly open: Set<string>;
  /** Outputs by step id, for expressions. No prototype: ids come from users. */
  readonly outputs: JsonObject;
  /** How many outermost steps are behind: those before it need never be looked at again. */
  cursor: number;
  /** Ids of mail that an entry has taken. */
  readonly taken: Set<string>;
  /** Ids of the runs that steps have started, or were about to, to wait for their ends, and have not seen them. */
  readonly children: Set<string>;
  lastOutput: JsonObject | null;
  /** About how many characters the history has: it is held in memory, and read again as a whole by every look at it. */
  size: number;
  /** Sums over all steps. */
  tokens: number;
  costUsd: number;
  ended: Extract<Entry, { kind: 'run.ended' }> | null;
  readonly flights: Set<string>;
  readonly mail: Mail[];
}

export const emptyState = (): RunState => ({
  steps: new Map(),
  open: new Set(),
  outputs: Object.create(null) as JsonObject,
  cursor: 0,
  taken: new Set(),
  children: new Set(),
  lastOutput: null,
  size: 0,
  tokens: 0,
  costUsd: 0,
  ended: null,
  flights: new Set(),
  mail: [],
});

/** The id of the step at a path: its last part. */
export const stepIdOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Adds one entry to what is known. Total: an entry about a settled step changes nothing but the counts it carries. */
export function apply(state: RunState, entry: Entry): void {
  state.size += jsonSize(entry as unknown as Json);
  if (entry.kind === 'run.ended') {
    state.ended = entry;
    return;
  }
  if ('mail' in entry && entry.mail !== undefined) state.taken.add(entry.mail);
  const before = state.steps.get(entry.path);
  if (entry.kind === 'step.started' && entry.child !== undefined) state.children.add(entry.child);
  if ('mail' in entry && before?.kind === 'waiting' && before.wait.kind === 'child')
    state.children.delete(before.wait.executionId);
  const after = next(entry, before);
  state.steps.set(entry.path, after);
  if (isOpen(after)) state.open.add(entry.path);
  else state.open.delete(entry.path);
  if (entry.kind === 'step.completed') {
    state.outputs[stepIdOf(entry.path)] = entry.output;
    state.lastOutput = entry.output;
    state.tokens += (entry.usage?.input_tokens ?? 0) + (entry.usage?.output_tokens ?? 0);
    state.costUsd += entry.usage?.cost_usd ?? 0;
  }
  if (entry.kind === 'step.failed' && entry.retryAt === null) {
    state.outputs[stepIdOf(entry.path)] = { error: { ...entry.error } };
  }
}

const isOpen = (step: StepState): boolean => 'failures' in step;

function next(entry: Exclude<Entry, { kind: 'run.ended' }>, before: StepState | undefined): StepState {
  const failures = before !== undefined && 'failures' in before ? before.failures : 0;
  switch (entry.kind) {
    case 'step.started':
      return { kind: 'running', attempt: entry.attempt, failures, started: entry.at };
    case 'step.completed':
      return { kind: 'completed', output: entry.output };
    case 'step.failed':
      return entry.retryAt === null
        ? { kind: 'failed', error: entry.error }
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
