import type { Json, JsonObject } from '../../../lib/json';
import type { Entry } from '../../../runtime/record/entry';
import { until } from '../../support/manual-clock';
import { World } from '../../support/runtime/world';

const set = (id: string, config: JsonObject): Json => ({ id, type: 'set', config });
const log = (id: string, message: string): Json => ({ id, type: 'log', config: { message } });

/** A world in which runs of one step end, and somebody may listen. */
function worldOf(listening: boolean) {
  const world = new World();
  world.listening = listening;
  const told: string[] = [];
  world.announce = async (id) => void told.push(id);
  const plan = world.plan([set('s', { v: 1 })]);
  return { world, plan, told };
}

describe('the end of a run', () => {
  it('is announced where somebody listens, and then forgotten', async () => {
    const { world, plan, told } = worldOf(true);
    const { host } = world.host();
    await host.start();
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => told.length > 0 && world.row('a').outbox.length === 0);
    expect(told).toEqual(['a']);
  });

  it('costs nobody anything where nobody listens', async () => {
    const { world, plan, told } = worldOf(false);
    const { host } = world.host();
    await host.start();
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.ended('a'));
    const later = world.clock.now() + 20_000;
    await until(world.clock, () => world.clock.now() >= later);
    expect([told, world.row('a').outbox]).toEqual([[], []]);
  });

  it('is announced until somebody has heard it, and one that nobody hears holds up no other', async () => {
    const { world, plan, told } = worldOf(true);
    let deaf = true;
    world.announce = async (id) => {
      if (deaf && id === 'a') throw new Error('nobody answers');
      told.push(id);
    };
    const { host } = world.host();
    await host.start();
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.ended('a'));
    const second = world.host().host;
    await host.stop(0);
    await second.start();
    await second.begin(world.execution('b', plan), plan);
    await until(world.clock, () => told.includes('b'));
    const later = world.clock.now() + 20_000;
    await until(world.clock, () => world.clock.now() >= later);
    expect([told, world.row('a').outbox]).toEqual([['b'], [{ kind: 'announce' }]]);
    deaf = false;
    await until(world.clock, () => world.row('a').outbox.length === 0);
    expect(told).toEqual(['b', 'a']);
  });

  it('is announced by another host when its own died right after it', async () => {
    const { world, plan, told } = worldOf(true);
    world.announce = () => new Promise(() => {});
    const { host, connection } = world.host();
    await host.start();
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.ended('a'));
    connection.kill();
    world.announce = async (id) => void told.push(id);
    await world.host().host.start();
    await until(world.clock, () => world.row('a').outbox.length === 0);
    expect(told).toEqual(['a']);
  });
});

describe('the test of a step', () => {
  /** The entries of a test of these steps, as they are on record. */
  async function tested(steps: Json[], given: JsonObject): Promise<Entry[]> {
    const world = new World();
    const { host } = world.host();
    await host.start();
    const plan = world.plan(steps);
    await host.begin(world.execution('a', plan, given, { triggerType: 'test' }), plan);
    await until(world.clock, () => world.ended('a'));
    return world.entries('a');
  }
  const outputOf = (entries: Entry[], path: string): Json | undefined =>
    entries.flatMap((entry) => (entry.kind === 'step.completed' && entry.path === path ? [entry.output] : []))[0];

  it('sees what is given for what is not in its plan', async () => {
    const step = set('s', {
      t: '{{ trigger.n }}',
      o: '{{ steps.far.v }}',
      i: '{{ loop.item }}',
      e: '{{ error.code }}',
    });
    const given = { trigger: { n: 1 }, steps: { far: { v: 2 } }, loop: { item: 3, index: 0 }, error: { code: 'x' } };
    expect(outputOf(await tested([step], given), 's')).toEqual({ t: 1, o: 2, i: 3, e: 'x' });
  });

  it('sees what its own steps do before what is given', async () => {
    const loop = {
      id: 'each',
      type: 'foreach',
      config: { items: ['own'] },
      steps: [set('a', { v: 'own' }), set('b', { v: '{{ steps.a.v }}', i: '{{ loop.item }}' })],
    };
    const given = { trigger: {}, steps: { a: { v: 'given' } }, loop: { item: 'given' }, error: null };
    expect(outputOf(await tested([loop], given), 'each/steps[0]/b')).toEqual({ v: 'own', i: 'own' });
  });

  it('keeps what its steps wrote into the log', async () => {
    const entries = await tested([log('l', 'hello')], { trigger: {}, steps: {}, loop: null, error: null });
    const completed = entries.find((entry) => entry.kind === 'step.completed');
    expect(completed).toMatchObject({ path: 'l', logs: [{ level: 'info', message: 'hello' }] });
  });

  it('is alone in that: other runs keep no log', async () => {
    const world = new World();
    const { host } = world.host();
    await host.start();
    const plan = world.plan([log('l', 'hello')]);
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.ended('a'));
    for (const entry of world.entries('a')) expect(entry).not.toHaveProperty('logs');
  });
});
