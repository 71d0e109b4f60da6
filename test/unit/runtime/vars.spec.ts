import type { Json, JsonObject } from '../../../lib/json';
import { until } from '../../support/manual-clock';
import { World } from '../../support/runtime/world';

const set = (config: JsonObject): Json => ({ id: 'a', type: 'set', config });

/** A world whose tenants have these variables; counts how often hosts ask. */
function worldWith(read: (tenantId: string) => JsonObject): { world: World; asked: string[] } {
  const world = new World();
  const asked: string[] = [];
  world.readVars = async (tenantId) => {
    asked.push(tenantId);
    return read(tenantId);
  };
  return { world, asked };
}

describe('variables of a run', () => {
  test('are those of its tenant, and are requested once per activation', async () => {
    const { world, asked } = worldWith((tenantId) => ({ who: tenantId }));
    const plan = world.plan([set({ v: '{{ vars.who }}' })], { output: '{{ vars.who }}/{{ steps.a.v }}' });
    const { host } = world.host();
    await host.start();
    for (const tenantId of ['one', 'two']) {
      await host.begin(world.execution(tenantId, plan, {}, { tenantId }), plan);
      await until(world.clock, () => world.ended(tenantId));
      expect(world.row(tenantId).output).toBe(`${tenantId}/${tenantId}`);
    }
    expect(asked).toEqual(['one', 'two']);
  });

  test('are not requested for a plan that uses none', async () => {
    const { world, asked } = worldWith(() => ({}));
    const plan = world.plan([set({ vars: '{{ trigger.vars }}' })]);
    const { host } = world.host();
    await host.start();
    await host.begin(world.execution('a', plan, { vars: 1 }), plan);
    await until(world.clock, () => world.ended('a'));
    expect(world.row('a').output).toEqual({ vars: 1 });
    expect(asked).toEqual([]);
  });

  test('stay the same while the run is on a host, and are the newest ones on the next host', async () => {
    let n = 1;
    const { world } = worldWith(() => ({ n }));
    const steps: Json[] = [
      set({ n: '{{ vars.n }}' }),
      { id: 'w', type: 'wait_for_signal', config: { signal: 'go' } },
      { id: 'b', type: 'set', config: { n: '{{ vars.n }}' } },
    ];
    const plan = world.plan(steps, { output: ['{{ steps.a.n }}', '{{ steps.b.n }}', '{{ vars.n }}'] });
    const first = world.host();
    await first.host.start();
    for (const id of ['stays', 'moves']) await first.host.begin(world.execution(id, plan), plan);
    await until(world.clock, () => world.row('moves').waiting.length > 0 && world.row('stays').waiting.length > 0);
    n = 2;
    await world.send('stays', { id: 'm1', name: 'go' });
    await until(world.clock, () => world.ended('stays'));
    await first.host.stop(1_000);
    const second = world.host();
    await second.host.start();
    await world.send('moves', { id: 'm2', name: 'go' });
    await until(world.clock, () => world.ended('moves'));
    expect(world.row('moves').output).toEqual([1, 2, 2]);
    expect([
      [1, 1, 1],
      [1, 2, 2],
    ]).toContainEqual(world.row('stays').output);
  });

  test('that cannot be read leave the run stored; it starts when they can', async () => {
    let fails = true;
    const { world } = worldWith(() => {
      if (fails) throw new Error('the service does not answer');
      return { v: 7 };
    });
    const plan = world.plan([set({ v: '{{ vars.v }}' })]);
    const { host } = world.host();
    await host.start();
    expect(await host.begin(world.execution('a', plan), plan)).toBe('stored');
    await until(world.clock, () => world.faults.length >= 3);
    expect(world.ended('a')).toBe(false);
    fails = false;
    await until(world.clock, () => world.ended('a'));
    expect(world.row('a')).toMatchObject({ status: 'completed', output: { v: 7 } });
  });

  test('are own members only', async () => {
    const { world } = worldWith(() => JSON.parse('{"__proto__": {"inner": 1}}') as JsonObject);
    const plan = world.plan([
      set({
        own: '{{ vars.__proto__.inner }}',
        other: '{{ vars.constructor ?? "none" }}',
        inner: '{{ vars.inner ?? 0 }}',
      }),
    ]);
    const { host } = world.host();
    await host.start();
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.ended('a'));
    expect(world.row('a').output).toEqual({ own: 1, other: 'none', inner: 0 });
  });

  test('that are missing fail the step with their name', async () => {
    const { world } = worldWith(() => ({ region: 'eu' }));
    const plan = world.plan([set({ v: '{{ vars.regoin }}' })]);
    const { host } = world.host();
    await host.start();
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.ended('a'));
    expect(world.row('a').error?.message).toContain(
      'vars.regoin does not exist: vars has region; did you mean region?',
    );
  });
});
