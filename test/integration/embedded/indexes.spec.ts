import type { Collection } from 'mongodb';
import { codeOf, expectConsistent, openTestStore, planOf, type Row, type TestStore } from './harness';

let store: TestStore;
beforeAll(async () => {
  store = await openTestStore({ ttlIntervalMs: 50 });
});
afterAll(async () => {
  await expectConsistent(store.db);
  await store.close();
});

let next = 0;
const fresh = (): Collection<Row> => store.db.collection<Row>(`i${next++}`);
const ids = (documents: readonly { _id: unknown }[]): unknown[] => documents.map(({ _id }) => _id);

describe('plans', () => {
  test('equality, range, sort and a compound prefix use the index', async () => {
    const c = fresh();
    await c.createIndex({ a: 1, b: -1 });
    await c.insertMany(Array.from({ length: 40 }, (_, i) => ({ _id: i, a: i % 4, b: i })));
    expect(await planOf(c.find({ a: 1 }).explain('queryPlanner'))).toBe('FETCH < IXSCAN a_1_b_-1');
    expect(await planOf(c.find({ a: 1 }).sort({ b: -1 }).explain('queryPlanner'))).toBe('FETCH < IXSCAN a_1_b_-1');
    expect(await planOf(c.find({ a: 1 }).sort({ b: 1 }).explain('queryPlanner'))).toBe('FETCH < IXSCAN a_1_b_-1');
    expect(await planOf(c.find({ b: 1 }).explain('queryPlanner'))).toBe('COLLSCAN');
    expect(
      await planOf(
        c
          .find({ a: { $gt: 1 } })
          .sort({ b: 1 })
          .explain('queryPlanner'),
      ),
    ).toBe('SORT < FETCH < IXSCAN a_1_b_-1');
    expect(ids(await c.find({ a: 1 }).sort({ b: 1 }).limit(3).toArray())).toEqual([1, 5, 9]);
    expect(ids(await c.find({ a: 1 }).sort({ b: -1 }).limit(3).toArray())).toEqual([37, 33, 29]);
    expect(
      ids(
        await c
          .find({ a: { $in: [3, 0] } })
          .sort({ a: 1, b: 1 })
          .limit(2)
          .toArray(),
      ),
    ).toEqual([0, 4]);
  });

  test('a limited sorted query reads only what it answers', async () => {
    const c = fresh();
    await c.createIndex({ a: 1, b: 1 });
    await c.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: i, a: 1, b: 500 - i })));
    const { executionStats } = await c.find({ a: 1 }).sort({ b: 1 }).explain('executionStats');
    expect(executionStats).toMatchObject({ nReturned: 500, totalKeysExamined: 500 });
    const limited = await c.find({ a: 1 }).sort({ b: 1 }).limit(3).explain('executionStats');
    expect(limited.executionStats).toMatchObject({ nReturned: 3, totalKeysExamined: 3 });
  });

  test('both branches of an $or use their own index', async () => {
    const c = fresh();
    await c.createIndex({ a: 1 });
    await c.createIndex({ b: 1 });
    await c.insertMany([{ _id: 1, a: 1, b: 1 }, { _id: 2, a: 1 }, { _id: 3, b: 1 }, { _id: 4 }]);
    const filter = { $or: [{ a: 1 }, { b: 1 }] };
    expect(await planOf(c.find(filter).explain('queryPlanner'))).toBe('FETCH < OR');
    expect(new Set(ids(await c.find(filter).toArray()))).toEqual(new Set([1, 2, 3]));
  });

  test('hints force an index and unknown ones are refused', async () => {
    const c = fresh();
    await c.createIndex({ a: 1 }, { name: 'by_a' });
    await c.insertOne({ _id: 1, a: 1 });
    expect(await planOf(c.find({}).hint('by_a').explain('queryPlanner'))).toBe('FETCH < IXSCAN by_a');
    expect(await planOf(c.find({ a: 1 }).hint({ $natural: 1 }).explain('queryPlanner'))).toBe('COLLSCAN');
    expect(await codeOf(c.find({}).hint('nope').toArray())).toBe(2);
  });

  test('a hidden index is maintained but not used', async () => {
    const c = fresh();
    await c.createIndex({ a: 1 }, { hidden: true });
    await c.insertOne({ _id: 1, a: 1 });
    expect(await planOf(c.find({ a: 1 }).explain('queryPlanner'))).toBe('COLLSCAN');
    await store.db.command({ collMod: c.collectionName, index: { name: 'a_1', hidden: false } });
    expect(await planOf(c.find({ a: 1 }).explain('queryPlanner'))).toBe('FETCH < IXSCAN a_1');
  });
});

describe('kinds of index', () => {
  test('multikey: each element finds the document, once, and the order is not taken from the index', async () => {
    const c = fresh();
    await c.createIndex({ t: 1 });
    await c.insertMany([{ _id: 1, t: [1, 9] }, { _id: 2, t: [5] }, { _id: 3, t: [] }, { _id: 4 }]);
    expect(ids(await c.find({ t: { $gte: 1 } }).toArray())).toEqual([1, 2]);
    expect(ids(await c.find({ t: { $gt: 4, $lt: 3 } }).toArray())).toEqual([1]);
    expect(ids(await c.find({ t: { $gt: 9, $lt: 3 } }).toArray())).toEqual([]);
    expect(ids(await c.find({ t: { $gt: 2, $lt: 8 } }).toArray())).toEqual([2, 1]);
    expect(ids(await c.find().sort({ t: 1 }).toArray())).toEqual([3, 4, 1, 2]);
    expect(ids(await c.find({ t: null }).toArray())).toEqual([4]);
    expect(ids(await c.find({ t: [] }).toArray())).toEqual([3]);
    expect(await planOf(c.find({ t: 5 }).explain('queryPlanner'))).toBe('FETCH < IXSCAN t_1');
    await c.deleteOne({ _id: 1 });
    expect(ids(await c.find({ t: 9 }).toArray())).toEqual([]);
  });

  test('multikey: bounds do not change by which element a document sorts', async () => {
    const c = fresh();
    await c.createIndex({ t: 1 });
    await c.insertMany([
      { _id: 1, t: [1, 9] },
      { _id: 2, t: [5] },
    ]);
    expect(
      ids(
        await c
          .find({ t: { $gt: 2 } })
          .sort({ t: 1 })
          .toArray(),
      ),
    ).toEqual([1, 2]);
    expect(
      await planOf(
        c
          .find({ t: { $gt: 2 } })
          .sort({ t: 1 })
          .explain('queryPlanner'),
      ),
    ).toBe('SORT < FETCH < IXSCAN t_1');
  });

  test('multikey: conditions on one array may be met by different elements, in $elemMatch by one', async () => {
    const c = fresh();
    await c.createIndex({ 'a.x': 1, 'a.y': 1 });
    await c.insertMany([
      {
        _id: 1,
        a: [
          { x: 1, y: 2 },
          { x: 3, y: 4 },
        ],
      },
      { _id: 2, a: [{ x: 1, y: 4 }] },
    ]);
    expect(ids(await c.find({ 'a.x': 1, 'a.y': 4 }).toArray())).toEqual([1, 2]);
    expect(ids(await c.find({ a: { $elemMatch: { x: 1, y: 4 } } }).toArray())).toEqual([2]);
    expect(await planOf(c.find({ a: { $elemMatch: { x: 1, y: 4 } } }).explain('queryPlanner'))).toMatch(/IXSCAN/);
  });

  test('multikey stays known after a restart', async () => {
    const own = await openTestStore();
    const seed = own.db.collection<{ _id: number; t: number[] }>('m');
    await seed.createIndex({ t: 1 });
    await seed.insertOne({ _id: 1, t: [1, 9] });
    await own.restart();
    const found = await own.db
      .collection('m')
      .find({ t: { $gt: 5, $lt: 3 } })
      .toArray();
    expect(found).toEqual([{ _id: 1, t: [1, 9] }].filter(({ t }) => t.some((n) => n > 5) && t.some((n) => n < 3)));
    await own.close();
  });

  test('two arrays cannot be indexed together', async () => {
    const c = fresh();
    await c.createIndex({ a: 1, b: 1 });
    expect(await codeOf(c.insertOne({ _id: 1, a: [1], b: [2] }))).toBe(171);
    expect(await c.countDocuments()).toBe(0);
  });

  test('sparse: absent fields are left out and several may be absent in a unique one', async () => {
    const c = fresh();
    await c.createIndex({ u: 1 }, { unique: true, sparse: true });
    await c.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3, u: 1 }]);
    expect(await codeOf(c.insertOne({ _id: 4, u: 1 }))).toBe(11000);
    expect(ids(await c.find({ u: null }).toArray())).toEqual([1, 2]);
    expect(await planOf(c.find({ u: null }).explain('queryPlanner'))).toBe('COLLSCAN');
    expect(await planOf(c.find({ u: 1 }).explain('queryPlanner'))).toBe('FETCH < IXSCAN u_1');
    expect(await c.find().sort({ u: 1 }).toArray()).toHaveLength(3);
  });

  test('partial: unique among those it holds, and used only when the filter implies it', async () => {
    const c = fresh();
    await c.createIndex({ u: 1 }, { unique: true, partialFilterExpression: { live: true, n: { $gt: 10 } } });
    await c.insertMany([
      { _id: 1, u: 1, live: true, n: 11 },
      { _id: 2, u: 1, live: false, n: 11 },
      { _id: 3, u: 1, live: true, n: 3 },
    ]);
    expect(await codeOf(c.insertOne({ _id: 4, u: 1, live: true, n: 12 }))).toBe(11000);
    expect(await codeOf(c.updateOne({ _id: 2 }, { $set: { live: true } }))).toBe(11000);
    expect(await planOf(c.find({ u: 1, live: true, n: { $gte: 11 } }).explain('queryPlanner'))).toBe(
      'FETCH < IXSCAN u_1',
    );
    expect(await planOf(c.find({ u: 1, live: true }).explain('queryPlanner'))).toBe('COLLSCAN');
    expect(ids(await c.find({ u: 1, live: true }).toArray())).toEqual([1, 3]);
  });

  test('unique: missing counts as null', async () => {
    const c = fresh();
    await c.createIndex({ u: 1 }, { unique: true });
    await c.insertOne({ _id: 1 });
    expect(await codeOf(c.insertOne({ _id: 2, u: null }))).toBe(11000);
  });

  test('TTL: expired documents disappear, others stay', async () => {
    const c = fresh();
    await c.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    const old = new Date(Date.now() - 120_000);
    await c.insertMany([
      { _id: 1, at: old },
      { _id: 2, at: new Date() },
      { _id: 3, at: [new Date(), old] },
      { _id: 4, at: 'text' },
      { _id: 5 },
    ]);
    await until(async () => (await c.countDocuments()) === 3);
    expect(ids(await c.find().toArray())).toEqual([2, 4, 5]);
  });

  test('long strings are found, distinguished and sorted', async () => {
    const c = fresh();
    await c.createIndex({ s: 1 }, { unique: true });
    const long = (end: string): string => 'y'.repeat(4000) + end;
    await c.insertMany([
      { _id: 1, s: long('c') },
      { _id: 2, s: long('a') },
      { _id: 3, s: long('b') },
      { _id: 4, s: 'y' },
    ]);
    expect(await codeOf(c.insertOne({ _id: 5, s: long('a') }))).toBe(11000);
    expect(ids(await c.find({ s: long('b') }).toArray())).toEqual([3]);
    expect(
      ids(
        await c
          .find({ s: { $gt: long('a') } })
          .sort({ s: 1 })
          .toArray(),
      ),
    ).toEqual([3, 1]);
    expect(ids(await c.find({ s: /^yy/ }).sort({ s: -1 }).toArray())).toEqual([1, 3, 2]);
  });
});

describe('defining', () => {
  test('listIndexes returns all options as given', async () => {
    const c = fresh();
    await c.createIndex({ a: 1 }, { unique: true, sparse: true, name: 'x' });
    await c.createIndex({ b: 1 }, { expireAfterSeconds: 5 });
    await c.createIndex({ c: -1 }, { partialFilterExpression: { c: { $exists: true } } });
    expect(await c.indexes()).toEqual([
      { v: 2, key: { _id: 1 }, name: '_id_' },
      { v: 2, key: { a: 1 }, name: 'x', unique: true, sparse: true },
      { v: 2, key: { b: 1 }, name: 'b_1', expireAfterSeconds: 5 },
      { v: 2, key: { c: -1 }, name: 'c_-1', partialFilterExpression: { c: { $exists: true } } },
    ]);
  });

  test('the same again is no change, a contradiction is refused', async () => {
    const c = fresh();
    await c.createIndex({ a: 1 });
    expect(await c.createIndex({ a: 1 })).toBe('a_1');
    expect(await codeOf(c.createIndex({ a: 1 }, { name: 'other' }))).toBe(85);
    expect(await codeOf(c.createIndex({ b: 1 }, { name: 'a_1' }))).toBe(86);
    expect(await codeOf(c.createIndex({ a: 1 }, { expireAfterSeconds: 1 }))).toBe(86);
    expect(await codeOf(c.createIndex({ a: 1 }, { unique: true }))).toBe(86);
  });

  test.each([
    [{ a: 'text' }, {}],
    [{ a: '2dsphere' }, {}],
    [{ a: 'hashed' }, {}],
    [{ '$**': 1 }, {}],
    [{ a: 0 }, {}],
    [{ a: 1 }, { collation: { locale: 'en' } }],
    [{ a: 1, b: 1 }, { expireAfterSeconds: 1 }],
    [{ a: 1 }, { partialFilterExpression: { a: { $ne: 1 } } }],
  ])('%j with %j is refused with 67', async (key, options) => {
    expect(await codeOf(fresh().createIndex(key as never, options))).toBe(67);
  });

  test('a build over documents that are not unique fails and leaves no index', async () => {
    const c = fresh();
    await c.insertMany(Array.from({ length: 700 }, (_, i) => ({ _id: i, u: i % 600 })));
    expect(await codeOf(c.createIndex({ u: 1 }, { unique: true }))).toBe(11000);
    expect(await c.indexes()).toHaveLength(1);
    await c.insertOne({ _id: 1000, u: 1 });
  });

  test('writes during a build end up in the index', async () => {
    const c = fresh();
    await c.insertMany(Array.from({ length: 5000 }, (_, i) => ({ _id: i, n: i % 10 })));
    const build = c.createIndex({ n: 1 });
    await Promise.all([
      ...Array.from({ length: 100 }, (_, i) => c.insertOne({ _id: 10_000 + i, n: 3 })),
      ...Array.from({ length: 100 }, (_, i) => c.updateOne({ _id: i * 40 }, { $set: { n: 77 } })),
      ...Array.from({ length: 100 }, (_, i) => c.deleteOne({ _id: i * 40 + 1 })),
    ]);
    await build;
    expect(await store.db.command({ validate: c.collectionName })).toMatchObject({ valid: true });
    expect(await c.countDocuments({ n: 77 })).toBe(100);
  });

  test('dropping by name, by pattern, all, and what is not there', async () => {
    const c = fresh();
    await c.createIndexes([{ key: { a: 1 } }, { key: { b: 1 } }, { key: { c: 1 } }]);
    await c.dropIndex('a_1');
    await store.db.command({ dropIndexes: c.collectionName, index: { b: 1 } });
    expect(await codeOf(c.dropIndex('a_1'))).toBe(27);
    expect(await codeOf(c.dropIndex('_id_'))).toBe(72);
    await c.dropIndexes();
    expect(await c.indexes()).toHaveLength(1);
  });
});

/** Waits for a condition that background work brings about. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the condition did not come about');
}
