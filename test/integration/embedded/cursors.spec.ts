import { codeOf, openTestStore, type TestStore } from './harness';

let store: TestStore;
beforeAll(async () => {
  store = await openTestStore({ cursorIdleMs: 60_000 });
  const documents = Array.from({ length: 20_000 }, (_, i) => ({ _id: i as never, n: i % 100, text: 'x'.repeat(100) }));
  await store.db.collection('big').insertMany(documents);
  await store.db.collection('big').createIndex({ n: 1 });
});
afterAll(() => store.close());

test('batches add up to the whole, in order', async () => {
  const seen: unknown[] = [];
  for await (const { _id } of store.db.collection('big').find().batchSize(777)) seen.push(_id);
  expect(seen).toEqual(Array.from({ length: 20_000 }, (_, i) => i));
});

test('a batch of zero only opens the cursor', async () => {
  const { cursor } = await store.db.command({ find: 'big', batchSize: 0 });
  expect(cursor.firstBatch).toEqual([]);
  const next = await store.db.command({ getMore: cursor.id, collection: 'big', batchSize: 3 }, { promoteLongs: true });
  expect(next.cursor.nextBatch).toHaveLength(3);
  expect(await store.db.command({ killCursors: 'big', cursors: [cursor.id] })).toMatchObject({
    cursorsKilled: [cursor.id],
  });
  expect(await codeOf(store.db.command({ getMore: cursor.id, collection: 'big' }))).toBe(43);
});

test('the first batch has 101 documents, a single batch leaves no cursor', async () => {
  const { cursor } = await store.db.command({ find: 'big' });
  expect(cursor.firstBatch).toHaveLength(101);
  const single = await store.db.command({ find: 'big', singleBatch: true, batchSize: 5 });
  expect(single.cursor.firstBatch).toHaveLength(5);
  expect(Number(single.cursor.id)).toBe(0);
});

test('a cursor continues during writes', async () => {
  const c = store.db.collection<{ _id: number }>('moving');
  await c.insertMany(Array.from({ length: 300 }, (_, i) => ({ _id: i })));
  const cursor = c.find().batchSize(100);
  const seen: number[] = [];
  for await (const { _id } of cursor) {
    seen.push(_id);
    if (_id === 50) await c.deleteMany({ _id: { $gte: 150, $lt: 200 } });
    if (_id === 51) await c.insertOne({ _id: 1000 });
  }
  expect(seen).toEqual([
    ...Array.from({ length: 150 }, (_, i) => i),
    ...Array.from({ length: 100 }, (_, i) => i + 200),
    1000,
  ]);
});

test('a dropped collection ends its cursors', async () => {
  const c = store.db.collection<{ _id: number }>('short');
  await c.insertMany(Array.from({ length: 200 }, (_, i) => ({ _id: i })));
  const cursor = c.find().batchSize(10);
  await cursor.next();
  await c.drop();
  expect(await codeOf(cursor.toArray())).toBe(43);
});

test('a batch is never above 16 MB', async () => {
  const c = store.db.collection('wide');
  await c.insertMany(Array.from({ length: 12 }, () => ({ body: 'x'.repeat(3 * 1024 * 1024) })));
  expect(await c.find().batchSize(1000).toArray()).toHaveLength(12);
}, 60_000);

test('time is over in the middle of a scan with code 50', async () => {
  const slow = store.db.collection('big').find({ $expr: { $eq: [{ $add: ['$n', 1] }, -1] } });
  expect(await codeOf(slow.maxTimeMS(1).toArray())).toBe(50);
});

test('a long scan lets point reads through', async () => {
  const c = store.db.collection('big');
  let scanning = true;
  const scans = Promise.all(Array.from({ length: 3 }, () => c.countDocuments({ text: { $regex: 'zzz' } }))).finally(
    () => {
      scanning = false;
    },
  );
  let reads = 0;
  while (scanning) {
    await c.findOne({ _id: 5 as never });
    reads++;
  }
  await scans;
  expect(reads).toBeGreaterThan(3);
});

test('an operation is killed by its id', async () => {
  const admin = store.client.db('admin');
  const slow = store.db
    .collection('big')
    .find({ $expr: { $eq: [{ $add: ['$n', 1] }, -1] } })
    .toArray();
  const outcome = codeOf(slow);
  for (let killed = false; !killed; ) {
    const { inprog } = await admin.command({ currentOp: 1 });
    for (const { opid } of inprog) {
      await admin.command({ killOp: 1, op: opid });
      killed = true;
    }
    if (!killed && (await Promise.race([outcome.catch(() => 'ended'), Promise.resolve('running')])) === 'ended') break;
  }
  expect(await outcome).toBe(11601);
});

test('sorting without an index is bounded by the limit, not by the collection', async () => {
  const found = await store.db.collection('big').find().sort({ text: 1, _id: -1 }).limit(3).toArray();
  expect(found.map(({ _id }) => _id)).toEqual([19_999, 19_998, 19_997]);
});
