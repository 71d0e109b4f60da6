import { Dispatcher } from '../../../services/scheduler/dispatcher';
import type { Schedule } from '../../../services/scheduler/store';
import { ManualClock } from '../../support/manual-clock';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a tenant at its limit is not searched for until one of its starts has ended', async () => {
  const clock = new ManualClock();
  const overdue = Array.from({ length: 150 }, (_, n) => ({ record: { _id: `s${n}`, tenant_id: 'ann' } }) as Schedule);
  const ends: (() => void)[] = [];
  let looks = 0;
  const dispatcher = new Dispatcher<'schedule'>({
    clock,
    bounds: { atOnce: 500, ofTenant: 100, room: 100 },
    claims: {
      async take(_now, limit, room) {
        if (room.full.includes('ann')) return [];
        return overdue.splice(0, overdue.slice(0, limit).filter(() => room.enter('ann')).length);
      },
      async nextWake(room?: { full: readonly string[] }) {
        looks += 1;
        return room?.full.includes('ann') ? null : clock.now() - 1;
      },
      advance: async () => {},
    },
    fire: () => new Promise((resolve) => void ends.push(() => resolve({ kind: 'gone' }))),
    gone: async () => {},
    grown: async () => {},
    warn: () => {},
  });
  dispatcher.start();
  const pass = async (ms: number) => {
    for (const until = clock.now() + ms; clock.now() < until; ) {
      await turn();
      clock.advance(1);
    }
  };
  await pass(1_000);
  expect(ends).toHaveLength(100);
  // One look that claims, one that finds him full, and the polls of a second.
  expect(looks).toBeLessThan(10);
  ends.shift()?.();
  await pass(5);
  expect(ends).toHaveLength(100);
  overdue.length = 0;
  for (const end of ends) end();
  await pass(5);
  await dispatcher.stop();
});
