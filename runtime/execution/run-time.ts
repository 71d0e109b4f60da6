import type { Clock } from '../../lib/clock';
import { nextDue, nextJump, staysResident } from '../core/decide/due';
import type { RunContext } from '../core/state/run-context';
import type { RunState } from '../core/state/state';

/** The time of a run, in epoch milliseconds, and its timers. */
export interface RunTime {
  now(): number;
  /** The next timer; null when only a message or an attempt in flight continues the run. */
  due(state: RunState): number | null;
  /** True when a run without attempts in flight stays in memory until its next timer. */
  staysFor(due: number | null, state: RunState): boolean;
  /** Calls `fire` once when a timer is due, with its delay; the returned function cancels it. */
  wakeAt(due: number, isBusy: boolean, fire: (lateMs: number) => void): () => void;
}

/** The time of the host. */
const realTime = (clock: Clock, context: RunContext): RunTime => ({
  now: () => clock.now(),
  due: (state) => nextDue(context, state),
  staysFor: (due, state) => staysResident(state, due, clock.now()),
  wakeAt: (due, _isBusy, fire) => clock.after(Math.max(0, due - clock.now()), () => fire(clock.now() - due)),
});

/**
 * A time that begins with the run and is never before its history. It stands still while an attempt is in flight or the
 * run waits for a message, and otherwise jumps to the next timer.
 */
function simulatedTime(clock: Clock, context: RunContext, state: () => RunState): RunTime {
  let reached = context.startedAt;
  return {
    now: () => (reached = Math.max(reached, state().latestAt)),
    due: (now) => nextJump(context, now),
    staysFor: (due) => due !== null,
    wakeAt(due, isBusy, fire) {
      if (isBusy) return () => {};
      return clock.after(0, () => {
        reached = Math.max(reached, due);
        fire(0);
      });
    },
  };
}

/** `state`: of the run, at any time. */
export const runTimeOf = (clock: Clock, context: RunContext, state: () => RunState): RunTime =>
  context.simulatesTime === true ? simulatedTime(clock, context, state) : realTime(clock, context);
