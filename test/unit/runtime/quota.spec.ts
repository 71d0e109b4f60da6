import {
  askQuota,
  type ConnectionLimits,
  NO_USE,
  type Quota,
  releaseQuota,
  withoutGone,
} from '../../../runtime/core/decide/quota';

const T0 = 1_000_000;
const RATE: ConnectionLimits = { rate: { limit: 2, periodMs: 1_000 }, concurrency: null };
const ONE: ConnectionLimits = { rate: null, concurrency: 1 };
const step = (id: string, since = T0) => ({ id, run: `run of ${id}`, epoch: 1, n: 1, since });

/** The quota after steps have asked, in this order. */
const asked = (limits: ConnectionLimits, ids: readonly string[], now = T0): Quota =>
  ids.reduce((quota, id, n) => askQuota(quota, limits, step(id, now + n), now + n).quota, NO_USE);

describe('a rate', () => {
  it('admits as many steps as it allows in a period, and tells the next one when to ask again', () => {
    const quota = asked(RATE, ['a', 'b']);
    expect(quota.starts).toHaveLength(2);
    expect(askQuota(quota, RATE, step('c', T0 + 2), T0 + 2).due).toBe(T0 + 1_000);
    expect(askQuota(quota, RATE, step('c', T0 + 2), T0 + 1_000).due).toBeNull();
  });

  it('lets no step overtake one that asked before', () => {
    const quota = asked(RATE, ['a', 'b', 'c', 'd']);
    const late = askQuota(quota, RATE, step('e', T0 + 5), T0 + 1_000);
    expect(late.due).not.toBeNull();
    expect(askQuota(quota, RATE, step('c', T0 + 2), T0 + 1_000).due).toBeNull();
  });

  it('is not held back by a step that does not ask again when it is due', () => {
    const quota = asked(RATE, ['a', 'b', 'c', 'd']);
    expect(askQuota(quota, RATE, step('e', T0 + 5), T0 + 15_000).due).toBeNull();
  });
});

describe('a limit of steps at one time', () => {
  it('makes the next waiter due when a use ends', () => {
    const quota = asked(ONE, ['a', 'b', 'c']);
    expect(quota.uses.map(({ id }) => id)).toEqual(['a']);
    const released = releaseQuota(quota, ONE, ['a'], T0 + 3);
    expect(released.quota.uses).toEqual([]);
    expect(askQuota(released.quota, ONE, step('c', T0 + 2), T0 + 3).due).not.toBeNull();
    expect(askQuota(released.quota, ONE, step('b', T0 + 1), T0 + 3).due).toBeNull();
  });

  it('wakes a waiter that would have looked much later', () => {
    const quota = asked(ONE, ['a', 'b', 'c']);
    const next = askQuota(releaseQuota(quota, ONE, ['a'], T0 + 3).quota, ONE, step('b', T0 + 1), T0 + 3).quota;
    expect(releaseQuota(next, ONE, ['b'], T0 + 4).woken).toMatchObject([{ id: 'c', due: T0 + 4 }]);
  });

  it('does not count a use of a run that no host has under its claim, nor a waiter of an ended run', () => {
    const quota = asked(ONE, ['a', 'b']);
    expect(withoutGone(quota, new Map([['run of a', 2]]))).toMatchObject({ uses: [], waiters: [] });
    expect(
      withoutGone(
        quota,
        new Map([
          ['run of a', null],
          ['run of b', null],
        ]),
      ),
    ).toMatchObject({
      uses: [],
      waiters: [{ id: 'b' }],
    });
    expect(withoutGone(quota, new Map([['run of a', 1]])).uses).toHaveLength(1);
  });

  it('lists a bounded number of waiters, those that asked first', () => {
    const quota = asked(
      ONE,
      Array.from({ length: 300 }, (_, n) => `s${n}`),
    );
    expect(quota.waiters).toHaveLength(200);
    const early = askQuota(quota, ONE, step('early', T0 - 1), T0 + 400).quota;
    expect(early.waiters[0]?.id).toBe('early');
    expect(early.waiters).toHaveLength(200);
  });
});
