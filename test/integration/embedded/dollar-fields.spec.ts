import type { Document } from 'mongodb';
import { codeOf, openTestStore, type Row, type TestStore } from './harness';

let store: TestStore;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store.close());

// Every expectation below is what MongoDB 8.2's own engine answered.

const STORED: Row = { _id: 1, $x: { y: 1 }, n: {} };
const REFUSED = 52;

/** The document after the update, or the code with which it was refused. */
async function updated(filter: Document, update: Document, upsert: boolean): Promise<unknown> {
  const rows = store.db.collection<Row>('rows');
  await rows.deleteMany({});
  await rows.insertOne(STORED);
  const { writeErrors } = await store.db.command({ update: 'rows', updates: [{ q: filter, u: update, upsert }] });
  if (writeErrors !== undefined) return (writeErrors as { code: number }[])[0]?.code;
  return rows.findOne(filter);
}

test.each<[string, Document, unknown]>([
  ['created by $set', { $set: { $a: 1 } }, REFUSED],
  ['created by $set of a path below it', { $set: { '$a.b': 1 } }, REFUSED],
  ['created beside others', { $set: { $a: 1, b: 1 } }, REFUSED],
  ['created by $inc', { $inc: { $a: 1 } }, REFUSED],
  ['created by $push', { $push: { $a: 1 } }, REFUSED],
  ['created by $rename', { $rename: { n: '$b' } }, REFUSED],
  ['replaced by $set', { $set: { $x: 5 } }, REFUSED],
  ['in a replacement', { a: 1, $b: 1 }, REFUSED],
  ['of a wrong type for $inc', { $inc: { $x: 1 } }, 14],
  ['of a wrong type for $pull', { $pull: { $x: 1 } }, 2],
  ['with an array filter in front', { $set: { '$[a]': 1 } }, 2],
  ['that is only for inserts', { $setOnInsert: { $a: 1 } }, STORED],
  ['that is not there, by $unset', { $unset: { $a: 1, '$b.c': 1 } }, STORED],
  [
    'that is not there, by $pull, $pop and $pullAll',
    { $pull: { $a: 1 }, $pop: { $b: 1 }, $pullAll: { $c: [] } },
    STORED,
  ],
  ['that is not there, by $rename', { $rename: { $a: 'b' } }, STORED],
  ['removed', { $unset: { $x: 1 } }, { _id: 1, n: {} }],
  ['changed below', { $set: { '$x.y': 5 } }, { ...STORED, $x: { y: 5 } }],
  ['counted below', { $inc: { '$x.y': 5 } }, { ...STORED, $x: { y: 6 } }],
  ['emptied', { $unset: { '$x.y': 1 } }, { ...STORED, $x: {} }],
  ['renamed', { $rename: { $x: 'q' } }, { _id: 1, n: {}, q: { y: 1 } }],
  ['below another', { $set: { 'n.$b': 1 } }, { ...STORED, n: { $b: 1 } }],
])('a field with $ in front, %s, in an update', async (_name, update, expected) => {
  expect(await updated({ _id: 1 }, update, false)).toEqual(expected);
});

test.each<[Document, Document]>([
  [{ $set: { $a: 1 } }, { _id: 9, $a: 1 }],
  [{ $setOnInsert: { $a: 1 } }, { _id: 9, $a: 1 }],
  [{ $set: { '$a.b': 1 } }, { _id: 9, $a: { b: 1 } }],
  [{ $setOnInsert: { '$a.b': 1 } }, { _id: 9, $a: { b: 1 } }],
  [{ $unset: { $a: 1 } }, { _id: 9 }],
  [{ $push: { $a: 1 } }, { _id: 9, $a: [1] }],
  [{ $mul: { $a: 2 } }, { _id: 9, $a: 0 }],
  [{ $rename: { a: '$b' } }, { _id: 9 }],
  [
    { a: 1, $b: 1 },
    { _id: 9, a: 1, $b: 1 },
  ],
])('an insert by upsert takes fields with $ in front: %j', async (update, expected) => {
  expect(await updated({ _id: 9 }, update, true)).toEqual(expected);
});

test('an update that matches nothing refuses nothing', async () => {
  expect(await updated({ _id: 77 }, { $set: { $a: 1 } }, false)).toBeNull();
});

test('explain refuses a verbosity that there is not', async () => {
  const explain = (verbosity: unknown): Promise<Document> =>
    store.db.command({ explain: { find: 'rows', filter: {} }, verbosity });
  for (const verbosity of ['nope', '']) expect(await codeOf(explain(verbosity))).toBe(2);
  expect(await codeOf(explain(5))).toBe(14);
  expect(await explain('queryPlanner')).not.toHaveProperty('executionStats');
  for (const verbosity of ['executionStats', 'allPlansExecution', null])
    expect(await explain(verbosity)).toHaveProperty('executionStats');
});
