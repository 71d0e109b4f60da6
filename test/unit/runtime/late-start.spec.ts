import type { Json } from '../../../lib/json';
import { Gate } from '../../../runtime/actor/gate';
import { settle, until } from '../../support/manual-clock';
import { World } from '../../support/runtime/world';

const pure: Json = { id: 's', type: 'set', config: { v: 1 } };
const effect: Json = { id: 'e', type: 'effect', config: {} };

async function oneHost() {
  const world = new World();
  const { host, connection } = world.host();
  await host.start();
  return { world, host, connection };
}

describe('a run that is stored when that is needed', () => {
  it('is one write when nothing needed it before the end', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([pure]);
    expect(await host.begin(world.execution('a', plan), plan, true)).toBe('here');
    expect(world.row('a')).toMatchObject({ status: 'completed', output: { v: 1 }, owner: null, epoch: 1 });
    expect(connection.log.filter((verb) => verb !== 'claim')).toEqual(['insert']);
    expect(world.entries('a').map(({ kind }) => kind)).toEqual(['step.completed', 'run.ended']);
  });

  it('is stored before its first effect begins', async () => {
    const { world, host } = await oneHost();
    const plan = world.plan([pure, effect]);
    const order: boolean[] = [];
    world.answers.set('e', () => {
      order.push(
        world.db.executions.has('a'),
        world.entries('a').some(({ kind }) => kind === 'step.started'),
      );
      return { kind: 'done', output: {} };
    });
    await host.begin(world.execution('a', plan), plan, true);
    await until(world.clock, () => world.ended('a'));
    expect(order).toEqual([true, true]);
  });

  it('is stored before it waits out of memory', async () => {
    const { world, host } = await oneHost();
    const plan = world.plan([{ id: 'w', type: 'approval', config: { message: '?' } }]);
    await host.begin(world.execution('a', plan), plan, true);
    await settle();
    expect(world.row('a')).toMatchObject({ owner: null, waiting: [{ kind: 'approval' }] });
  });

  it('answers whoever starts it again only when it is stored', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([pure]);
    connection.fails = (verb) => (verb === 'insert' ? 'before' : null);
    void host.begin(world.execution('a', plan), plan, true);
    await settle();
    let again: string | null = null;
    void host.begin(world.execution('a', plan), plan, true).then((began) => (again = began));
    await settle();
    expect(again).toBeNull();

    connection.fails = () => null;

    await until(world.clock, () => again !== null);
    expect(again).toBe('exists');
    expect(world.ended('a')).toBe(true);
    expect(world.endings).toEqual(['a']);
  });

  it('whose end cannot be stored is tried until it can, and ends once', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([pure]);
    let tries = 0;
    connection.fails = (verb) => (verb === 'insert' && ++tries < 4 ? 'before' : null);
    const began = host.begin(world.execution('a', plan), plan, true);
    await until(world.clock, () => world.ended('a'));
    expect(await began).toBe('here');
    expect(world.endings).toEqual(['a']);
  });

  it('whose end was stored though the answer was lost is known for its own', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([pure]);
    let lost = true;
    connection.fails = (verb) => {
      if (verb !== 'insert' || !lost) return null;
      lost = false;
      return 'after';
    };
    const began = host.begin(world.execution('a', plan), plan, true);
    await until(world.clock, () => world.endings.length === 1);
    expect(await began).toBe('here');
    expect(world.row('a').status).toBe('completed');
  });

  it('is handed to others as new when its host is fenced before anything was stored', async () => {
    const { world, host, connection } = await oneHost();
    // A node that never ends, and computes only: nothing needs to be stored.
    const plan = world.plan([{ id: 's', type: 'think', config: {} } as Json, effect]);
    world.answers.set('s', () => new Promise(() => {}));
    const began = host.begin(world.execution('a', plan), plan, true);
    await settle();
    expect(world.db.executions.has('a')).toBe(false);
    connection.fails = (verb) => (verb === 'renew' ? 'before' : null);
    await until(world.clock, () => world.db.executions.has('a'));
    expect(await began).toBe('stored');
    expect(world.row('a')).toMatchObject({ status: 'running' });
    world.answers.set('s', () => ({ kind: 'done', output: {} }));
    connection.fails = () => null;
    await until(world.clock, () => world.ended('a'));
    expect(world.outside.ran.get('e')).toBe(1);
  });
});

describe('a gate', () => {
  it('opens once, for whoever asks, and is open for what was stored before', async () => {
    let stored = 0;
    const gate = new Gate(async () => void (stored += 1));
    expect(gate.asked).toBe(false);
    await Promise.all([gate.open(), gate.open(), gate.opened]);
    expect([stored, gate.asked, Gate.passed().asked]).toEqual([1, true, true]);
  });

  it('tells its fault to all', async () => {
    const gate = new Gate(() => Promise.reject(new Error('down')));
    await expect(gate.open()).rejects.toThrow('down');
    await expect(gate.opened).rejects.toThrow('down');
  });
});
