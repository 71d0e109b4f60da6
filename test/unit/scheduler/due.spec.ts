import fc from 'fast-check';
import type { ScheduleTimer } from '../../../contracts/scheduler';
import { dueOf, GRACE_MS } from '../../../services/scheduler/rules/due';
import { comingStarts, timelineOf } from '../../../services/scheduler/rules/timeline';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 0, 1);

const timer = (given: Partial<ScheduleTimer> = {}): ScheduleTimer => ({
  kind: 'schedule',
  index: 0,
  cron: '*/10 * * * *',
  every: null,
  every_ms: null,
  timezone: 'UTC',
  jitter_ms: 0,
  missed: 'last',
  window_ms: HOUR,
  overlap: 'allow',
  ...given,
});
const every = (ms: number, given: Partial<ScheduleTimer> = {}): ScheduleTimer =>
  timer({ cron: null, every: `${ms}ms`, every_ms: ms, ...given });
const lineOf = (given: ScheduleTimer, anchor = START) => timelineOf('schedule', given, anchor);
const due = (given: ScheduleTimer, from: number, now: number) => dueOf(lineOf(given), given, START + from, START + now);
const minutes = (slots: readonly number[]): number[] => slots.map((slot) => (slot - START) / MINUTE);

describe('slots of an interval', () => {
  test('are counted from the anchor, even if the previous one was late', () => {
    const { next } = lineOf(every(90_000));
    expect(next(START)).toBe(START + 90_000);
    expect(next(START + 90_000 + 1)).toBe(START + 180_000);
    expect(next(START + 1_000_000_007)).toBe(START + 11_112 * 90_000);
  });

  test('begin one interval after the anchor', () => {
    expect(lineOf(every(HOUR)).next(START - 10 * HOUR)).toBe(START + HOUR);
  });
});

describe('jitter', () => {
  const line = lineOf(timer({ jitter_ms: 5 * MINUTE }));

  test('is the same on each node, and differs from slot to slot', () => {
    const slots = Array.from({ length: 50 }, (_, n) => START + n * 10 * MINUTE);
    const delays = slots.map((slot) => line.due(slot) - slot);
    expect(slots.map((slot) => lineOf(timer({ jitter_ms: 5 * MINUTE })).due(slot) - slot)).toEqual(delays);
    expect(new Set(delays).size).toBeGreaterThan(45);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(5 * MINUTE);
  });

  test('never moves a slot past the next one', () => {
    const wide = lineOf(timer({ jitter_ms: 24 * HOUR }));
    const starts = comingStarts(wide, START, 200);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect(starts.every((at, n) => at >= START + n * 10 * MINUTE && at < START + (n + 1) * 10 * MINUTE)).toBe(true);
  });
});

describe('slots that are due for less than a minute', () => {
  test.each(['skip', 'last', 'all'] as const)('all start with any policy for missed ones (%s)', (missed) => {
    const found = due(every(20_000, { missed, window_ms: 1 }), 20_000, 61_000);
    expect(found).toEqual({
      missed: [],
      start: [START + 20_000, START + 40_000, START + 60_000],
      next: START + 80_000,
    });
  });

  test('start twenty at a time', () => {
    const found = due(every(1_000), 1_000, 45_500);
    expect([found.start.length, found.next]).toEqual([20, START + 21_000]);
  });
});

describe('slots that were missed', () => {
  const now = 45 * MINUTE;

  test('skip: none of them', () => {
    const found = due(timer({ missed: 'skip' }), 0, now);
    expect([minutes(found.missed), found.start, found.next]).toEqual([[0, 10, 20, 30, 40], [], START + 50 * MINUTE]);
  });

  test('last: the last one', () => {
    const found = due(timer({ missed: 'last' }), 0, now);
    expect([minutes(found.missed), minutes(found.start)]).toEqual([[0, 10, 20, 30], [40]]);
  });

  test('last: none of them when a newer one starts', () => {
    const found = due(timer({ missed: 'last' }), 0, 50 * MINUTE + 1);
    expect([minutes(found.missed), minutes(found.start)]).toEqual([[0, 10, 20, 30, 40], [50]]);
  });

  test('last: none of them before the window', () => {
    const found = due(timer({ missed: 'last', cron: '0 * * * *', window_ms: 30 * MINUTE }), 0, now);
    expect([minutes(found.missed), found.start, found.next]).toEqual([[0], [], START + HOUR]);
  });

  test('all: each of them in the window', () => {
    const found = due(timer({ missed: 'all', window_ms: 26 * MINUTE }), 0, now);
    expect([minutes(found.missed), minutes(found.start)]).toEqual([
      [0, 10],
      [20, 30, 40],
    ]);
  });

  test('are found at once after years', () => {
    const began = performance.now();
    const found = due(timer({ cron: '* * * * *' }), 0, 3 * 365 * 24 * HOUR + 30_000);
    expect(performance.now() - began).toBeLessThan(500);
    expect([found.missed.length, found.start.length]).toEqual([20, 1]);
  });
});

test('at any time of the check: each slot is decided once, only due slots start, and all slots in time start', () => {
  const policies = fc.record({
    every_ms: fc.integer({ min: 1_000, max: 20 * MINUTE }),
    jitter_ms: fc.constantFrom(0, 500, 30_000, HOUR),
    missed: fc.constantFrom('skip' as const, 'last' as const, 'all' as const),
    window_ms: fc.integer({ min: 1, max: 2 * HOUR }),
  });
  fc.assert(
    fc.property(
      policies,
      fc.array(fc.integer({ min: 1, max: HOUR }), { minLength: 1, maxLength: 30 }),
      (given, waits) => {
        const line = lineOf(every(given.every_ms, given));
        const decided: number[] = [];
        let [now, next] = [START, line.next(START)];
        for (const wait of waits) {
          now += wait;
          if (next === null || line.due(next) > now) continue;
          const from = next;
          const found = dueOf(line, given, from, now);
          const inTime = comingStarts(line, line.firstDue(from, now - GRACE_MS), 70).filter((at) => at <= now);
          const starts = found.start.map((slot) => line.due(slot));
          expect(starts.every((at) => at <= now && at >= now - Math.max(given.window_ms, GRACE_MS))).toBe(true);
          if (starts.length < 20) expect(inTime.every((at) => starts.includes(at))).toBe(true);
          decided.push(...found.missed, ...found.start);
          next = found.next;
          expect(next).not.toBeNull();
          if (found.start.length < 20) expect(line.due(next as number)).toBeGreaterThan(now);
        }
        expect(decided).toEqual([...new Set(decided)].sort((a, b) => a - b));
      },
    ),
    { numRuns: 150 },
  );
});
