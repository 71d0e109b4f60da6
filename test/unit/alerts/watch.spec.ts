import fc from 'fast-check';
import type { AlertCondition, EndedRun } from '../../../contracts/alerts';
import { advance, attentionAt, NEW_WATCH, type Input, type Watch } from '../../../services/alerts/rules/watch';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 1);
const policy = { quietMs: 30 * MINUTE, mutedUntil: null };
const IN_ROW: AlertCondition = { kind: 'failures_in_row', failures: 3 };

let made = 0;
const run = (status: 'completed' | 'failed', more: Partial<EndedRun> = {}): EndedRun => ({
  id: `run-${(made += 1)}`,
  workflow_id: 'w',
  workflow_name: 'Orders',
  status,
  ended_at: NOW,
  duration_ms: 100,
  ...more,
});
/** `ffs`: failed, failed, succeeded. */
const runs = (word: string): EndedRun[] => [...word].map((each) => run(each === 'f' ? 'failed' : 'completed'));
const batch = (n: number, given: readonly EndedRun[]): Input => ({ kind: 'runs', batch: n, runs: given });
const kinds = ({ outbox }: Watch): string[] => outbox.map(({ kind }) => kind);
const details = ({ outbox }: Watch): string[] => outbox.map(({ detail }) => detail);

describe('failures in a row', () => {
  it('open an incident at the last of them, and a success ends it, also within one batch', () => {
    const watch = advance(IN_ROW, NEW_WATCH, batch(1, runs('ffsfffffs')), NOW, policy);
    expect(watch.outbox.map(({ kind, count }) => [kind, count])).toEqual([
      ['opened', 3],
      ['recovered', 5],
    ]);
    expect(details(watch)[0]).toBe('3 runs in a row have failed');
  });

  it('name the last runs, and when the first failed', () => {
    const failed = Array.from({ length: 8 }, (_, n) => run('failed', { ended_at: NOW + n }));
    const { outbox } = advance({ kind: 'failures_in_row', failures: 8 }, NEW_WATCH, batch(1, failed), NOW, policy);
    expect(outbox[0]).toMatchObject({ since: NOW, runs: failed.slice(-5).map(({ id }) => id) });
  });

  it('give the same notices however the runs come in batches, and a repeated batch gives none', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('f', 's'), { maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 40 }),
        (letters, sizes) => {
          const all = runs(letters.join(''));
          const whole = advance(IN_ROW, NEW_WATCH, batch(1, all), NOW, policy);
          let watch = NEW_WATCH;
          let at = 0;
          for (let n = 1; at < all.length; n += 1) {
            const part = all.slice(at, at + (sizes[n - 1] ?? 5));
            at += part.length;
            watch = advance(IN_ROW, watch, batch(n, part), NOW, policy);
            expect(advance(IN_ROW, watch, batch(n, part), NOW, policy).outbox).toEqual(watch.outbox);
          }
          expect(watch.outbox).toEqual(whole.outbox);
        },
      ),
    );
  });

  it('leave a watch as it is when successes follow successes, so that nothing is stored', () => {
    expect(advance(IN_ROW, NEW_WATCH, batch(1, runs('sss')), NOW, policy)).toBe(NEW_WATCH);
  });
});

describe('a failure rate', () => {
  const RATE: AlertCondition = { kind: 'failure_rate', percent: 50, window: '10m', min_runs: 4 };

  it('needs so many runs, and ends as they leave the window', () => {
    const few = advance(RATE, NEW_WATCH, batch(1, runs('fff')), NOW, policy);
    expect(few.outbox).toEqual([]);
    const many = advance(RATE, few, batch(2, runs('s')), NOW, policy);
    expect(details(many)).toEqual(['3 of 4 runs of the last 10m failed (75 %)']);
    expect(attentionAt(RATE, { ...many, outbox: [] }, NOW, policy)).toBe(NOW + 15_000);
    const later = advance(RATE, many, { kind: 'time' }, NOW + 11 * MINUTE, policy);
    expect(kinds(later)).toEqual(['opened', 'recovered']);
    expect(later.meter).toEqual({ kind: 'none' });
  });

  it('ends when enough succeed', () => {
    const bad = advance(RATE, NEW_WATCH, batch(1, runs('ffff')), NOW, policy);
    expect(kinds(advance(RATE, bad, batch(2, runs('sssss')), NOW, policy))).toEqual(['opened', 'recovered']);
  });

  it('does not hold without a failure, nor count runs that ended before the window', () => {
    expect(advance(RATE, NEW_WATCH, batch(1, runs('ssss')), NOW, policy).outbox).toEqual([]);
    const old = Array.from({ length: 9 }, () => run('failed', { ended_at: NOW - 10 * MINUTE }));
    expect(advance(RATE, NEW_WATCH, batch(1, old), NOW, policy)).toBe(NEW_WATCH);
  });

  it('counts as the runs themselves would, to a part of the window', () => {
    const one = fc.record({ at: fc.integer({ min: 0, max: 30 }), failed: fc.boolean() });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 40 }), (given) => {
        const all = given.map(({ at, failed }) =>
          run(failed ? 'failed' : 'completed', { ended_at: NOW + at * MINUTE }),
        );
        const end = NOW + 30 * MINUTE;
        const watch = advance(RATE, NEW_WATCH, batch(1, all), end, policy);
        const among = (from: number) => all.filter(({ ended_at }) => ended_at > from);
        const holdsIn = (some: readonly EndedRun[]): boolean =>
          some.length >= 4 && some.filter(({ status }) => status === 'failed').length * 2 >= some.length;
        // At the edge, a part of the window may still count as a whole.
        expect([holdsIn(among(end - 10 * MINUTE)), holdsIn(among(end - 10.34 * MINUTE))]).toContain(
          watch.outbox.length === 1,
        );
      }),
    );
  });
});

describe('a 95th percentile', () => {
  const SLOW: AlertCondition = { kind: 'p95_duration', longer_than: '2s', window: '1h', min_runs: 20 };
  const lasting = (count: number, duration_ms: number): EndedRun[] =>
    Array.from({ length: count }, () => run('completed', { duration_ms }));

  it('holds when more than one of twenty runs is slow', () => {
    const fine = advance(SLOW, NEW_WATCH, batch(1, [...lasting(19, 100), ...lasting(1, 60_000)]), NOW, policy);
    expect(fine.outbox).toEqual([]);
    const slow = advance(SLOW, fine, batch(2, lasting(1, 3_000)), NOW, policy);
    expect(kinds(slow)).toEqual(['opened']);
    expect(details(slow)[0]).toMatch(/^95 % of 21 runs of the last 1h took up to 3s, more than 2s$/);
  });

  it('is exact to a twentieth', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 20, maxLength: 80 }), (durations) => {
        const all = durations.map((duration_ms) => run('completed', { duration_ms }));
        const { outbox } = advance(SLOW, NEW_WATCH, batch(1, all), NOW, policy);
        const sorted = [...durations].sort((a, b) => a - b);
        const p95 = sorted[Math.ceil(0.95 * sorted.length) - 1] as number;
        if (p95 > 2_000) expect(outbox).toHaveLength(1);
        if (p95 * 1.06 < 2_000) expect(outbox).toHaveLength(0);
      }),
    );
  });
});

describe('missed fire times', () => {
  const MISSED: AlertCondition = { kind: 'missed_schedule', grace: '5m' };
  const time = (n: number, inTime: boolean, decided = true) => ({
    id: `s:${n}`,
    at: NOW + n * MINUTE,
    inTime,
    decidedAt: decided ? NOW + n * MINUTE : null,
  });
  const facts = (...times: ReturnType<typeof time>[]): Input => ({
    kind: 'facts',
    facts: { kind: 'missed_schedule', times, isScheduled: true },
  });

  it('are counted once, though they are read again, and end with a start in time', () => {
    let watch = advance(MISSED, NEW_WATCH, facts(time(0, true), time(1, false, false)), NOW, policy);
    expect(watch.outbox.map(({ kind, count }) => [kind, count])).toEqual([['opened', 1]]);
    watch = advance(MISSED, watch, facts(time(1, false)), NOW, policy);
    expect(watch.incident).toMatchObject({ kind: 'firing', track: { count: 1 } });
    watch = advance(MISSED, watch, facts(time(1, false), time(2, true)), NOW, policy);
    expect(kinds(watch)).toEqual(['opened', 'recovered']);
  });

  it('are notified though the next one was in time before they were looked at', () => {
    expect(kinds(advance(MISSED, NEW_WATCH, facts(time(1, false), time(2, true)), NOW, policy))).toEqual([
      'opened',
      'recovered',
    ]);
  });

  it('end when there is no schedule any more', () => {
    const bad = advance(MISSED, NEW_WATCH, facts(time(1, false)), NOW, policy);
    const gone: Input = { kind: 'facts', facts: { kind: 'missed_schedule', times: [], isScheduled: false } };
    expect(kinds(advance(MISSED, bad, gone, NOW, policy))).toEqual(['opened', 'recovered']);
  });
});

describe('runs that last, and budgets', () => {
  it('tell of runs until none is left', () => {
    const LONG: AlertCondition = { kind: 'long_run', state: 'waiting', longer_than: '1h' };
    const of = (total: number): Input => ({
      kind: 'facts',
      facts: total === 0 ? null : { kind: 'long_run', since: NOW, runs: ['a'], total },
    });
    let watch = advance(LONG, NEW_WATCH, of(2), NOW, policy);
    watch = advance(LONG, watch, of(3), NOW, policy);
    watch = advance(LONG, watch, of(1), NOW, policy);
    expect(watch.incident).toMatchObject({ kind: 'firing', track: { count: 3 } });
    watch = advance(LONG, watch, of(0), NOW, policy);
    expect(kinds(watch)).toEqual(['opened', 'recovered']);
    expect(details(watch)[0]).toBe('2 runs have been waiting for more than 1h');
  });

  it('tell of what was spent, and end with the day or month', () => {
    const BUDGET: AlertCondition = { kind: 'budget', of: 'cost_usd', per: 'month', above: 20 };
    const spent = (amount: number, limit: number | null = 20): Input => ({
      kind: 'facts',
      facts: { kind: 'budget', spent: amount, limit },
    });
    expect(advance(BUDGET, NEW_WATCH, spent(20), NOW, policy)).toBe(NEW_WATCH);
    expect(advance(BUDGET, NEW_WATCH, spent(99, null), NOW, policy)).toBe(NEW_WATCH);
    const over = advance(BUDGET, NEW_WATCH, spent(21.5), NOW, policy);
    expect(details(over)).toEqual(['21.5 USD of this month are more than 20 USD']);
    expect(kinds(advance(BUDGET, over, spent(0.5), NOW, policy))).toEqual(['opened', 'recovered']);
  });
});
