import type { PreparedPlan } from '../../../dsl';
import type { Wait } from '../../../runtime/core/entries/entry';
import { apply } from '../../../runtime/core/state/fold';
import type { RunContext } from '../../../runtime/core/state/run-context';
import { emptyState, type RunState } from '../../../runtime/core/state/state';
import { runTimeOf } from '../../../runtime/execution/run-time';
import { ManualClock } from '../../support/manual-clock';

const DAY_MS = 86_400_000;
const START = Date.UTC(2020, 0, 1);
const CONTEXT = { startedAt: START, deadlineAt: null, plan: {} as PreparedPlan } as RunContext;
const TIMER: Wait = { kind: 'timer', until: START + DAY_MS, output: {} };
const SIGNAL: Wait = {
  kind: 'signal',
  signal: 'go',
  until: START + DAY_MS,
  onTimeout: { kind: 'complete', output: {} },
};

/** A state whose steps wait. */
function waiting(...waits: Wait[]): RunState {
  const state = emptyState();
  for (const [n, wait] of waits.entries())
    apply(state, { kind: 'step.waiting', path: `s${n}`, attempt: 1, at: START, started: START, input: {}, wait });
  return state;
}

const simulated = (state: RunState, clock = new ManualClock()) =>
  runTimeOf(clock, { ...CONTEXT, simulatesTime: true }, () => state);

describe('a simulated time', () => {
  it('stands still whatever the time of the host is, and jumps to the next timer', () => {
    const clock = new ManualClock();
    const state = waiting(TIMER);
    const time = simulated(state, clock);
    clock.advance(5_000);
    expect([time.now(), time.due(state), time.staysFor(START + DAY_MS, state)]).toEqual([START, START + DAY_MS, true]);
    const late: number[] = [];
    time.wakeAt(START + DAY_MS, false, (lateMs) => late.push(lateMs));
    clock.advance(0);
    expect([late, time.now()]).toEqual([[0], START + DAY_MS]);
  });

  it('does not jump while an attempt is in flight', () => {
    const clock = new ManualClock();
    const state = waiting(TIMER);
    const time = simulated(state, clock);
    time.wakeAt(START + DAY_MS, true, () => {
      throw new Error('It has jumped');
    });
    clock.advance(2 * DAY_MS);
    expect(time.now()).toBe(START);
  });

  it('passes no timer while the run waits for a message, or is paused', () => {
    const both = waiting(TIMER, SIGNAL);
    const paused = waiting(TIMER);
    apply(paused, { kind: 'run.paused', at: START, rev: 1, by: null, reason: null });
    expect([both, paused].map((state) => simulated(state).due(state))).toEqual([null, null]);
    expect(runTimeOf(new ManualClock(), CONTEXT, () => both).due(both)).toBe(START + DAY_MS);
  });

  it('continues on another host from the latest time of the history', () => {
    const state = waiting(TIMER);
    apply(state, { kind: 'step.resumed', path: 's0', at: START + DAY_MS });
    apply(state, { kind: 'step.skipped', path: 's1', at: START + 1_000 });
    expect(simulated(state).now()).toBe(START + DAY_MS);
  });
});
