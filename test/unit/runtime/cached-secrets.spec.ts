import type { JsonObject } from '../../../lib/json';
import { until } from '../../support/manual-clock';
import { World } from '../../support/runtime/world';

describe('the output of a step that uses a secret', () => {
  it('is not reused by a step that uses another one', async () => {
    const world = new World();
    const { host } = world.host();
    await host.start();
    world.secrets.set('NORTH', 'north-north-1');
    world.secrets.set('SOUTH', 'south-south-2');
    world.answers.set('a', (n) => ({ kind: 'done', output: { n } }));
    const plan = world.plan([
      {
        id: 'a',
        type: 'effect',
        config: { token: '{{ trigger.side == "north" ? secret.NORTH : secret.SOUTH }}' },
        cache: '10m',
      },
    ]);
    let number = 0;
    const run = async (trigger: JsonObject) => {
      const id = `run${++number}`;
      await host.begin(world.execution(id, plan, trigger, { triggerType: 'webhook' }), plan);
      await until(world.clock, () => world.ended(id));
      return world.row(id).output;
    };
    expect(await run({ side: 'north' })).toEqual({ n: 1 });
    expect(await run({ side: 'south' })).toEqual({ n: 2 });
    expect(await run({ side: 'north' })).toEqual({ n: 1 });
    expect(world.outside.ran.get('a')).toBe(2);
  });
});
