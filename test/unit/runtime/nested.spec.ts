import type { Json, JsonObject } from '../../../lib/json';
import { until } from '../../support/manual-clock';
import { World } from '../../support/runtime/world';

const effect = (id: string, config: JsonObject = {}, more: JsonObject = {}): Json => ({
  id,
  type: 'effect',
  config,
  ...more,
});
const set = (id: string, config: JsonObject): Json => ({ id, type: 'set', config });

async function run(steps: Json[], rest: JsonObject = {}, prepare: (world: World) => void = () => {}) {
  const world = new World();
  prepare(world);
  const { host } = world.host();
  await host.start();
  const plan = world.plan(steps, rest);
  await host.begin(world.execution('a', plan, { n: 1, list: [1, 2, 3] }), plan);
  await until(world.clock, () => world.ended('a'));
  expect(world.faults).toEqual([]);
  return { world, row: world.row('a') };
}

describe('container steps', () => {
  it('run on a host, three levels deep', async () => {
    const { row, world } = await run(
      [
        {
          id: 'each',
          type: 'foreach',
          config: { items: '{{ trigger.list }}', concurrency: 2 },
          steps: [
            {
              id: 'big',
              type: 'branch',
              cases: [{ when: '{{ loop.item > 1 }}', steps: [effect('buy', { v: '{{ loop.item * 10 }}' })] }],
              else: [set('no', { v: 0 })],
            },
            {
              id: 'poll',
              type: 'while',
              config: { condition: '{{ loop.index < loop.parent.item }}' },
              steps: [effect('look', { at: '{{ loop.index }}', of: '{{ loop.parent.item }}' })],
            },
            set('sum', { v: '{{ (steps.buy.v ?? steps.no.v) + steps.poll.iterations }}' }),
          ],
        },
        {
          id: 'both',
          type: 'parallel',
          branches: [
            { id: 'l', steps: [effect('left')] },
            {
              id: 'r',
              steps: [{ id: 'safe', type: 'try', steps: [effect('bad')], catch: [set('why', { e: '{{ error }}' })] }],
            },
          ],
        },
      ],
      {},
      (world) =>
        world.answers.set('both/branches.1/safe/steps/bad', () => ({
          kind: 'fail',
          error: { code: 'c', message: 'm' },
          retryable: false,
        })),
    );
    expect(row.error).toBeNull();
    const states = world.entries('a').filter((entry) => entry.kind === 'step.completed');
    expect(states.find((entry) => entry.path === 'each')).toMatchObject({
      output: { results: [{ v: 1 }, { v: 22 }, { v: 33 }], count: 3 },
    });
    expect(row.output).toEqual({
      branches: {
        l: { effect: 'both/branches.0/left' },
        r: { failed: true, error: { step_id: 'bad', type: 'effect', code: 'c', message: 'm' } },
      },
    });
    expect(world.outside.ran.get('each/steps[2]/poll/steps.2/look')).toBe(1);
  });
});
