import type { Json } from '../../../lib/json';
import { childMessageId } from '../../../runtime/core/decide/children';
import { CANCEL } from '../../../runtime/core/decide/waits';
import type { OutboxItem } from '../../../runtime/core/model';
import { settle, until } from '../../support/manual-clock';
import { ending, execution, mail, ready, T0 } from '../../support/runtime/records';
import { LEASE_MS, World } from '../../support/runtime/world';

const call: Json = { id: 'call', type: 'sub_workflow', config: { workflow: 'other' } };
const approval: Json = { id: 'ok', type: 'approval', config: { message: '?' } };
const CHILD = 'a>call#0';

/** Runs whose host died right after their ends were stored, with what they had to tell. */
async function deserted(outboxes: Record<string, OutboxItem[]>): Promise<World> {
  const world = new World();
  for (const [id, outbox] of Object.entries(outboxes)) {
    await world.client.runs.insert(execution(id));
    await world.client.runs.end({ id, host: 'h1', epoch: 1 }, ending({ endedAt: world.clock.now(), outbox }), null);
  }
  return world;
}

const post = (to: string, id = 'm'): OutboxItem => ({ kind: 'post', to, message: mail(id) });

describe('the outbox of an ended run', () => {
  it('is processed at once, and then cleared', async () => {
    const world = new World();
    world.workflows.set('other', world.plan([approval]));
    const { host } = world.host();
    await host.start();
    const plan = world.plan([call]);
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.row('a').waiting[0]?.kind === 'child');
    await until(world.clock, () => world.row(CHILD).waiting[0]?.kind === 'approval');
    await world.send(CHILD, { id: 'approve-ok', name: 'approve-ok', data: { approved: true } });
    const before = world.clock.now();
    await until(world.clock, () => world.ended('a'));
    expect(world.clock.now()).toBe(before);
    expect(world.db.mail.get('a')?.map(({ id }) => id)).toEqual([childMessageId(CHILD)]);
    expect(world.row(CHILD).outbox).toEqual([]);
  });

  it('is processed by any host when its own has died, after some seconds', async () => {
    const world = await deserted({ gone: [post('waits'), post('ended'), post('absent')] });
    await world.client.runs.insert(ready('waits', T0 * 2));
    await world.client.runs.insert(execution('ended', { status: 'completed', endedAt: T0 }));
    await world.host().host.start();
    const died = world.clock.now();
    await until(world.clock, () => world.row('gone').outbox.length === 0);
    expect(world.clock.now() - died).toBeGreaterThanOrEqual(5_000);
    expect(world.clock.now() - died).toBeLessThanOrEqual(5_000 + LEASE_MS / 2);
    expect([...world.db.mail.keys()]).toEqual(['waits']);
    expect(world.row('waits')).toMatchObject({ messageSeq: 1 });
  });

  it('is processed again when only the clearing was lost, without further effect', async () => {
    const world = await deserted({ gone: [post('waits')] });
    await world.client.runs.insert(ready('waits', T0 * 2));
    await world.client.runs.addMessage('waits', mail('m'), world.clock.now());
    await world.host().host.start();
    await until(world.clock, () => world.row('gone').outbox.length === 0);
    expect(world.db.mail.get('waits')).toHaveLength(1);
  });

  it('is kept while the database fails, and processed afterwards', async () => {
    const world = await deserted({ one: [post('waits', 'm1')], two: [post('waits', 'm2')] });
    await world.client.runs.insert(ready('waits', T0 * 2));
    const { host, connection } = world.host();
    await host.start();
    connection.fails = (verb) => (verb === 'post' ? 'before' : null);
    const later = world.clock.now() + 20_000;
    await until(world.clock, () => world.clock.now() >= later);
    expect([world.row('one').outbox.length, world.row('two').outbox.length]).toEqual([1, 1]);
    connection.fails = () => null;
    await until(world.clock, () => world.row('one').outbox.length + world.row('two').outbox.length === 0);
    expect(world.db.mail.get('waits')).toHaveLength(2);
  });

  it('of thousands of runs of dead hosts does not block a host', async () => {
    const world = await deserted(
      Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`gone${n}`, [post('absent')]])),
    );
    const { host } = world.host();
    await host.start();
    const plan = world.plan([{ id: 'w', type: 'wait', config: { for: '8s' } }]);
    await host.begin(world.execution('a', plan), plan);
    const began = world.clock.now();
    await until(world.clock, () => world.ended('a'));
    expect(world.clock.now() - began).toBeLessThanOrEqual(9_000);
    await until(world.clock, () => [...world.db.executions.values()].every(({ outbox }) => outbox.length === 0));
  });
});

describe('a cancellation caused by an end', () => {
  it('cancels the other run on any host', async () => {
    const world = await deserted({ gone: [{ kind: 'post', to: 'parked', message: mail(CANCEL, { name: CANCEL }) }] });
    const plan = world.plan([approval]);
    const parked = { ...ready('parked', T0 * 2), planHash: plan.plan.hash, parked: true };
    await world.client.runs.insert(parked);
    await world.host().host.start();
    await until(world.clock, () => world.ended('parked'));
    await settle();
    expect(world.row('parked').status).toBe('cancelled');
  });
});
