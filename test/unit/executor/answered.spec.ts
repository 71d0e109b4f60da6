import { AppError } from '../../../lib/errors';
import { Aborted, StepAside } from '../../../runtime/actor/deps';
import type { App } from '../../../services/app';
import { answered } from '../../../services/executor/answered';
import { ManualClock } from '../../support/manual-clock';

const LEASE_MS = 30_000;

/** Asks on a host of a cluster for `forMs`; how it ended, and how often the service was asked. */
async function asking(fault: Error, forMs: number, abortAfterMs: number | null = null) {
  const clock = new ManualClock();
  const waiting = new AbortController();
  const app = {
    clock,
    exclusive: false,
    stopping: new AbortController().signal,
    config: { executor: { leaseMs: LEASE_MS } },
  } as unknown as App;
  const log = { warn: () => undefined } as unknown as Parameters<typeof answered>[1];
  let asked = 0;
  let end: unknown = 'waits';
  const ask = async (): Promise<never> => {
    asked += 1;
    throw fault;
  };
  answered(app, log, 'It', ask, abortAfterMs === null ? undefined : waiting.signal).catch((thrown: unknown) => {
    end = thrown;
  });
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

test('a service that does not answer is left to another host after a lease', async () => {
  for (const fault of [AWAY, CUT_OFF]) expect((await asking(fault, 2 * LEASE_MS)).end).toBeInstanceOf(StepAside);
  expect((await asking(CUT_OFF, 2 * LEASE_MS, 3 * LEASE_MS)).end).toBeInstanceOf(StepAside);
});

test('what a service says to everybody is waited for here, as long as somebody waits', async () => {
  expect((await asking(AWAY, 2 * LEASE_MS, 3 * LEASE_MS)).end).toBe('waits');
});

test('who waits no more asks no more', async () => {
  const { end, asked } = await asking(AWAY, LEASE_MS, 2_000);
  expect(end).toBeInstanceOf(Aborted);
  expect(asked).toBeLessThan(8);
});
