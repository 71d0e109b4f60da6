import { type Document, MongoClient } from 'mongodb';
import { openCollections } from '../../../runtime/mongo/collections';
import { ensureIndexes } from '../../../runtime/mongo/indexes';
import { executionToDocument } from '../../../runtime/mongo/documents';
import { endedBefore, needed, nextTenant } from '../../../services/executor/retention/expired';
import { type TestDatabase, openTestDatabase } from '../../support/app';
import { execution, T0 } from '../../support/runtime/records';

const RUNS = 2_000;
const NOTHING = { json: 'null' };

let database: TestDatabase;
let client: MongoClient;
let executions: ReturnType<typeof openCollections>['executions'];
const asked: Document[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  client = await new MongoClient(database.url, { monitorCommands: true }).connect();
  const collections = openCollections(client.db(database.name));
  await ensureIndexes(collections);
  executions = collections.executions;
  const ended = Array.from({ length: RUNS }, (_, n) =>
    execution(`e${n}`, { tenantId: `t${n % 4}`, status: 'completed', startedAt: T0 + n, endedAt: T0 + n }),
  );
  const going = Array.from({ length: RUNS }, (_, n) =>
    execution(`g${n}`, {
      tenantId: 't0',
      startedAt: T0 + RUNS + n,
      ...(n === 7 ? { parent: { executionId: 'e1', path: 's', awaited: false } } : {}),
      ...(n === 8 ? { resumeFrom: { executionId: 'e2', fromStep: null } } : {}),
    }),
  );
  const big = { trigger: NOTHING, output: NOTHING, response: NOTHING };
  await executions.insertMany([...ended, ...going].map((run) => executionToDocument(run, big, null)));
  client.on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'find') asked.push(command as Document);
  });
}, 60_000);
afterAll(async () => {
  await client.close();
  await database.close();
});

/** How many keys and documents the questions of a call look at, all together. */
async function costs<T>(call: () => Promise<T>): Promise<{ answer: T; keys: number; documents: number }> {
  asked.length = 0;
  const answer = await call();
  const db = client.db(database.name);
  const plans = await Promise.all(
    [...asked].map(({ find, filter, sort, limit }) =>
      db.command({
        explain: { find, filter, ...(sort && { sort }), ...(limit && { limit }) },
        verbosity: 'executionStats',
      }),
    ),
  );
  const sum = (member: string): number =>
    plans.reduce((total, { executionStats }) => total + Number(executionStats[member]), 0);
  return { answer, keys: sum('totalKeysExamined'), documents: sum('totalDocsExamined') };
}

test('the next tenant is one key', async () => {
  for (const [after, next] of [
    ['', 't0'],
    ['t0', 't1'],
    ['t3', null],
  ] as const) {
    const { answer, keys } = await costs(() => nextTenant(executions, after));
    expect(answer).toBe(next);
    expect(keys).toBeLessThanOrEqual(1);
  }
});

test('runs that are over are found in their order, by about as many keys as there are', async () => {
  const first = await costs(() => endedBefore(executions, 't1', { cutoff: T0 + RUNS }, null, 100));
  expect(first.answer.map(({ _id }) => _id)).toEqual(Array.from({ length: 100 }, (_, n) => `e${4 * n + 1}`));
  expect(first.keys).toBeLessThanOrEqual(101);
  const seen = first.answer.at(-1) ?? null;
  const second = await costs(() => endedBefore(executions, 't1', { cutoff: T0 + RUNS }, seen, 100));
  expect(second.answer[0]?._id).toBe('e401');
  expect(second.keys).toBeLessThanOrEqual(102);
});

test('whether others need some of them costs no look at all that goes on', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => `e${n}`);
  const { answer, keys, documents } = await costs(() => needed(executions, ids));
  expect([...answer].toSorted()).toEqual(['e1', 'e2']);
  expect(keys).toBeLessThanOrEqual(3 * ids.length + 10);
  expect(documents).toBeLessThanOrEqual(ids.length + 10);
});
