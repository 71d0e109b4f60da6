import type { Json } from '../../../lib/json';
import { type SourceServer, startSourceServer } from '../../support/source-server';
import { until } from '../../support/until';
import { Site } from './site';

const MINUTE = 60_000;

let site: Site;
let source: SourceServer;
let list: Json[];
beforeEach(async () => {
  list = [];
  source = await startSourceServer(() => ({ body: list }));
  site = await Site.openCluster();
});
afterEach(async () => {
  await site?.close();
  await source?.close();
});

/** A workflow whose source has three new items from the next poll on. */
async function threeNewItems(): Promise<string> {
  const id = await site.watching('http_poll', { url: source.url, every: '1m' });
  await site.pass(0);
  list = [{ id: 1 }, { id: 2 }, { id: 3 }];
  return id;
}

/** Advances the clock, as the polls for due work use it, until a condition holds. */
const meanwhile = (what: string, holds: () => boolean): Promise<boolean> =>
  until(what, () => {
    site.clock.advance(10);
    return holds();
  });

/** Lets the first scheduler die, and another one go on until everything is decided. */
async function takenOver(): Promise<void> {
  await site.kill();
  await site.addScheduler();
  site.executor.hanging.clear();
  await site.pass(2 * MINUTE);
  await site.pass(MINUTE);
}

async function expectEachOnce(id: string): Promise<void> {
  expect(site.triggersOf(id).map((trigger) => trigger.id)).toEqual(['1', '2', '3']);
  const { items_seen, failures, recent_runs } = await until('the scheduler is known', () =>
    site.source(id).catch(() => null),
  );
  expect({ items_seen, failures }).toEqual({ items_seen: 3, failures: 0 });
  expect(recent_runs.map(({ item, outcome }) => `${item} ${outcome}`).sort()).toEqual([
    '1 fired',
    '2 fired',
    '3 fired',
  ]);
}

/** The first write of that name by the scheduler is its last act: nothing comes back, whether it took place or not. */
function diesAt(write: 'insertMany' | 'bulkWrite', when: 'before' | 'after'): { dead: boolean } {
  const { app } = site.schedulers[0] as (typeof site.schedulers)[number];
  const model = app.db.model(write === 'insertMany' ? 'schedule_slot' : 'schedule');
  const collection = model.collection as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const act = collection[write]?.bind(collection);
  const death = { dead: false };
  collection[write] = async (...args) => {
    if (when === 'after') await act?.(...args);
    death.dead = true;
    throw new Error('the process is gone');
  };
  return death;
}

describe('a scheduler that dies repeats nothing and loses nothing', () => {
  test('while it waits for the source', async () => {
    const id = await threeNewItems();
    const { answer } = source;
    source.answer = () => ({ hang: true });
    const asked = source.asked.length;
    site.clock.advance(MINUTE);
    await meanwhile('it is asked', () => source.asked.length > asked);
    source.answer = answer;
    await takenOver();
    await expectEachOnce(id);
  });

  test.each([0, 1, 2])('when %i of three runs have started, and the next is under way', async (count) => {
    const id = await threeNewItems();
    const { runs, hanging } = site.executor;
    const set = runs.set.bind(runs);
    runs.set = (...entry) => {
      if (runs.size === count - 1) hanging.add('ann');
      return set(...entry);
    };
    if (count === 0) hanging.add('ann');
    const asked = source.asked.length;
    site.clock.advance(MINUTE);
    await meanwhile('the runs have started', () => source.asked.length > asked && runs.size === count);
    await takenOver();
    await expectEachOnce(id);
  });

  test.each([
    ['insertMany', 'before'],
    ['insertMany', 'after'],
    ['bulkWrite', 'before'],
    ['bulkWrite', 'after'],
  ] as const)('at its %s, %s it takes effect', async (write, when) => {
    const id = await threeNewItems();
    const death = diesAt(write, when);
    site.clock.advance(MINUTE);
    await meanwhile('it has died', () => death.dead);
    await takenOver();
    await expectEachOnce(id);
  });
});

test('a scheduler that ends while it waits for a source counts no failure, and the next one asks at once', async () => {
  const id = await threeNewItems();
  const { answer } = source;
  source.answer = () => ({ hang: true });
  const asked = source.asked.length;
  site.clock.advance(MINUTE);
  await meanwhile('it is asked', () => source.asked.length > asked);
  source.answer = answer;
  await (site.schedulers.shift() as (typeof site.schedulers)[number]).close();
  await site.addScheduler();
  expect(await site.source(id)).toMatchObject({ failures: 0, trouble: null });
  await site.pass(0);
  await expectEachOnce(id);
});

test('several schedulers start each item once', async () => {
  for (let n = 0; n < 2; n += 1) await site.addScheduler();
  const ids: string[] = [];
  for (let n = 0; n < 10; n += 1) ids.push(await site.watching('http_poll', { url: source.url, every: '1m' }));
  await site.pass(0);
  for (let round = 1; round <= 5; round += 1) {
    list = Array.from({ length: 4 * round }, (_, n) => ({ id: n }));
    await site.pass(MINUTE);
  }
  for (const id of ids) {
    const started = site.triggersOf(id).map((trigger) => Number(trigger.id));
    expect(started).toEqual(Array.from({ length: 20 }, (_, n) => n));
  }
}, 60_000);
