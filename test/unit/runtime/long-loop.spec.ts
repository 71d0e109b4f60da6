import { replay } from '../../../runtime/core/state/fold';
import { settle, until } from '../../support/manual-clock';
import { World } from '../../support/runtime/world';

const ITEMS = 10_000;

const long = (world: World) =>
  world.plan([
    {
      id: 'each',
      type: 'foreach',
      config: { items: '{{ trigger.list }}', concurrency: 3 },
      steps: [{ id: 'a', type: 'set', config: { v: '{{ loop.item * 2 }}' } }],
    },
  ]);
const list = Array.from({ length: ITEMS }, (_, n) => n);

describe('a loop of very many items', () => {
  it('continues after the death of its host, and records no item twice', async () => {
    const world = new World();
    const first = world.host();
    await first.host.start();
    const plan = long(world);
    await first.host.begin(world.execution('a', plan, { list }), plan);
    while ((world.db.journals.get('a') ?? []).length < 8) await settle(1);
    first.connection.kill();
    const before = world.entries('a').filter(({ kind }) => kind === 'loop.item').length;
    expect(before).toBeGreaterThan(1_000);
    expect(before).toBeLessThan(ITEMS);
    await world.host().host.start();
    await until(world.clock, () => world.ended('a'), 100_000);
    expect(world.row('a').output).toEqual({ results: list.map((n) => ({ v: n * 2 })), count: ITEMS });
    const items = world.entries('a').flatMap((entry) => (entry.kind === 'loop.item' ? [entry.index] : []));
    expect([items.length, new Set(items).size]).toEqual([ITEMS, ITEMS]);
  }, 120_000);

  it('keeps only the results of its items, in records that fit into documents', async () => {
    const world = new World();
    const { host } = world.host();
    await host.start();
    const plan = long(world);
    await host.begin(world.execution('a', plan, { list }), plan);
    await until(world.clock, () => world.ended('a'), 100_000);
    const records = world.db.journals.get('a') ?? [];
    expect(records.length).toBeLessThan(60);
    expect(Math.max(...records.map(({ json }) => json.length))).toBeLessThan(600_000);
    const half = world.entries('a').slice(0, ITEMS);
    const state = replay(half);
    expect(state.steps.size).toBeLessThan(10);
    expect([state.items.size, state.cursors.size]).toEqual([expect.any(Number), 0]);
    expect(state.items.size).toBeLessThan(10);
  }, 120_000);

  it('lets timers fire between its steps', async () => {
    const world = new World();
    const { host } = world.host();
    await host.start();
    const plan = long(world);
    let turns = 0;
    const tick = (): void => {
      turns += 1;
      if (!world.ended('a')) setImmediate(tick);
    };
    await host.begin(world.execution('a', plan, { list: list.slice(0, 2_000) }), plan);
    setImmediate(tick);
    await until(world.clock, () => world.ended('a'), 100_000);
    // Some dozens of steps at a time, and not all of them in one go.
    expect(turns).toBeGreaterThan(20);
  });
});
