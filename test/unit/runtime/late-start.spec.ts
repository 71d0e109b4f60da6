import type { Json } from '../../../lib/json';
import { DeferredInsert } from '../../../runtime/execution/deferred-insert';
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

describe('a deferred insert of a run', () => {
  it('is one write if it is not needed before the end', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([pure]);
    expect(await host.begin(world.execution('a', plan), plan, Number.POSITIVE_INFINITY)).toBe('here');
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
    await host.begin(world.execution('a', plan), plan, Number.POSITIVE_INFINITY);
    await until(world.clock, () => world.ended('a'));
    expect(order).toEqual([true, true]);
  });

  it('is stored before it waits out of memory', async () => {
    const { world, host } = await oneHost();
    const plan = world.plan([{ id: 'w', type: 'approval', config: { message: '?' } }]);
    await host.begin(world.execution('a', plan), plan, Number.POSITIVE_INFINITY);
    await settle();
    expect(world.row('a')).toMatchObject({ owner: null, waiting: [{ kind: 'approval' }] });
  });

  it('answers a repeated start only when it is stored', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([pure]);
    connection.fails = (verb) => (verb === 'insert' ? 'before' : null);
    void host.begin(world.execution('a', plan), plan, Number.POSITIVE_INFINITY);
    await settle();
    let again: string | null = null;
    void host.begin(world.execution('a', plan), plan, Number.POSITIVE_INFINITY).then((began) => (again = began));
    await settle();
    expect(again).toBeNull();

    connection.fails = () => null;

    await until(world.clock, () => again !== null);
    expect(again).toBe('exists');
    expect(world.ended('a')).toBe(true);
    expect(world.endings).toEqual(['a']);
  });

  it('whose end cannot be stored is retried, and ends once', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([pure]);
    let tries = 0;
    connection.fails = (verb) => (verb === 'insert' && ++tries < 4 ? 'before' : null);
    const began = host.begin(world.execution('a', plan), plan, Number.POSITIVE_INFINITY);
    await until(world.clock, () => world.ended('a'));
    expect(await began).toBe('here');
    expect(world.endings).toEqual(['a']);
  });

  it('whose end was stored without an answer is recognized', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([pure]);
    let lost = true;
    connection.fails = (verb) => {
      if (verb !== 'insert' || !lost) return null;
      lost = false;
      return 'after';
    };
    const began = host.begin(world.execution('a', plan), plan, Number.POSITIVE_INFINITY);
    await until(world.clock, () => world.endings.length === 1);
    expect(await began).toBe('here');
    expect(world.row('a').status).toBe('completed');
  });

  it('is passed to other hosts as new when its host is fenced before the insert', async () => {
    const { world, host, connection } = await oneHost();
    // A node that never ends, and computes only: nothing needs to be stored.
    const plan = world.plan([{ id: 's', type: 'think', config: {} } as Json, effect]);
    world.answers.set('s', () => new Promise(() => {}));
    const began = host.begin(world.execution('a', plan), plan, Number.POSITIVE_INFINITY);
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

describe('a run that must be stored soon', () => {
  it('is one write if it ends before', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([pure]);
    expect(await host.begin(world.execution('a', plan), plan, 2)).toBe('here');
    expect(world.row('a')).toMatchObject({ status: 'completed', output: { v: 1 } });
    expect(connection.log.filter((verb) => verb !== 'claim')).toEqual(['insert']);
    await until(world.clock, () => world.clock.now() > 10);
    expect(connection.log.filter((verb) => verb === 'insert')).toHaveLength(1);
  });

  it('is stored in time, and its caller answered, while it computes', async () => {
    const { world, host } = await oneHost();
    const plan = world.plan([{ id: 's', type: 'think', config: {} } as Json]);
    let finish = (): void => {};
    world.answers.set('s', () => new Promise((resolve) => (finish = () => resolve({ kind: 'done', output: {} }))));
    let began: string | null = null;
    void host.begin(world.execution('a', plan), plan, 2).then((outcome) => (began = outcome));
    await settle();
    expect([began, world.db.executions.has('a')]).toEqual([null, false]);
    world.clock.advance(2);
    await settle();
    expect([began, world.row('a').status]).toEqual(['here', 'running']);
    finish();
    await until(world.clock, () => world.ended('a'));
  });

  it('is refused when its end cannot be stored, and does not run on', async () => {
    const { world, host, connection } = await oneHost();
    const plan = world.plan([pure]);
    connection.fails = (verb) => (verb === 'insert' ? 'before' : null);
    await expect(host.begin(world.execution('a', plan), plan, 2)).rejects.toThrow('no connection');
    connection.fails = () => null;
    world.clock.advance(1_000);
    await settle();
    expect([world.db.executions.has('a'), host.running]).toEqual([false, 0]);
  });
});

describe('the insert', () => {
  it('runs once for all callers, and is done for a stored run', async () => {
    let stored = 0;
    const gate = new DeferredInsert(async () => void (stored += 1));
    expect(gate.requested).toBe(false);
    await Promise.all([gate.store(), gate.store(), gate.stored]);
    expect([stored, gate.requested, DeferredInsert.alreadyStored().requested]).toEqual([1, true, true]);
  });

  it('rejects all callers with its error', async () => {
    const gate = new DeferredInsert(() => Promise.reject(new Error('down')));
    await expect(gate.store()).rejects.toThrow('down');
    await expect(gate.stored).rejects.toThrow('down');
  });
});
