import { Rounds } from '../../../lib/rounds';
import { ManualClock } from '../../support/manual-clock';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a round begins a while after the last one has ended, whatever that ended with, until there are no more', async () => {
  const clock = new ManualClock();
  const told: unknown[] = [];
  let rounds = 0;
  let end = (): void => {};
  const work = (): Promise<void> => {
    rounds += 1;
    if (rounds === 1) return Promise.reject(new Error('no database'));
    return new Promise((resolve) => {
      end = resolve;
    });
  };
  const repeated = new Rounds({ clock, everyMs: 1_000, work, onFault: (fault) => told.push(fault) });
  repeated.start();
  clock.advance(999);
  expect(rounds).toBe(0);
  clock.advance(1);
  await turn();
  expect(told).toEqual([new Error('no database')]);
  clock.advance(1_000);
  clock.advance(10_000);
  expect(rounds).toBe(2);
  const stopped = repeated.stop();
  const first = await Promise.race([stopped.then(() => 'stopped'), turn().then(() => 'waits')]);
  expect([first, repeated.stopped]).toEqual(['waits', true]);
  end();
  await stopped;
  repeated.start();
  clock.advance(10_000);
  expect(rounds).toBe(2);
});
