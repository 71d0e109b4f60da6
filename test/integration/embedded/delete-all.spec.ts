import { expectConsistent, openTestStore, type Row, type TestStore } from './harness';

let store: TestStore;
beforeEach(async () => {
  store = await openTestStore({ housekeepingMs: 20, reserveBytes: 0 });
});
afterEach(async () => {
  await expectConsistent(store.db);
  await store.close();
});

jest.setTimeout(120_000);

const COUNT = 5_000;
const rows = (): Row[] =>
  Array.from({ length: COUNT }, (_, n) => ({ _id: n, key: `key-${(n * 7919) % COUNT}`, tags: [n % 3, n % 5] }));

async function filled() {
  const collection = store.db.collection<Row>('rows');
  await collection.createIndex({ key: 1 }, { unique: true });
  await collection.createIndex({ tags: 1 });
  await collection.insertMany(rows());
  return collection;
}

const uuid = async (): Promise<unknown> => (await store.db.listCollections({ name: 'rows' }).toArray())[0];

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

test('deleting all documents of a collection takes constant time and leaves everything else unchanged', async () => {
  const collection = await filled();
  const oneByOne = await milliseconds(() => collection.deleteMany({ _id: { $gte: 0 } }));
  await collection.insertMany(rows());
  const before = [await collection.indexes(), await uuid()];
  let deleted = 0;
  const atOnce = await milliseconds(async () => {
    deleted = (await collection.deleteMany({})).deletedCount;
  });
  expect(deleted).toBe(COUNT);
  expect(atOnce).toBeLessThan(oneByOne / 3);
  expect([await collection.indexes(), await uuid()]).toEqual(before);
  expect([await collection.countDocuments(), await collection.estimatedDocumentCount()]).toEqual([0, 0]);
  await collection.insertMany([
    { _id: 1, key: 'a', tags: [1] },
    { _id: 2, key: 'b', tags: [] },
  ]);
  await expect(collection.insertOne({ _id: 3, key: 'b' })).rejects.toMatchObject({ code: 11000 });
  expect(await collection.find({ tags: 1 }).toArray()).toHaveLength(1);
  await store.restart();
  expect(await store.db.collection('rows').countDocuments()).toBe(2);
});

test('an open cursor sees no document that was deleted with all others', async () => {
  const collection = await filled();
  const cursor = collection.find({}, { batchSize: 10 });
  for (let n = 0; n < 10; n++) expect(await cursor.next()).not.toBeNull();
  expect((await collection.deleteMany({})).deletedCount).toBe(COUNT);
  expect(await cursor.next()).toBeNull();
});

test('a running update of many continues while all are deleted', async () => {
  const collection = await filled();
  const updating = collection.updateMany({}, { $set: { seen: true } });
  const deleting = collection.deleteMany({});
  const [{ modifiedCount }, { deletedCount }] = await Promise.all([updating, deleting]);
  expect(modifiedCount).toBeGreaterThan(0);
  expect(deletedCount).toBe(COUNT);
  expect(await collection.countDocuments()).toBe(0);
});

test('of deletes of all and an insert at once, each document is counted by one delete or is left', async () => {
  const collection = await filled();
  const [first, second] = await Promise.all([
    collection.deleteMany({}),
    collection.deleteMany({}),
    collection.insertOne({ _id: -1, key: 'new' }),
  ]);
  const left = await collection.countDocuments();
  expect(first.deletedCount + second.deletedCount + left).toBe(COUNT + 1);
});

test('validate finds nothing wrong while others write', async () => {
  const collection = await filled();
  const validating = Promise.all([1, 2, 3].map(() => store.db.command({ validate: 'rows' })));
  const writing = Promise.all(
    Array.from({ length: 50 }, (_, n) => collection.insertOne({ _id: COUNT + n, key: `new-${n}` })),
  );
  for (const result of await validating) expect(result).toMatchObject({ valid: true, errors: [] });
  await writing;
});
