import { type Db, MongoClient } from 'mongodb';
import { openCollections } from '../../../runtime/mongo/collections';
import { ensureIndexes } from '../../../runtime/mongo/indexes';
import { mongoRunStore } from '../../../runtime/mongo/run-store';
import { openTestDatabase } from '../../support/app';
import { ready, T0 } from '../../support/runtime/records';

/** One database with the stores of three versions: the old one, one that can read the new format, and one that writes it. */
async function opened() {
  const database = await openTestDatabase();
  const client = await new MongoClient(database.url).connect();
  const collections = openCollections(client.db(database.name) as Db);
  await ensureIndexes(collections);
  return {
    formatOf: async (id: string) => (await collections.executions.findOne({ _id: id }))?.format,
    before: mongoRunStore(collections, { reads: 1, writes: 1 }),
    reading: mongoRunStore(collections, { reads: 2, writes: 1 }),
    writing: mongoRunStore(collections, { reads: 2, writes: 2 }),
    async close() {
      await client.close();
      await database.close();
    },
  };
}

describe('runs of several formats in one database', () => {
  let t: Awaited<ReturnType<typeof opened>>;
  beforeAll(async () => {
    t = await opened();
  });
  afterAll(() => t.close());

  it('are seen, waited for and taken by those who read them alone', async () => {
    await t.before.insert(ready('old', T0, { tenantId: 'a' }));
    await t.writing.insert(ready('new', T0, { tenantId: 'b' }));
    await t.writing.insert(ready('new later', T0 + 50, { tenantId: 'b' }));
    await t.writing.insert(ready('new parked', T0, { tenantId: 'c', parked: true }));
    const ids = async (found: Promise<readonly { id: string }[]>) => (await found).map(({ id }) => id).sort();
    expect(await ids(t.before.due(T0, 10))).toEqual(['old']);
    expect(await ids(t.reading.due(T0, 10))).toEqual(['new', 'new parked', 'old']);
    expect(await ids(t.before.dueByTenant('', T0, 5).then(({ due }) => due))).toEqual(['old']);
    expect(await t.before.parkedTenants('', 10)).toEqual([]);
    expect(await t.reading.parkedTenants('', 10)).toEqual(['c']);
    expect(await t.before.parkedOf('c', 10)).toEqual([]);
    expect(await t.before.nextWake(T0)).toBeNull();
    expect(await t.writing.nextWake(T0)).toBe(T0 + 50);
    // However the process has learned of it, for example by a hint of another host.
    const [seen] = (await t.writing.due(T0, 10)).filter(({ id }) => id === 'new');
    expect(await t.before.claim('h1', [seen!])).toEqual([]);
    expect(await t.before.claim('h1', [seen!, ...(await t.before.due(T0, 10))])).toMatchObject([{ id: 'old' }]);
    expect(await t.reading.claim('h2', [seen!])).toMatchObject([{ id: 'new', owner: 'h2' }]);
  });

  it('are left to versions that know pauses once they were paused', async () => {
    await t.before.insert(ready('paused', T0, { tenantId: 'p' }));
    const pause = { kind: 'pause', rev: 1, at: T0, by: null, reason: null } as const;
    expect(await t.reading.requestPause('paused', pause, T0)).toMatchObject({ kind: 'posted', due: { id: 'paused' } });
    expect(await t.formatOf('paused')).toBe(2);
    expect((await t.before.dueByTenant('o', T0, 5)).due).toEqual([]);
    expect((await t.reading.dueByTenant('o', T0, 5)).due).toMatchObject([{ id: 'paused' }]);
  });

  it('get the format of who writes into them before he does, and never a lower one', async () => {
    const run = async (id: string) => (await t.writing.due(T0, 50)).filter((each) => each.id === id);
    await t.before.insert(ready('x'));
    expect(await t.formatOf('x')).toBeUndefined();
    await t.writing.claim('h3', await run('x'));
    expect(await t.formatOf('x')).toBe(2);
    await t.writing.release({ id: 'x', host: 'h3', epoch: 1 }, { messageSeq: 0, wakeAt: T0, waiting: [] });
    await t.reading.claim('h2', await run('x'));
    expect(await t.formatOf('x')).toBe(2);
  });
});
