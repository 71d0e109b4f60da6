import { spansOf } from '../../../services/executor/timeline';
import type { StepEntry } from '../../../runtime/core/entries/entry';
import type { RecordedStep } from '../../../services/executor/step-views';

const T = Date.UTC(2030, 0, 1);
const path = 'each/steps[3]/a';

/** Spans as `kind attempt from-to outcome`, in milliseconds from the beginning. */
function spans(entries: StepEntry[]): string[] {
  const row = { path, step: { def: { id: 'a', type: 'http_request' } }, entries } as unknown as RecordedStep;
  return spansOf(row).map(({ kind, attempt, started_at, ended_at, duration_ms, outcome }) => {
    const [from, to] = [Date.parse(started_at) - T, ended_at === null ? null : Date.parse(ended_at) - T];
    expect(duration_ms).toBe(to === null ? null : to - from);
    return `${kind} ${attempt} ${from}-${to ?? ''} ${outcome ?? ''}`.trim();
  });
}

const at = (ms: number) => ({ path, at: T + ms });
const started = (ms: number, attempt = 1): StepEntry => ({ kind: 'step.started', attempt, input: {}, ...at(ms) });
const completed = (ms: number, from: number, attempt = 1): StepEntry => ({
  kind: 'step.completed',
  attempt,
  started: T + from,
  output: {},
  ...at(ms),
});
const failed = (ms: number, from: number, retryAt: number | null, attempt = 1): StepEntry => ({
  kind: 'step.failed',
  attempt,
  started: T + from,
  error: { code: 'x', message: 'x' },
  retryAt: retryAt === null ? null : T + retryAt,
  ...at(ms),
});
const waiting = (ms: number, from: number): StepEntry => ({
  kind: 'step.waiting',
  attempt: 1,
  started: T + from,
  wait: { kind: 'signal', signal: 's', until: null, onTimeout: { kind: 'complete', output: {} } },
  ...at(ms),
});

test.each<[string, StepEntry[], string[]]>([
  ['of a step that only computes', [completed(5, 2)], ['run 1 2-5 completed']],
  ['of an effect', [started(2), completed(9, 2)], ['run 1 2-9 completed']],
  ['of an effect in flight', [started(2)], ['run 1 2-']],
  [
    'of an effect whose host has died',
    [started(2), started(50), completed(60, 50)],
    ['run 1 2-50 interrupted', 'run 1 50-60 completed'],
  ],
  [
    'of an effect that is tried again',
    [started(0), failed(10, 0, 30), started(30, 2), completed(40, 30, 2)],
    ['run 1 0-10 failed', 'pause 2 10-30 resumed', 'run 2 30-40 completed'],
  ],
  [
    'of a computation that is tried again',
    [failed(10, 0, 30), completed(40, 30, 2)],
    ['run 1 0-10 failed', 'pause 2 10-30 resumed', 'run 2 30-40 completed'],
  ],
  ['of one that is to be tried again', [failed(10, 0, 30)], ['run 1 0-10 failed', 'pause 2 10-']],
  ['of one that has failed for good', [started(0), failed(10, 0, null)], ['run 1 0-10 failed']],
  ['of one that waits', [waiting(3, 3)], ['wait 1 3-']],
  ['of one that has waited', [waiting(3, 3), completed(90, 90)], ['wait 1 3-90 completed']],
  [
    'of one that worked, waited and goes on',
    [started(0), waiting(5, 0), { kind: 'step.resumed', ...at(20) }],
    ['run 1 0-5 waits', 'wait 1 5-20 resumed', 'run 1 20-'],
  ],
  [
    'of one that holds others, and was cancelled',
    [
      { kind: 'step.opened', opening: { kind: 'parallel' }, ...at(1) },
      { kind: 'step.cancelled', ...at(8) },
    ],
    ['run 1 1-8 cancelled'],
  ],
  ['of one that was skipped', [{ kind: 'step.skipped', ...at(4) }], []],
  ['of one that never began', [], []],
])('spans %s', (_what, entries, expected) => {
  expect(spans(entries)).toEqual(expected);
});
