import { AttemptConnection } from '../../../runtime/execution/connection-use';
import type { Quotas } from '../../../runtime/execution/quotas';
import { ManualClock, settle } from '../../support/manual-clock';

const clock = new ManualClock();
const READY = {
  kind: 'ready',
  connection: { id: 'c', connector: 'api', credentials: {} },
  quota: { rate: { limit: 1, periodMs: 1_000 }, concurrency: null, pausedUntil: null },
} as const;

/** An attempt that is admitted from a time on, and how often it asked. */
function attempt(from: number, waitsHere: boolean) {
  const asked: number[] = [];
  const quotas = {
    ask: async () => {
      asked.push(clock.now());
      return clock.now() >= from ? null : from;
    },
  } as unknown as Quotas;
  const connection = new AttemptConnection({
    quotas,
    clock,
    tenantId: 't',
    asking: () => ({ id: 'r/a', run: 'r', epoch: 1, n: 1, since: 0 }),
    mark: async () => {},
    assertMayBegin: () => {},
    isHere: () => true,
    waitsHere,
    pause: () => {},
    onFault: (fault) => {
      throw fault;
    },
  });
  return { asked, connection };
}

it('an attempt that has to wait is held until its turn', async () => {
  const from = clock.now() + 5_000;
  const { connection } = attempt(from, false);
  expect(await connection.admit(READY)).toEqual({ kind: 'hold', connection: 'c', until: from });
});

it('an attempt of a run with a simulated time waits itself, in the time of the host', async () => {
  const from = clock.now() + 5_000;
  const { asked, connection } = attempt(from, true);
  const admitted = connection.admit(READY);
  await settle();
  expect(asked).toHaveLength(1);
  clock.advance(5_000);
  expect(await admitted).toBeNull();
  expect(asked).toEqual([from - 5_000, from]);
});

it('a paused connection without limits is asked for nothing', async () => {
  const until = clock.now() + 1_000;
  const { asked, connection } = attempt(0, false);
  const paused = { ...READY, quota: { rate: null, concurrency: null, pausedUntil: until } };
  expect(await connection.admit(paused)).toEqual({ kind: 'hold', connection: 'c', until });
  expect(asked).toEqual([]);
});
