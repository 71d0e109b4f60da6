import { type Document, MongoClient } from 'mongodb';
import { openCollections } from '../../../runtime/mongo/collections';
import { ensureIndexes } from '../../../runtime/mongo/indexes';
import { mongoHostStore } from '../../../runtime/mongo/host-store';
import { mongoRunStore } from '../../../runtime/mongo/run-store';
import { NEVER_MS } from '../../../runtime/core/model';
import { openTestDatabase } from '../../support/app';
import { ready, T0 } from '../../support/runtime/records';

const WAITING = 3_000;
const DUE = 5;

/** The run store on a database with many waiting runs and few due ones, and the queries that it sends. */
async function opened() {
  const database = await openTestDatabase();
  const client = await new MongoClient(database.url, { monitorCommands: true }).connect();
  const db = client.db(database.name);
  const collections = openCollections(db);
  await ensureIndexes(collections);
  const runs = mongoRunStore(collections);
  const stored = Array.from({ length: WAITING }, (_, n) =>
    ready(`w${n}`, n % 2 === 0 ? NEVER_MS : T0 + 1_000 + n, { tenantId: `t${n % 10}`, startedAt: T0 + n }),
  );
  const due = Array.from({ length: DUE }, (_, n) => ready(`d${n}`, T0, { tenantId: `t${n}`, startedAt: T0 + n }));
  const parked = Array.from({ length: 300 }, (_, n) =>
    ready(`p${n}`, NEVER_MS, { parked: true, tenantId: n < 290 ? 'big' : 'small', startedAt: T0 + n }),
  );
  await Promise.all([...stored, ...due, ...parked].map((run) => runs.insert(run)));
  const asked: Document[] = [];
  client.on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'find') asked.push(command as Document);
  });
  return {
    runs,
    collections,
    hosts: mongoHostStore(collections),
    /** The total number of keys and documents that the queries of a call examine, and the indexes. */
    async costs(call: () => Promise<unknown>): Promise<{ keys: number; documents: number; indexes: string[] }> {
      asked.length = 0;
      await call();
      const plans = await Promise.all(asked.map(explain));
      const sum = (member: string): number =>
        plans.reduce((total, { executionStats }) => total + Number(executionStats[member]), 0);
      const indexes = plans.flatMap((plan) => [
        ...(/"indexName":"(\w+)"/.exec(JSON.stringify(plan.queryPlanner.winningPlan))?.slice(1) ?? ['none']),
      ]);
      return { keys: sum('totalKeysExamined'), documents: sum('totalDocsExamined'), indexes: [...new Set(indexes)] };
    },
    async close() {
      await client.close();
      await database.close();
    },
  };

  function explain({ find, filter, sort, limit, projection, hint }: Document): Promise<Document> {
    const asIt = {
      find,
      filter,
      ...(sort && { sort }),
      ...(limit && { limit }),
      ...(projection && { projection }),
      ...(hint && { hint }),
    };
    return db.command({ explain: asIt, verbosity: 'executionStats' });
  }
}

describe('among thousands of runs that wait', () => {
  let subject: Awaited<ReturnType<typeof opened>>;
  beforeAll(async () => {
    subject = await opened();
  });
  afterAll(() => subject?.close());

  it('those that are due are found by as many keys as there are', async () => {
    const { keys, documents, indexes } = await subject.costs(() => subject.runs.due(T0, 64));
    expect(indexes).toEqual(['unended_by_owner']);
    expect(keys).toBeLessThanOrEqual(DUE + 1);
    expect(documents).toBe(DUE);
  });

  it('the next wake-up is one key', async () => {
    const { keys, indexes } = await subject.costs(() => subject.runs.nextWake(T0));
    expect(indexes).toEqual(['unended_by_owner']);
    expect(keys).toBeLessThanOrEqual(2);
  });

  it('tenants with due runs are found from one to the next, whatever each has waiting', async () => {
    const { keys, indexes } = await subject.costs(() => subject.runs.dueByTenant('', T0, 8));
    expect(indexes).toEqual(['unowned_by_tenant']);
    // Ten tenants, two parked ones, and the due runs of five.
    expect(keys).toBeLessThanOrEqual(2 * 13 + 2 * DUE);
  });

  it('parked runs are found in the order of their starts, and their tenants from one to the next', async () => {
    const first = await subject.costs(() => subject.runs.parkedOf('big', 3));
    expect(first.indexes).toEqual(['parked_by_rank']);
    expect(first.keys).toBeLessThanOrEqual(4);
    const tenants = await subject.costs(() => subject.runs.parkedTenants('', 32));
    expect(tenants.indexes).toEqual(['parked_by_rank']);
    expect(tenants.keys).toBeLessThanOrEqual(6);
  });

  it.each([1, -1] as const)(
    'a page of a tenant by status reads as many keys as it has rows, in either order',
    async (way) => {
      const { executions } = subject.collections;
      const { keys, indexes } = await subject.costs(() =>
        executions.find({ tenant_id: 't1', status: 'running' }).sort({ started_at: way, _id: way }).limit(50).toArray(),
      );
      expect(indexes).toEqual(['by_tenant_status']);
      expect(keys).toBeLessThanOrEqual(51);
    },
  );

  it('a page of several statuses keeps the order of the index by time', async () => {
    const { executions } = subject.collections;
    const { indexes } = await subject.costs(() =>
      executions
        .find({ tenant_id: 't1', status: { $in: ['completed', 'running'] }, started_at: { $lt: new Date(T0 + 1_000) } })
        .sort({ started_at: 1, _id: 1 })
        .limit(50)
        .toArray(),
    );
    expect(indexes).toEqual(['by_tenant_newest']);
  });

  it('indexes of earlier versions are dropped', async () => {
    const { executions } = subject.collections;
    const names = async () => new Set((await executions.indexes()).map(({ name }) => name));
    const before = await names();
    await executions.createIndex({ tenant_id: 1, started_at: 1, steps: 1 }, { name: 'steps_by_tenant' });
    expect(await names()).not.toEqual(before);
    await ensureIndexes(subject.collections);
    expect(await names()).toEqual(before);
  });

  it('a message is read by as many keys as there are unconsumed ones, however many were consumed', async () => {
    const { runs, costs } = subject;
    const ids = Array.from({ length: 500 }, (_, n) => `m${n}`);
    for (const id of ids) await runs.addMessage('w0', { id, name: 'go', data: {}, by: null, at: T0 }, T0);
    await runs.markConsumed('w0', ids.slice(2));
    const read = await costs(() => runs.messages('w0'));
    // One document and one key of the run itself.
    expect(read.indexes).toContain('unconsumed');
    expect(read.documents).toBeLessThanOrEqual(4);
    expect(read.keys).toBeLessThanOrEqual(6);
    expect((await costs(() => runs.recountSignals('w0', 0))).documents).toBeLessThanOrEqual(4);
  });
});
