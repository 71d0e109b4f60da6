import { retryStartup } from '../../../start/retry-startup';

const CUT = Object.assign(new Error('interrupted'), { name: 'PoolClearedOnNetworkError' });

/** A clock whose waits return at once. */
function skippingClock() {
  let now = 0;
  return {
    now: () => now,
    after(delayMs: number, then: () => void) {
      now += delayMs;
      queueMicrotask(then);
      return () => {};
    },
  };
}

/** A start that fails with these faults in turn, then succeeds. */
function beginning(faults: unknown[], answers = true) {
  let times = 0;
  const begin = async (answered: () => void): Promise<string> => {
    times += 1;
    if (answers) answered();
    if (faults.length > 0) throw faults.shift();
    return 'up';
  };
  return { begin, times: () => times };
}

test('retries when a database that has answered becomes unreachable', async () => {
  const { begin, times } = beginning([CUT, CUT]);
  await expect(retryStartup(begin, skippingClock())).resolves.toBe('up');
  expect(times()).toBe(3);
});

test.each([
  ['of a database that has never answered', beginning([CUT], false), CUT],
  ['of any other kind', beginning([new TypeError('a defect')]), new TypeError('a defect')],
])('throws a fault %s', async (_what, { begin, times }, fault) => {
  await expect(retryStartup(begin, skippingClock())).rejects.toEqual(fault);
  expect(times()).toBe(1);
});

test('gives up after half a minute', async () => {
  const { begin, times } = beginning(Array.from({ length: 1_000 }, () => CUT));
  await expect(retryStartup(begin, skippingClock())).rejects.toBe(CUT);
  expect(times()).toBe(62);
});
