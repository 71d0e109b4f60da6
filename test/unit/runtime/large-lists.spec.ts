import type { Json, JsonObject } from '../../../lib/json';
import { until } from '../../support/manual-clock';
import { World } from '../../support/runtime/world';

const ROWS = 300;
/** About 3 MiB. */
const rows = (): Json[] => Array.from({ length: ROWS }, (_, n) => ({ n, text: 'x'.repeat(10_000) }));

const loop = (items: string): JsonObject => ({
  id: 'each',
  type: 'foreach',
  config: { items, concurrency: 100 },
  steps: [{ id: 'pick', type: 'set', config: { n: '{{ loop.item.n }}' } }],
});

async function run(items: string, trigger: JsonObject) {
  const world = new World();
  const { host } = world.host();
  await host.start();
  const plan = world.plan([loop(items)]);
  await host.begin(world.execution('a', plan, trigger), plan);
  await until(world.clock, () => world.ended('a'));
  await host.stop(0);
  return { world, row: world.row('a') };
}

describe('a foreach over a list of more than 1 MiB', () => {
  it('reads the list by its path, and stores it once, as a payload', async () => {
    const { world, row } = await run('{{ trigger.rows }}', { rows: rows() });
    expect(row).toMatchObject({ status: 'completed', error: null });
    expect((row.output as JsonObject).count).toBe(ROWS);
    const results = (row.output as { results: { n: number }[] }).results;
    expect([results[0]?.n, results[ROWS - 1]?.n]).toEqual([0, ROWS - 1]);
    const lists = [...world.db.payloads.values()].filter((json) => json.includes('"items":[{"n":0'));
    expect(lists).toHaveLength(1);
    expect(world.entries('a').filter(({ kind }) => kind === 'loop.item')).toHaveLength(ROWS);
  });

  it('continues with the same list on another host', async () => {
    const world = new World();
    const first = world.host();
    await first.host.start();
    const plan = world.plan([loop('{{ trigger.rows }}')]);
    await first.host.begin(world.execution('a', plan, { rows: rows() }), plan);
    await until(world.clock, () => world.entries('a').some(({ kind }) => kind === 'loop.item'));
    first.connection.kill();
    const second = world.host();
    await second.host.start();
    await until(world.clock, () => world.ended('a'));
    await second.host.stop(0);
    expect((world.row('a').output as JsonObject).count).toBe(ROWS);
  });

  it.each([
    ['of a computed list', '{{ trigger.rows | reverse }}'],
    ['of an object', '{{ trigger }}'],
  ])('refuses the value %s', async (_title, items) => {
    const { row } = await run(items, { rows: rows() });
    expect(row).toMatchObject({ status: 'failed', error: { code: 'expression', step_id: 'each' } });
    expect(row.error?.message).toMatch(/1 MiB|operations|cannot be evaluated/);
  });

  it('refuses a list of too many items', async () => {
    const { row } = await run('{{ trigger.rows }}', {
      rows: Array.from({ length: 100_001 }, (_, n) => `item ${n} ${n}`),
    });
    expect(row).toMatchObject({ status: 'failed', error: { code: 'invalid_items', step_id: 'each' } });
  });
});
