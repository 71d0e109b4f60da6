import type { RunState } from '../record/state';
import type { RunFacts } from './scope';
import { stepAt } from './step-at';

/** How long a run may take to clean up, in milliseconds; what is left then is cancelled. */
export const CLOSING_MS = 60 * 60_000;

/** By when a run must have cleaned up; null while its end is not decided. */
export const closesBy = ({ closing }: RunState): number | null => (closing === null ? null : closing.at + CLOSING_MS);

/** When a run must be over at the latest; null for no limit. Its deadline does not cut its cleaning up. */
export const limitOf = (facts: Pick<RunFacts, 'deadlineAt'>, state: RunState): number | null =>
  closesBy(state) ?? facts.deadlineAt;

/** The next instant at which something of the run falls due; null when only a message can move it. */
export function nextDue(facts: RunFacts, state: RunState): number | null {
  let due = limitOf(facts, state) ?? Number.POSITIVE_INFINITY;
  for (const path of state.open) {
    const step = state.steps.get(path);
    if (step?.kind === 'waiting' && step.wait.until !== null) due = Math.min(due, step.wait.until);
    if (step?.kind === 'retrying' && !state.flights.has(path)) due = Math.min(due, step.retryAt);
    if (step?.kind === 'opened' && !state.overdue.has(path)) {
      const { timeoutMs } = stepAt(facts.plan, path).def;
      if (timeoutMs !== null) due = Math.min(due, step.since + timeoutMs);
    }
  }
  return Number.isFinite(due) ? due : null;
}

/** A wait for a time that is this near stays in memory: giving the run up and claiming it again costs more. */
export const LINGER_MS = 1_000;

/** Whether a run that only waits may stay in memory: not for long, and not for a message. */
export function lingers(state: RunState, due: number | null, now: number): boolean {
  if (due === null || due - now > LINGER_MS) return false;
  return ![...state.open].some((path) => {
    const step = state.steps.get(path);
    return step?.kind === 'waiting' && step.wait.kind !== 'timer';
  });
}
