import { AppError } from '../../../lib/errors';
import { Aborted, DependencyUnavailable } from '../../../runtime/execution/deps';
import type { App } from '../../../services/app';
import { retryUntilAvailable } from '../../../services/executor/retry-until-available';
import { ManualClock } from '../../support/manual-clock';

const LEASE_MS = 30_000;

/** Retries on a host of a cluster for `forMs`. Returns the outcome and the number of requests. */
async function asking(fault: Error, forMs: number, abortAfterMs: number | null = null) {
  const clock = new ManualClock();
  const waiting = new AbortController();
  const app = {
    clock,
    exclusive: false,
    stopping: new AbortController().signal,
    config: { executor: { leaseMs: LEASE_MS } },
  } as unknown as App;
  const log = { warn: () => undefined } as unknown as Parameters<typeof retryUntilAvailable>[1];
  let asked = 0;
  let end: unknown = 'waits';
  const ask = async (): Promise<never> => {
    asked += 1;
    throw fault;
  };
  retryUntilAvailable(app, log, 'It', ask, abortAfterMs === null ? undefined : waiting.signal).catch(
    (thrown: unknown) => {
      end = thrown;
    },
  );
  const begun = clock.now();
  while (clock.now() - begun < forMs && end === 'waits') {
    if (abortAfterMs !== null && clock.now() - begun >= abortAfterMs) waiting.abort();
    await new Promise((resolve) => setImmediate(resolve));
    clock.step();
  }
  return { end, asked };
}

const AWAY = new AppError('unavailable', 'away');
const CUT_OFF = new Error('the way there is cut');

test('a service that does not answer makes the host leave the work to another host after a lease', async () => {
  for (const fault of [AWAY, CUT_OFF])
    expect((await asking(fault, 2 * LEASE_MS)).end).toBeInstanceOf(DependencyUnavailable);
  expect((await asking(CUT_OFF, 2 * LEASE_MS, 3 * LEASE_MS)).end).toBeInstanceOf(DependencyUnavailable);
});

test('an unavailable service is retried on this host while the caller waits', async () => {
  expect((await asking(AWAY, 2 * LEASE_MS, 3 * LEASE_MS)).end).toBe('waits');
});

test('retries stop when the caller stops waiting', async () => {
  // The longest pauses that the jitter allows.
  jest.spyOn(Math, 'random').mockReturnValue(1);
  const { end, asked } = await asking(AWAY, LEASE_MS, 2_000);
  expect(end).toBeInstanceOf(Aborted);
  expect(asked).toBeLessThan(8);
});

afterEach(() => jest.restoreAllMocks());
