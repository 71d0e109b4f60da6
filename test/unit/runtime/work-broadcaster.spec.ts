import type { Json, JsonObject } from '../../../lib/json';
import type { Entry } from '../../../runtime/core/entries/entry';
import { until } from '../../support/manual-clock';
import { World } from '../../support/runtime/world';

const set = (id: string, config: JsonObject): Json => ({ id, type: 'set', config });
const log = (id: string, message: string): Json => ({ id, type: 'log', config: { message } });

/** A world in which runs of one step end, with or without a subscriber. */
function worldOf(listening: boolean) {
  const world = new World();
  world.listening = listening;
  const announced: string[] = [];
  world.announce = async (id) => void announced.push(id);
  const plan = world.plan([set('s', { v: 1 })]);
  return { world, plan, announced };
}

describe('the end of a run', () => {
  it('is announced to subscribers, and then removed from the outbox', async () => {
    const { world, plan, announced } = worldOf(true);
    const { host } = world.host();
    await host.start();
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => announced.length > 0 && world.row('a').outbox.length === 0);
    expect(announced).toEqual(['a']);
  });

  it('is not announced without subscribers', async () => {
    const { world, plan, announced } = worldOf(false);
    const { host } = world.host();
    await host.start();
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.ended('a'));
    const later = world.clock.now() + 20_000;
    await until(world.clock, () => world.clock.now() >= later);
    expect([announced, world.row('a').outbox]).toEqual([[], []]);
  });

  it('is announced until it is received, and an unreceived one does not delay others', async () => {
    const { world, plan, announced } = worldOf(true);
    let isUnreachable = true;
    world.announce = async (id) => {
      if (isUnreachable && id === 'a') throw new Error('no subscriber answers');
      announced.push(id);
    };
    const { host } = world.host();
    await host.start();
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.ended('a'));
    const second = world.host().host;
    await host.stop(0);
    await second.start();
    await second.begin(world.execution('b', plan), plan);
    await until(world.clock, () => announced.includes('b'));
    const later = world.clock.now() + 20_000;
    await until(world.clock, () => world.clock.now() >= later);
    expect([announced, world.row('a').outbox]).toEqual([['b'], [{ kind: 'announce' }]]);
    isUnreachable = false;
    await until(world.clock, () => world.row('a').outbox.length === 0);
    expect(announced).toEqual(['b', 'a']);
  });

  it('is announced by another host when its own died right after it', async () => {
    const { world, plan, announced } = worldOf(true);
    world.announce = () => new Promise(() => {});
    const { host, connection } = world.host();
    await host.start();
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.ended('a'));
    connection.kill();
    world.announce = async (id) => void announced.push(id);
    await world.host().host.start();
    await until(world.clock, () => world.row('a').outbox.length === 0);
    expect(announced).toEqual(['a']);
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

  it('sees the fixture for steps outside of its plan', async () => {
    const step = set('s', {
      t: '{{ trigger.n }}',
      o: '{{ steps.far.v }}',
      i: '{{ loop.item }}',
      e: '{{ error.code }}',
    });
    const given = { trigger: { n: 1 }, steps: { far: { v: 2 } }, loop: { item: 3, index: 0 }, error: { code: 'x' } };
    expect(outputOf(await tested([step], given), 's')).toEqual({ t: 1, o: 2, i: 3, e: 'x' });
  });

  it('sees outputs of its own steps before the fixture', async () => {
    const loop = {
      id: 'each',
      type: 'foreach',
      config: { items: ['own'] },
      steps: [set('a', { v: 'own' }), set('b', { v: '{{ steps.a.v }}', i: '{{ loop.item }}' })],
    };
    const given = { trigger: {}, steps: { a: { v: 'given' } }, loop: { item: 'given' }, error: null };
    expect(outputOf(await tested([loop], given), 'each/steps[0]/b')).toEqual({ v: 'own', i: 'own' });
  });

  it('stores the log lines of its steps', async () => {
    const entries = await tested([log('l', 'hello')], { trigger: {}, steps: {}, loop: null, error: null });
    const completed = entries.find((entry) => entry.kind === 'step.completed');
    expect(completed).toMatchObject({ path: 'l', logs: [{ level: 'info', message: 'hello' }] });
  });

  it('is the only kind that stores them: other runs store no log', async () => {
    const world = new World();
    const { host } = world.host();
    await host.start();
    const plan = world.plan([log('l', 'hello')]);
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.ended('a'));
    for (const entry of world.entries('a')) expect(entry).not.toHaveProperty('logs');
  });
});
