import { connectionWaitAt } from '../state/connection-wait';
import type { Wait } from '../entries/entry';
import type { RunState } from '../state/state';
import type { RunContext } from '../state/run-context';
import { stepAt } from '../state/step-at';

/** Time limit of the cleanup; what is left then is cancelled. */
export const MAX_CLEANUP_MS = 60 * 60_000;

/** Deadline of the cleanup; null while the end is not decided. */
export const cleanupDeadline = ({ closing }: RunState): number | null =>
  closing === null ? null : closing.at + MAX_CLEANUP_MS;

/** Deadline of the run; null for no limit. The deadline of a run does not shorten its cleanup. */
export const deadlineOf = (context: Pick<RunContext, 'deadlineAt'>, state: RunState): number | null =>
  cleanupDeadline(state) ?? context.deadlineAt;

/**
 * The next instant at which something of the run is due; null when it waits only for messages. In a paused run nothing
 * is due but its deadline.
 */
export function nextDue(context: RunContext, state: RunState): number | null {
  if (state.paused !== null) return deadlineOf(context, state);
  let due = deadlineOf(context, state) ?? Number.POSITIVE_INFINITY;
  for (const path of state.open) {
    const step = state.steps.get(path);
    const turn = connectionWaitAt(state, path);
    if (turn !== null && !state.inFlight.has(path)) due = Math.min(due, turn.until);
    if (turn === null && step?.kind === 'waiting' && step.wait.until !== null) due = Math.min(due, step.wait.until);
    if (step?.kind === 'retrying' && !state.inFlight.has(path)) due = Math.min(due, step.retryAt);
    if (step?.kind === 'opened' && !state.overdue.has(path)) {
      const { timeoutMs } = stepAt(context.plan, path).def;
      if (timeoutMs !== null) due = Math.min(due, step.since + timeoutMs);
    }
  }
  return Number.isFinite(due) ? due : null;
}

/** A shorter wait stays in memory: a release and a new claim cost more. */
const MAX_RESIDENT_WAIT_MS = 1_000;

/** True when a waiting run stays in memory: only for a short timer or turn, never for a message. */
export function staysResident(state: RunState, due: number | null, now: number): boolean {
  return due !== null && due - now <= MAX_RESIDENT_WAIT_MS && !waitsBeside(state, ['timer', 'connection']);
}

/**
 * The timer to which a run with simulated time jumps as soon as nothing is in flight; null while it is paused, or waits
 * for a message or a connection, which come before any timer.
 */
export const nextJump = (context: RunContext, state: RunState): number | null =>
  state.paused !== null || waitsBeside(state, ['timer']) ? null : nextDue(context, state);

/** True when a step waits for something else than these. */
const waitsBeside = ({ open, steps }: RunState, others: readonly Wait['kind'][]): boolean =>
  [...open].some((path) => {
    const step = steps.get(path);
    return step?.kind === 'waiting' && !others.includes(step.wait.kind);
  });
