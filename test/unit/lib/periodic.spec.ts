import { type NextRun, PeriodicTask } from '../../../lib/periodic';
import { ManualClock } from '../../support/manual-clock';

const turn = () => new Promise((resolve) => setImmediate(resolve));

let clock: ManualClock;
let runs: number;
let errors: unknown[];

beforeEach(() => {
  clock = new ManualClock();
  runs = 0;
  errors = [];
});

const taskOf = (run: () => Promise<NextRun | void>, random = 0): PeriodicTask =>
  new PeriodicTask({
    clock,
    intervalMs: 1_000,
    random: () => random,
    run: () => {
      runs += 1;
      return run();
    },
    onError: (error) => errors.push(error),
  });

async function advance(ms: number): Promise<void> {
  clock.advance(ms);
  await turn();
}

test('a run starts an interval after the previous one has ended, also when that failed, until the task stops', async () => {
  let end = (): void => {};
  const task = taskOf(() => {
    if (runs === 1) return Promise.reject(new Error('no database'));
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  task.start();
  await advance(999);
  expect(runs).toBe(0);
  await advance(1);
  expect(errors).toEqual([new Error('no database')]);
  await advance(1_000);
  await advance(10_000);
  expect(runs).toBe(2);
  const stopped = task.stop();
  const first = await Promise.race([stopped.then(() => 'stopped'), turn().then(() => 'waits')]);
  expect([first, task.isStopped]).toEqual(['waits', true]);
  end();
  await stopped;
  task.start();
  task.trigger();
  await advance(10_000);
  expect(runs).toBe(2);
});

test('a run that throws before its first await is an error of the task', async () => {
  const task = taskOf(() => {
    throw new Error('at once');
  });
  task.trigger();
  await turn();
  expect(errors).toEqual([new Error('at once')]);
  expect(clock.pending).toBe(1);
});

test('a run that is triggered during another one follows it at once, and only once', async () => {
  const ends: (() => void)[] = [];
  const task = taskOf(() => new Promise((resolve) => void ends.push(resolve)));
  task.trigger();
  task.trigger();
  task.trigger();
  expect(runs).toBe(1);
  ends[0]?.();
  await turn();
  expect(runs).toBe(2);
  ends[1]?.();
  await task.idle();
  expect([runs, clock.pending]).toEqual([2, 1]);
});

test('a run decides when the next one starts, or that only a trigger starts it', async () => {
  const pauses = [50, null];
  const task = taskOf(async () => ({ inMs: pauses.shift() ?? null }));
  task.start(0);
  await advance(0);
  await advance(49);
  expect(runs).toBe(1);
  await advance(1);
  expect([runs, clock.pending]).toEqual([2, 0]);
  task.within(30);
  task.within(40);
  await advance(30);
  expect([runs, clock.pending]).toEqual([3, 0]);
});

test('an interval is shortened by a random share, so that processes do not run together', async () => {
  const task = taskOf(async () => {}, 0.999);
  task.start();
  await advance(899);
  expect(runs).toBe(0);
  await advance(2);
  expect(runs).toBe(1);
});
