import { hashJson } from '../../../lib/json';
import { channelsService } from '../../../services/channels/channels.service';
import { openTestDatabase, SERVICE, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { ManualClock } from '../../support/manual-clock';
import { codeOf } from '../workflows/fakes';

let database: TestDatabase;
let apps: TestApp[];
// Starts at the real time, because the database removes expired records by its own clock.
const clock = new ManualClock(Date.now());
let key: string;
let keys = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  apps = [await start(), await start()];
});

afterAll(async () => {
  for (const app of apps ?? []) await app.close();
  await database?.close();
});

beforeEach(() => {
  keys += 1;
  key = `key-${keys}`;
});

const start = (): Promise<TestApp> => startApp({ services: [channelsService], database, clock });
const host = (n = 0): TestApp => apps[n % apps.length] as TestApp;
const begin = (n = 0, body_hash = 'body', scope = 'scope') =>
  host(n).call('channels.begin_once', { scope, key, body_hash }, SERVICE);
/** Begins, and answers the owner's name. */
const own = async (n = 0): Promise<string> => {
  const begun = await begin(n);
  if (begun.kind !== 'new' || begun.owner === undefined) throw new Error('The key is not new');
  return begun.owner;
};
const finish = (body: unknown, status = 201, owner?: string) =>
  host().call('channels.finish_once', { scope: 'scope', key, status, body: body as never, owner }, SERVICE);
const abandon = (owner?: string) => host().call('channels.abandon_once', { scope: 'scope', key, owner }, SERVICE);
const renew = (owner: string) => host().call('channels.renew_once', { scope: 'scope', key, owner }, SERVICE);

const kinds = (calls: Promise<{ kind: string }>[]): Promise<string[]> =>
  Promise.all(
    calls.map((call) =>
      call.then(
        ({ kind }) => kind,
        (error: { type: string }) => error.type,
      ),
    ),
  );

test('of many concurrent begins on two hosts one is new, and the others have to wait', async () => {
  const words = await kinds(Array.from({ length: 20 }, (_, n) => begin(n)));
  expect(words.filter((word) => word === 'new')).toHaveLength(1);
  expect(words.filter((word) => word === 'idempotency_in_progress')).toHaveLength(19);
});

test('a repeat is answered as the first one was', async () => {
  await begin();
  const body = { id: 'x', list: [1, null, 'ü'], key: 'evs_secret' };
  await finish(body, 202);
  expect(await begin(1)).toEqual({ kind: 'replay', status: 202, body });
  await finish({ other: true });
  expect(await begin(1)).toEqual({ kind: 'replay', status: 202, body });
});

test('the answer is not readable in the database', async () => {
  await begin();
  await finish({ key: 'evs_plain_to_see' });
  const stored = await host()
    .app.db.collection('idempotency_keys')
    .find({ answer: { $ne: null } })
    .toArray();
  expect(stored.length).toBeGreaterThan(0);
  for (const { answer } of stored) {
    const bytes = Buffer.from((answer as { buffer: Uint8Array }).buffer);
    expect(bytes.length).toBeGreaterThan(20);
    expect(bytes.includes('evs_')).toBe(false);
  }
});

test('the database does not prove a guess of what a body holds', async () => {
  const hash = hashJson({ name: 'PIN', value: '4711' });
  await begin(0, hash);
  await begin(0, hash, 'another scope');
  const records = await host().app.db.collection('idempotency_keys').find().toArray();
  expect(JSON.stringify(records)).not.toContain(hash);
  expect(new Set(records.map((record) => record.body_hash)).size).toBe(records.length);
});

test('the same key with another body is refused, whether the first one is done or not', async () => {
  await begin();
  expect(await codeOf(begin(1, 'other'))).toBe('idempotency_mismatch');
  await finish({});
  expect(await codeOf(begin(1, 'other'))).toBe('idempotency_mismatch');
});

test('the same key of another caller is another key', async () => {
  await begin();
  expect(await begin(0, 'body', 'another scope')).toMatchObject({ kind: 'new' });
});

test('an abandoned key can be used again, a finished one cannot be abandoned', async () => {
  await begin();
  await abandon();
  expect(await begin()).toMatchObject({ kind: 'new' });
  await finish({ a: 1 });
  await abandon();
  expect(await begin()).toMatchObject({ kind: 'replay' });
});

test('a key whose host died is taken over after a minute, by one of those who ask', async () => {
  await begin();
  clock.advance(59_000);
  expect(await codeOf(begin(1))).toBe('idempotency_in_progress');
  clock.advance(2_000);
  const words = await kinds(Array.from({ length: 10 }, (_, n) => begin(n)));
  expect(words.filter((word) => word === 'new')).toHaveLength(1);
  expect(words.filter((word) => word === 'idempotency_in_progress')).toHaveLength(9);
});

test('a key is not taken over as long as its owner renews it', async () => {
  const owner = await own();
  for (let minute = 0; minute < 5; minute += 1) {
    clock.advance(45_000);
    expect(await renew(owner)).toEqual({ held: true });
    clock.advance(45_000);
    expect(await codeOf(begin(1))).toBe('idempotency_in_progress');
  }
});

test('who has lost its key neither renews, frees nor answers it', async () => {
  const first = await own();
  clock.advance(61_000);
  const second = await own(1);
  expect(await renew(first)).toEqual({ held: false });
  await abandon(first);
  await finish({ by: 'first' }, 201, first);
  expect(await codeOf(begin())).toBe('idempotency_in_progress');
  await finish({ by: 'second' }, 201, second);
  expect(await begin()).toEqual({ kind: 'replay', status: 201, body: { by: 'second' } });
  expect(await renew(second)).toEqual({ held: false });
});

test('a key that was begun by an older version is taken over after a minute, and answered by it before', async () => {
  const collection = host().app.db.collection('idempotency_keys');
  await begin();
  const { modifiedCount } = await collection.updateMany({ state: 'in_progress' }, { $unset: { owner: '' } });
  expect(modifiedCount).toBeGreaterThan(0);
  clock.advance(61_000);
  const owner = await own(1);
  await finish({ a: 1 }, 201, owner);
  expect(await begin()).toMatchObject({ kind: 'replay' });
});

test('a key is forgotten after a day', async () => {
  await begin();
  await finish({ a: 1 });
  clock.advance(23 * 3_600_000);
  expect(await begin()).toMatchObject({ kind: 'replay' });
  clock.advance(2 * 3_600_000);
  const words = await kinds(Array.from({ length: 10 }, (_, n) => begin(n, 'another body')));
  expect(words.filter((word) => word === 'new')).toHaveLength(1);
});
