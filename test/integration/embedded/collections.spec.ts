import { GridFSBucket } from 'mongodb';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { codeOf, expectConsistent, openTestStore, type TestStore } from './harness';

let store: TestStore;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(async () => {
  await expectConsistent(store.db);
  await store.close();
});

describe('collections', () => {
  test('are created, listed, renamed and dropped', async () => {
    await store.db.createCollection('one');
    await store.db.collection<{ _id: number }>('one').insertOne({ _id: 1 });
    await store.db.collection('one').createIndex({ a: 1 });
    await store.db.collection('one').rename('two');
    expect(await store.db.collection('two').indexes()).toHaveLength(2);
    expect(await store.db.collection('two').findOne()).toEqual({ _id: 1 });
    const names = (await store.db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
    expect(names).toContain('two');
    expect(names).not.toContain('one');
    await store.db.collection('two').drop();
    expect(await store.db.listCollections({ name: 'two' }).toArray()).toEqual([]);
  });

  test('renaming onto another needs dropTarget', async () => {
    await store.db.collection<{ _id: number }>('from').insertOne({ _id: 1 });
    await store.db.collection<{ _id: number }>('to').insertOne({ _id: 2 });
    expect(await codeOf(store.db.collection('from').rename('to'))).toBe(48);
    await store.db.collection('from').rename('to', { dropTarget: true });
    expect(await store.db.collection('to').find().toArray()).toEqual([{ _id: 1 }]);
    expect(await codeOf(store.db.collection('from').rename('other'))).toBe(26);
  });

  test('a dropped database is gone with all it held, for good', async () => {
    const own = await openTestStore();
    const db = own.client.db('other');
    await db.collection('a').insertMany(Array.from({ length: 2000 }, (_, i) => ({ i })));
    await db.dropDatabase();
    expect((await own.client.db('admin').admin().listDatabases()).databases).toEqual([]);
    await db.collection('a').insertOne({ fresh: true });
    await own.restart();
    expect(await own.client.db('other').collection('a').find().toArray()).toHaveLength(1);
    await own.close();
  });

  test.each([
    [{ capped: true, size: 1000 }],
    [{ timeseries: { timeField: 't' } }],
    [{ viewOn: 'x', pipeline: [] }],
    [{ clusteredIndex: { key: { _id: 1 }, unique: true } }],
    [{ changeStreamPreAndPostImages: { enabled: true } }],
  ])('create with %j is refused by name', async (options) => {
    expect(await codeOf(store.db.createCollection('refused', options as never))).toBe(72);
    expect(await store.db.listCollections({ name: 'refused' }).toArray()).toEqual([]);
  });

  test('names that MongoDB refuses are refused', async () => {
    for (const create of ['', 'a$b', 'system.x', `x${'y'.repeat(300)}`])
      expect(await codeOf(store.db.command({ create }))).toBe(73);
  });
});

describe('validators', () => {
  test('hold for inserts and updates, survive a restart, and can be passed by', async () => {
    const own = await openTestStore();
    await own.db.createCollection('v', { validator: { n: { $gte: 0 } } });
    const c = () => own.db.collection<{ _id: number; n: number }>('v');
    await c().insertOne({ _id: 1, n: 1 });
    await expect(c().insertOne({ _id: 2, n: -1 })).rejects.toMatchObject({ code: 121 });
    expect(await codeOf(c().updateOne({ _id: 1 }, { $set: { n: -1 } }))).toBe(121);
    expect(await codeOf(c().findOneAndUpdate({ _id: 1 }, { $set: { n: -1 } }))).toBe(121);
    await own.restart();
    expect(await codeOf(c().insertOne({ _id: 3, n: -1 }))).toBe(121);
    await c().insertOne({ _id: 4, n: -1 }, { bypassDocumentValidation: true });
    await own.db.command({ collMod: 'v', validationLevel: 'moderate' });
    await c().updateOne({ _id: 4 }, { $set: { n: -2 } });
    await own.db.command({ collMod: 'v', validator: {} });
    await c().insertOne({ _id: 5, n: -1 });
    await own.close();
  });
});

test('GridFS stores, streams, renames and deletes files', async () => {
  const bucket = new GridFSBucket(store.db);
  const content = Buffer.alloc(900_000, 'abcdefg');
  const upload = bucket.openUploadStream('report.bin', { metadata: { by: 'ann' } });
  await pipeline(Readable.from([content]), upload);
  const chunks: Buffer[] = [];
  for await (const chunk of bucket.openDownloadStreamByName('report.bin', { start: 100, end: 500_000 }))
    chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).equals(content.subarray(100, 500_000))).toBe(true);
  await bucket.rename(upload.id, 'other.bin');
  expect(await bucket.find({ filename: 'other.bin' }).toArray()).toHaveLength(1);
  await bucket.delete(upload.id);
  expect(await store.db.collection('fs.chunks').estimatedDocumentCount()).toBe(0);
});
