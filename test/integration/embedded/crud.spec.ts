import { Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'mongodb';
import { codeOf, expectConsistent, openTestStore, type Row, type TestStore } from './harness';

let store: TestStore;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(async () => {
  await expectConsistent(store.db);
  await store.close();
});

let next = 0;
const fresh = () => store.db.collection<Row>(`c${next++}`);
const bare = () => store.db.collection(`c${next++}`);

describe('inserting', () => {
  test('documents come back in insertion order, byte for byte of type', async () => {
    const c = bare();
    const document = {
      _id: new ObjectId(),
      int: new Int32(5),
      double: new Double(5),
      long: Long.fromString('9007199254740993'),
      decimal: Decimal128.fromString('1.10'),
      min: new MinKey(),
      max: new MaxKey(),
      at: new Date(1),
      nested: { a: [1, { b: null }] },
    };
    await c.insertOne(document);
    await c.insertOne({ _id: 'second' as never });
    const found = await c.find({}, { promoteValues: false }).toArray();
    expect(found[0]).toMatchObject({
      int: new Int32(5),
      double: new Double(5),
      long: Long.fromString('9007199254740993'),
    });
    expect(Object.keys(found[0] ?? {})).toEqual(Object.keys(document));
    expect(found).toHaveLength(2);
  });

  test('a missing _id is made and stored first', async () => {
    const c = bare();
    await store.db.command({ insert: c.collectionName, documents: [{ a: 1 }, { b: 2, _id: 7 }] });
    const found = await c.find().toArray();
    expect(found.map((document) => Object.keys(document)[0])).toEqual(['_id', '_id']);
    expect(found[0]?._id).toBeInstanceOf(ObjectId);
    expect(found[1]).toEqual({ _id: 7, b: 2 });
  });

  test('an ordered batch stops at the first duplicate, an unordered one continues', async () => {
    const [ordered, unordered] = [fresh(), fresh()];
    const documents = [{ _id: 1 }, { _id: 1 }, { _id: 2 }];
    expect(await codeOf(ordered.insertMany(documents))).toBe(11000);
    expect(await ordered.countDocuments()).toBe(1);
    expect(await codeOf(unordered.insertMany(documents, { ordered: false }))).toBe(11000);
    expect(await unordered.countDocuments()).toBe(2);
  });

  test('a duplicate names the pattern and the value', async () => {
    const c = fresh();
    await c.createIndex({ 'a.b': 1, c: -1 }, { unique: true });
    await c.insertOne({ _id: 1, a: { b: 'x' }, c: 2 });
    await expect(c.insertOne({ _id: 2, a: { b: 'x' }, c: 2 })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { 'a.b': 1, c: -1 },
      keyValue: { 'a.b': 'x', c: 2 },
      message: expect.stringContaining('index: a.b_1_c_-1 dup key: { a.b: "x", c: 2 }'),
    });
  });

  test.each([
    ['an array', [1]],
    ['a regular expression', /a/],
  ])('%s cannot be an _id', async (_name, _id) => {
    expect(await codeOf(fresh().insertOne({ _id }))).toBe(53);
  });

  test('a document of 16 MiB is accepted, a larger one rejected', async () => {
    const c = fresh();
    const room = 16 * 1024 * 1024 - 23;
    await c.insertOne({ _id: 1, b: 'x'.repeat(room - 7) });
    const reply = store.db.command({ insert: c.collectionName, documents: [{ _id: 2, b: 'x'.repeat(room - 6 + 30) }] });
    expect(await reply).toMatchObject({ writeErrors: [{ code: 10334 }] });
    expect(await c.countDocuments()).toBe(1);
  }, 60_000);

  test('a hundred levels of nesting are stored', async () => {
    const c = fresh();
    let value: unknown = 1;
    for (let i = 0; i < 100; i++) value = { a: value };
    await c.insertOne({ _id: 1, value });
    expect(await c.findOne({ _id: 1 })).toEqual({ _id: 1, value });
  });
});

describe('finding', () => {
  test('filter, sort, skip, limit and projection work together', async () => {
    const c = fresh();
    await c.insertMany(Array.from({ length: 50 }, (_, i) => ({ _id: i, a: i % 7, b: { c: i } })));
    const found = await c
      .find({ a: { $gte: 5 } })
      .sort({ a: -1, _id: 1 })
      .skip(2)
      .limit(3)
      .project({ 'b.c': 1 })
      .toArray();
    expect(found).toEqual([
      { _id: 20, b: { c: 20 } },
      { _id: 27, b: { c: 27 } },
      { _id: 34, b: { c: 34 } },
    ]);
  });

  test('numbers of all types match and are distinguished above 2^53', async () => {
    const c = fresh();
    await c.insertMany([
      { _id: 1, n: Long.fromString('9007199254740993') },
      { _id: 2, n: Long.fromString('9007199254740992') },
      { _id: 3, n: Decimal128.fromString('9007199254740993') },
      { _id: 4, n: 9007199254740992 },
    ]);
    for (const hint of [undefined, { n: 1 as const }]) {
      if (hint !== undefined) await c.createIndex(hint);
      const ids = await c
        .find({ n: Long.fromString('9007199254740993') }, { hint })
        .map(({ _id }) => _id)
        .toArray();
      expect(ids).toEqual([1, 3]);
    }
  });

  test('natural order runs both ways', async () => {
    const c = fresh();
    await c.insertMany([{ _id: 2 }, { _id: 1 }, { _id: 3 }]);
    expect(
      await c
        .find()
        .sort({ $natural: -1 })
        .map(({ _id }) => _id)
        .toArray(),
    ).toEqual([3, 1, 2]);
  });

  test('a collation is refused, not ignored', async () => {
    const collation = { locale: 'en_US', strength: 2 };
    await expect(fresh().countDocuments({ name: 'Ping' }, { collation })).rejects.toMatchObject({ code: 238 });
  });

  test.each([
    [{ tailable: true }, 2],
    [{ min: { _id: 1 } }, 238],
    [{ nonsense: 1 }, 40415],
    [{ filter: { $where: 'true' } }, expect.any(Number)],
    [{ limit: -1 }, 51024],
  ])('find with %j is refused', async (extra, code) => {
    expect(await codeOf(store.db.command({ find: 'c0', ...extra }))).toEqual(code);
  });
});

describe('updating', () => {
  test('matched and modified counts differ', async () => {
    const c = fresh();
    await c.insertMany([
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
    ]);
    expect(await c.updateMany({}, { $set: { a: 1 } })).toMatchObject({ matchedCount: 2, modifiedCount: 1 });
  });

  test('an upsert builds the document from filter and update', async () => {
    const c = fresh();
    const result = await c.updateOne(
      { _id: 'k', kind: 'x' },
      { $inc: { n: 2 }, $setOnInsert: { first: true } },
      { upsert: true },
    );
    expect(result).toMatchObject({ upsertedId: 'k', upsertedCount: 1 });
    expect(await c.findOne({ _id: 'k' })).toEqual({ _id: 'k', kind: 'x', n: 2, first: true });
  });

  test('an update by an indexed field visits each document once', async () => {
    const c = fresh();
    await c.createIndex({ n: 1 });
    await c.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: i, n: i })));
    expect((await c.updateMany({ n: { $gte: 0 } }, { $inc: { n: 1000 } })).modifiedCount).toBe(500);
    expect(await c.countDocuments({ n: { $gte: 1000, $lt: 1500 } })).toBe(500);
  });

  test('sort chooses which document updateOne and findOneAndUpdate take', async () => {
    const c = fresh();
    await c.insertMany([
      { _id: 1, a: 3 },
      { _id: 2, a: 9 },
      { _id: 3, a: 5 },
    ]);
    await c.updateOne({}, { $set: { hit: 1 } }, { sort: { a: -1 } });
    expect(await c.findOne({ hit: 1 })).toMatchObject({ _id: 2 });
    expect(
      await c.findOneAndUpdate(
        {},
        { $set: { hit: 2 } },
        { sort: { a: 1 }, returnDocument: 'after', projection: { _id: 1 } },
      ),
    ).toEqual({ _id: 1 });
  });

  test('positional operators and array filters reach their elements', async () => {
    const c = fresh();
    await c.insertOne({
      _id: 1,
      a: [
        { k: 1, v: 0 },
        { k: 2, v: 0 },
      ],
    });
    await c.updateOne({ 'a.k': 2 }, { $set: { 'a.$.v': 5 } });
    await c.updateOne({}, { $inc: { 'a.$[x].v': 1 } }, { arrayFilters: [{ 'x.k': 1 }] });
    expect(await c.findOne()).toEqual({
      _id: 1,
      a: [
        { k: 1, v: 1 },
        { k: 2, v: 5 },
      ],
    });
  });

  test('changing the _id is refused with 66', async () => {
    const c = fresh();
    await c.insertOne({ _id: 1 });
    expect(await codeOf(c.updateOne({ _id: 1 }, { $set: { _id: 2 } as never }))).toBe(66);
  });

  test('a refused statement leaves the document as it was', async () => {
    const c = fresh();
    await c.createIndex({ u: 1 }, { unique: true });
    await c.insertMany([
      { _id: 1, u: 1 },
      { _id: 2, u: 2 },
    ]);
    expect(await codeOf(c.updateOne({ _id: 2 }, { $set: { u: 1, x: 1 } }))).toBe(11000);
    expect(await c.findOne({ _id: 2 })).toEqual({ _id: 2, u: 2 });
  });

  test('a thousand concurrent increments all count', async () => {
    const c = fresh();
    await c.insertOne({ _id: 1, n: 0 });
    await Promise.all(Array.from({ length: 1000 }, () => c.updateOne({ _id: 1 }, { $inc: { n: 1 } })));
    expect(await c.findOne()).toEqual({ _id: 1, n: 1000 });
  });

  test('of concurrent claims each document goes to one', async () => {
    const c = fresh();
    await c.createIndex({ state: 1, at: 1 });
    await c.insertMany(Array.from({ length: 100 }, (_, i) => ({ _id: i, state: 'new', at: i })));
    const claims = await Promise.all(
      Array.from({ length: 150 }, () =>
        c.findOneAndUpdate({ state: 'new' }, { $set: { state: 'taken' } }, { sort: { at: 1 } }),
      ),
    );
    const ids = claims.flatMap((claim) => (claim === null ? [] : [claim._id]));
    expect(new Set(ids).size).toBe(100);
    expect(ids).toHaveLength(100);
  });
});

describe('deleting, counting, distinct', () => {
  test('deleteOne removes one, deleteMany all, findOneAndDelete returns it', async () => {
    const c = fresh();
    await c.insertMany([1, 2, 3, 4].map((_id) => ({ _id, a: 1 })));
    expect((await c.deleteOne({ a: 1 })).deletedCount).toBe(1);
    expect(await c.findOneAndDelete({}, { sort: { _id: -1 } })).toEqual({ _id: 4, a: 1 });
    expect((await c.deleteMany({})).deletedCount).toBe(2);
    expect(await c.estimatedDocumentCount()).toBe(0);
  });

  test('distinct expands arrays', async () => {
    const c = fresh();
    await c.insertMany([{ _id: 1, t: ['a', 'b'] }, { _id: 2, t: 'b' }, { _id: 3 }]);
    expect(await c.distinct('t')).toEqual(['a', 'b']);
  });

  test('countDocuments agrees with and without an index', async () => {
    const c = fresh();
    await c.insertMany(Array.from({ length: 300 }, (_, i) => ({ _id: i, a: i % 3, b: i })));
    const plain = await c.countDocuments({ a: 1, b: { $lt: 100 } });
    await c.createIndex({ a: 1, b: 1 });
    expect(await c.countDocuments({ a: 1, b: { $lt: 100 } })).toBe(plain);
    expect(await c.countDocuments({ a: 1 }, { skip: 10, limit: 5 })).toBe(5);
  });
});

test('bulkWrite over several collections reports each operation', async () => {
  const result = await store.client.bulkWrite(
    [
      { namespace: 'everstep.bulk_a', name: 'insertOne', document: { _id: 1 as never, n: 1 } },
      {
        namespace: 'everstep.bulk_b',
        name: 'updateOne',
        filter: { _id: 2 as never },
        update: { $set: { n: 5 } },
        upsert: true,
      },
      { namespace: 'everstep.bulk_a', name: 'deleteMany', filter: { n: 1 } },
    ],
    { verboseResults: true },
  );
  expect(result).toMatchObject({ insertedCount: 1, upsertedCount: 1, deletedCount: 1 });
  expect(result.updateResults?.get(1)).toMatchObject({ upsertedId: 2 });
});

test('an unacknowledged write is done before the next command of its connection', async () => {
  const lone = await openTestStore({}, { maxPoolSize: 1 });
  const c = lone.db.collection<{ _id: number }>('w0', { writeConcern: { w: 0 } });
  await c.insertOne({ _id: 1 });
  expect(await lone.db.collection('w0').countDocuments()).toBe(1);
  await lone.close();
});

test('a timestamp of zero and timestamps kept', async () => {
  const c = fresh();
  const at = new Timestamp({ t: 5, i: 6 });
  await c.insertOne({ _id: 1, at });
  expect(await c.findOne()).toEqual({ _id: 1, at });
});
