import type { Db } from 'mongodb';
import { createConnection } from 'mongoose';
import type { GroupStore } from '../../../runtime/ports/group-store';
import type { HostStore } from '../../../runtime/ports/host-store';
import type { OutboxStore } from '../../../runtime/ports/outbox-store';
import { openCollections } from '../../../runtime/mongo/collections';
import { ensureIndexes } from '../../../runtime/mongo/indexes';
import { mongoGroupStore } from '../../../runtime/mongo/group-store';
import { mongoHostStore } from '../../../runtime/mongo/host-store';
import { mongoOutboxStore } from '../../../runtime/mongo/outbox-store';
import { mongoRunStore } from '../../../runtime/mongo/run-store';
import type { Concurrency, OutboxItem, Execution } from '../../../runtime/core/model';
import type { RunStore } from '../../../runtime/ports/run-store';
import { openTestDatabase } from '../../support/app';
import { ManualClock } from '../../support/manual-clock';
import { ending, execution, mail, ready, T0 } from '../../support/runtime/records';
import { SimConnection, SimDatabase } from '../../support/runtime/sim-store';

/** Stores under test, with a second connection to the same database, as in another process. */
interface Subject {
  readonly runs: RunStore;
  readonly outboxes: OutboxStore;
  readonly hosts: HostStore;
  readonly groups: GroupStore;
  readonly others: GroupStore;
  /** The number of group documents. */
  documents(): Promise<number>;
  empty(): Promise<void>;
  close(): Promise<void>;
}

function simulated(): Promise<Subject> {
  const clock = new ManualClock();
  const db = new SimDatabase(() => clock.now());
  const { runs, outboxes, groups, hosts } = new SimConnection(db);
  return Promise.resolve({
    runs,
    outboxes,
    hosts,
    groups,
    others: new SimConnection(db).groups,
    documents: () => Promise.resolve(db.groups.size),
    empty: async () => {
      for (const map of [db.executions, db.journals, db.mail, db.groups, db.hosts]) map.clear();
    },
    close: async () => {},
  });
}

async function onMongo(): Promise<Subject> {
  const database = await openTestDatabase();
  const connect = () => createConnection(database.url, { dbName: database.name }).asPromise();
  const connections = await Promise.all([connect(), connect()]);
  const [first, second] = connections.map((connection) => openCollections(connection.db as unknown as Db)) as [
    ReturnType<typeof openCollections>,
    ReturnType<typeof openCollections>,
  ];
  await ensureIndexes(first);
  return {
    runs: mongoRunStore(first),
    outboxes: mongoOutboxStore(first),
    hosts: mongoHostStore(first),
    groups: mongoGroupStore(first),
    others: mongoGroupStore(second),
    documents: () => first.groups.countDocuments(),
    empty: async () => {
      for (const collection of Object.values(first)) await collection.deleteMany({});
    },
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
      await database.close();
    },
  };
}

const inGroup = (group: string): Concurrency => ({ group, key: 'k', limit: 1, onConflict: 'queue' });
const post = (to: string): OutboxItem => ({
  kind: 'post',
  to,
  message: mail('m', { data: { v: [1, null], '$x.y': 'z' } }),
});
const leave: OutboxItem = { kind: 'leave', group: 'g', limit: 2 };
const announce: OutboxItem = { kind: 'announce' };

describe.each([
  ['the simulated store', simulated],
  ['a document database', onMongo],
] as const)('%s', (_, open) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await open();
  });
  beforeEach(() => subject.empty());
  afterAll(() => subject?.close());

  describe('outboxes', () => {
    const end = async (id: string, endedAt: number, outbox: readonly OutboxItem[]): Promise<void> => {
      await subject.runs.insert(execution(id));
      await subject.runs.end({ id, host: 'h1', epoch: 1 }, ending({ endedAt, outbox }), null);
    };

    it('come with the end, and are found by its age, the first to end first', async () => {
      await end('b', T0 + 2_000, [leave, announce]);
      await end('a', T0 + 1_000, [post('x'), post('y')]);
      await end('late', T0 + 9_000, [leave]);
      await end('empty', T0, []);
      await subject.runs.insert(execution('running'));
      expect(await subject.outboxes.pending(T0 + 2_000, 10)).toEqual([
        { id: 'a', outbox: [post('x'), post('y')] },
        { id: 'b', outbox: [leave, announce] },
      ]);
      expect(await subject.outboxes.pending(T0 + 2_000, 1)).toHaveLength(1);
      expect((await subject.runs.load('a'))?.outbox).toEqual([post('x'), post('y')]);
    });

    it('come with a run that is stored ended', async () => {
      await subject.runs.insert(execution('a', { status: 'completed', endedAt: T0, owner: null, outbox: [leave] }));
      expect(await subject.outboxes.pending(T0, 10)).toEqual([{ id: 'a', outbox: [leave] }]);
    });

    it('are empty once they are settled, also twice', async () => {
      await end('a', T0, [leave]);
      await subject.outboxes.clear('a');
      await subject.outboxes.clear('a');
      await subject.outboxes.clear('missing');
      expect(await subject.outboxes.pending(T0, 10)).toEqual([]);
      expect(await subject.runs.load('a')).toMatchObject({ status: 'completed', outbox: [] });
    });
  });

  describe('permits', () => {
    it('are acquired up to the limit, and once per run', async () => {
      const { groups } = subject;
      expect(await groups.acquire('g', 'a', 2, T0)).toBe(true);
      expect(await groups.acquire('g', 'a', 2, T0 + 1)).toBe(true);
      expect(await groups.acquire('g', 'b', 2, T0 + 2)).toBe(true);
      expect(await groups.acquire('g', 'c', 2, T0)).toBe(false);
      expect(await groups.acquire('g', 'b', 1, T0)).toBe(true);
      expect(await groups.acquire('other', 'c', 1, T0)).toBe(true);
      expect(await groups.holders('g')).toEqual([
        { id: 'a', at: T0 },
        { id: 'b', at: T0 + 2 },
      ]);
      expect(await groups.holders('unheard-of')).toEqual([]);
    });

    it('never exceed the limit when runs compete for them', async () => {
      for (let round = 0; round < 5; round++) {
        const group = `g${round}`;
        const entered = await Promise.all(
          Array.from({ length: 20 }, (__, n) =>
            (n % 2 ? subject.groups : subject.others).acquire(group, `r${n}`, 3, T0),
          ),
        );
        expect(entered.filter(Boolean)).toHaveLength(3);
        expect(await subject.groups.holders(group)).toHaveLength(3);
      }
    });

    it('are released, also twice', async () => {
      const { groups } = subject;
      for (const id of ['a', 'b', 'c']) await groups.acquire('g', id, 3, T0);
      await groups.release('g', ['a', 'c']);
      const left = [{ id: 'b', at: T0 }];
      expect((await groups.release('g', ['a', 'missing'])).holders).toEqual(left);
      expect(await groups.holders('g')).toEqual(left);
      expect((await groups.release('g', ['b'])).holders).toEqual([]);
      expect(await groups.release('unheard-of', ['b'])).toEqual({ holders: [], queued: false });
      expect(await groups.acquire('g', 'd', 1, T0)).toBe(true);
    });
  });

  describe('permits of runs that are not stored yet', () => {
    const take = (id: string, limit = 1, group = 'g') =>
      subject.groups.acquireUnlessQueued(group, { id, host: 'h1' }, limit, T0);

    it('are acquired up to the limit, once per run, and name the host', async () => {
      expect(await take('a', 2)).toBe(true);
      expect(await take('a', 2)).toBe(false);
      expect(await take('b', 2)).toBe(true);
      expect(await take('c', 2)).toBe(false);
      expect(await subject.groups.acquire('g', 'a', 2, T0)).toBe(true);
      expect(await subject.groups.holders('g')).toEqual([
        { id: 'a', at: T0, host: 'h1' },
        { id: 'b', at: T0, host: 'h1' },
      ]);
    });

    it('are acquired together, each by its own group', async () => {
      await take('z', 1, 'g3');
      const groups = ['g1', 'g2', 'g3', 'g4', 'g1'];
      const taken = await Promise.all(groups.map((group, n) => take(`r${n}`, 1, group)));
      expect(taken).toEqual([true, true, false, true, false]);
      const released = await Promise.all(
        ['r0', 'r1', 'r2', 'r3'].map((id, n) => subject.groups.releaseOnly(`g${n + 1}`, id)),
      );
      expect(released).toEqual([true, true, false, true]);
      expect(await subject.documents()).toBe(1);
    });

    it('never exceed the limit when runs compete for them', async () => {
      const many = Array.from({ length: 20 }, (__, n) =>
        (n % 2 ? subject.groups : subject.others).acquireUnlessQueued('g', { id: `r${n}`, host: 'h1' }, 3, T0),
      );
      await Promise.all(many);
      while ((await subject.groups.holders('g')).length < 3) await take(`r${Math.random()}`, 3);
      expect(await take('late', 3)).toBe(false);
      expect(await subject.groups.holders('g')).toHaveLength(3);
    });

    it('are not acquired while a run waits, or when none is known to wait', async () => {
      const { groups } = subject;
      await groups.markQueued('g', 'w', T0);
      expect(await take('a')).toBe(false);
      await groups.acquire('h', 'b', 2, T0);
      expect(await take('a', 2, 'h')).toBe(false);
    });

    it('are released in one write when they are the only one and no run waits', async () => {
      const { groups } = subject;
      await take('a', 2);
      await take('b', 2);
      expect(await groups.releaseOnly('g', 'a')).toBe(false);
      expect(await groups.holders('g')).toHaveLength(2);
      expect(await groups.release('g', ['a'])).toEqual({ holders: [{ id: 'b', at: T0, host: 'h1' }], queued: false });
      expect(await groups.releaseOnly('g', 'a')).toBe(false);
      await groups.markQueued('g', 'w', T0);
      expect(await groups.releaseOnly('g', 'b')).toBe(false);
      const { holders, queued } = await groups.release('g', ['b']);
      expect([holders, queued]).toEqual([[], expect.stringContaining('w')]);
      await groups.clearQueued('g', queued);
      expect(await groups.releaseOnly('g', 'b')).toBe(true);
      expect(await subject.documents()).toBe(0);
    });

    it('can be acquired again once no run waits, unless one has begun to meanwhile', async () => {
      const { groups } = subject;
      await take('a', 2);
      await groups.markQueued('g', 'w', T0);
      const { queued: before } = await groups.release('g', []);
      await groups.markQueued('g', 'w', T0 + 1);
      const { queued: since } = await groups.release('g', []);
      await groups.clearQueued('g', before);
      await groups.clearQueued('g', false);
      expect(await take('b', 2)).toBe(false);
      await groups.clearQueued('g', since);
      expect(await take('b', 2)).toBe(true);
      await groups.release('g', ['a', 'b']);
      await groups.clearQueued('g', false);
      expect(await subject.documents()).toBe(0);
    });
  });

  describe('the runs of a group', () => {
    const insert = (id: string, given: Partial<Execution>) => subject.runs.insert(ready(id, T0 + 60_000, given));

    it('are those that have not ended, in the order of their starts', async () => {
      await insert('b', { concurrency: inGroup('g'), startedAt: T0 + 1 });
      await insert('c', { concurrency: inGroup('g'), startedAt: T0 });
      await insert('a', { concurrency: inGroup('g'), startedAt: T0 + 1 });
      await insert('x', { concurrency: inGroup('other') });
      await insert('y', {});
      await subject.runs.insert(execution('z', { concurrency: inGroup('g'), status: 'completed', endedAt: T0 }));
      expect(await subject.groups.waiters('g', 10)).toEqual([
        { id: 'c', startedAt: T0, limit: inGroup('g').limit },
        { id: 'a', startedAt: T0 + 1, limit: inGroup('g').limit },
        { id: 'b', startedAt: T0 + 1, limit: inGroup('g').limit },
      ]);
      expect(await subject.groups.waiters('g', 1)).toHaveLength(1);
    });

    it('are distinguished from ended and absent ones', async () => {
      await insert('a', {});
      await subject.runs.insert(execution('b', { status: 'failed', endedAt: T0 }));
      const host = { id: 'h1', nodeId: 'n', version: '1', capacity: 1 };
      await subject.hosts.register(host, 60_000);
      const held = (id: string, of?: string) => ({ id, at: T0, ...(of === undefined ? {} : { host: of }) });
      expect(await subject.groups.gone([held('a'), held('b', 'h1'), held('c', 'h2')])).toEqual({
        ended: ['b'],
        absent: ['c'],
        deadHosts: ['h2'],
      });
      await subject.hosts.leave('h1', T0);
      expect(await subject.groups.gone([held('c', 'h1')])).toEqual({ ended: [], absent: ['c'], deadHosts: ['h1'] });
      expect(await subject.groups.gone([])).toEqual({ ended: [], absent: [], deadHosts: [] });
    });

    it('become due when they are woken, unless they have an owner or are due already', async () => {
      await insert('a', {});
      await subject.runs.insert(execution('owned'));
      await subject.runs.insert(ready('due', T0 - 5));
      await insert('other', {});
      await subject.groups.wake(['a', 'owned', 'due', 'missing'], T0);
      const wakes = await Promise.all(
        ['a', 'owned', 'due', 'other'].map(async (id) => (await subject.runs.load(id))?.wakeAt),
      );
      expect(wakes).toEqual([T0, null, T0 - 5, T0 + 60_000]);
    });

    it('are not released until later when they are woken at the same moment', async () => {
      await subject.runs.insert(execution('owned'));
      await subject.groups.wake(['owned'], T0);
      const claim = { id: 'owned', host: 'h1', epoch: 1 };
      expect(await subject.runs.release(claim, { messageSeq: 0, wakeAt: T0 + 60_000, waiting: [] })).toBe(
        'new_message',
      );
      expect(await subject.runs.release(claim, { messageSeq: 1, wakeAt: T0, waiting: [] })).toBe('released');
    });
  });
});
