import { leftMs } from '../../../lib/threads/time-limit';

const limit = { ms: 100, since: 1_000, waitedMs: 50 };

describe('what a job has left of its time', () => {
  it.each([
    ['at its begin', 1_000, 50, 100],
    ['while its thread ran or slept', 1_060, 50, 40],
    ['when its time is over', 1_100, 50, 0],
    ['when its thread waited for a processor', 1_100, 110, 60],
    ['when that was long ago', 1_200, 110, -40],
    ['where it is not known how long its thread waited', 1_060, null, 40],
    ['just before ten times its time, of which its thread waited for all', 1_999, 1_049, 100],
    ['after ten times its time, however long its thread waited', 2_000, 1_050, 0],
  ])('is known %s', (_when, now, waitedMs, left) => {
    expect(leftMs(limit, now, waitedMs)).toBe(left);
  });

  it('does not depend on a wait that was not known at its begin', () => {
    expect(leftMs({ ...limit, waitedMs: null }, 1_060, 500)).toBe(40);
  });
});
