import * as fc from 'fast-check';
import type { Collection, Filter, UpdateFilter } from 'mongodb';
import { expectConsistent, openTestStore, type TestStore } from './harness';

interface Thing {
  _id: number;
  a?: number | string | null | (number | string)[];
  b?: number;
  c?: { d?: number };
}

/** The least that can be right: an array of documents, in order of insertion. */
interface Model {
  documents: Thing[];
}

interface System {
  store: TestStore;
}

const collection = ({ store }: System): Collection<Thing> => store.db.collection<Thing>('things');

const scalar = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom('x', 'y'));
const thing = fc.record(
  {
    _id: fc.integer({ min: 0, max: 25 }),
    a: fc.oneof(scalar, fc.constant(null), fc.array(scalar, { maxLength: 3 })),
    b: fc.integer({ min: 0, max: 5 }),
    c: fc.record({ d: fc.integer({ min: 0, max: 3 }) }, { requiredKeys: [] }),
  },
  { requiredKeys: ['_id'] },
) as fc.Arbitrary<Thing>;

const values = (value: Thing['a']): unknown[] => (Array.isArray(value) ? value : [value]);

/** Filters beside their meaning in plain JavaScript. */
type Question = { filter: Filter<Thing>; matches: (thing: Thing) => boolean };
const question: fc.Arbitrary<Question> = fc.oneof(
  scalar.map((value): Question => ({ filter: { a: value }, matches: ({ a }) => values(a).includes(value) })),
  fc.integer({ min: 0, max: 5 }).map(
    (n): Question => ({
      filter: { a: { $gt: n } },
      matches: ({ a }) => values(a).some((each) => typeof each === 'number' && each > n),
    }),
  ),
  fc
    .integer({ min: 0, max: 5 })
    .map((n): Question => ({ filter: { b: { $lte: n } }, matches: ({ b }) => b !== undefined && b <= n })),
  fc.tuple(scalar, fc.integer({ min: 0, max: 5 })).map(
    ([value, n]): Question => ({
      filter: { a: value, b: n },
      matches: ({ a, b }) => values(a).includes(value) && b === n,
    }),
  ),
  fc
    .array(fc.integer({ min: 0, max: 5 }), { maxLength: 3 })
    .map(
      (list): Question => ({ filter: { b: { $in: list } }, matches: ({ b }) => b !== undefined && list.includes(b) }),
    ),
  fc
    .integer({ min: 0, max: 3 })
    .map(
      (n): Question => ({ filter: { $or: [{ 'c.d': n }, { b: n }] }, matches: ({ b, c }) => c?.d === n || b === n }),
    ),
  fc.constant<Question>({ filter: { b: { $exists: false } }, matches: ({ b }) => b === undefined }),
  fc.constant<Question>({ filter: {}, matches: () => true }),
);

const INDEXES = [
  [{ a: 1 }, {}],
  [{ b: -1, a: 1 }, {}],
  [{ 'c.d': 1 }, { sparse: true }],
  [{ b: 1 }, { partialFilterExpression: { b: { $gt: 2 } }, name: 'partial_b' }],
  [{ a: 1, b: 1, _id: -1 }, {}],
] as const;

const sorted = (things: readonly Thing[]): Thing[] => [...things].sort((x, y) => x._id - y._id);

type Step = fc.AsyncCommand<Model, System, true>;

const step = (name: string, run: (model: Model, system: System) => Promise<void>): Step => ({
  check: async () => true,
  run,
  toString: () => name,
});

const insert = thing.map(
  (given): Step =>
    step(`insert ${JSON.stringify(given)}`, async (model, system) => {
      const taken = model.documents.some(({ _id }) => _id === given._id);
      const inserted = await collection(system)
        .insertOne({ ...given })
        .then(
          () => true,
          (error: { code: number }) => {
            expect(error.code).toBe(11000);
            return false;
          },
        );
      expect(inserted).toBe(!taken);
      if (!taken) model.documents.push(given);
    }),
);

const update = fc.tuple(question, fc.integer({ min: 0, max: 5 }), fc.boolean()).map(
  ([{ filter, matches }, n, push]): Step =>
    step(`update ${JSON.stringify(filter)} ${push ? 'push' : 'set'} ${n}`, async (model, system) => {
      const change: UpdateFilter<Thing> = push ? { $set: { a: [n, n + 1] } } : { $set: { b: n } };
      const hit = model.documents.filter(matches);
      const result = await collection(system).updateMany(filter, change);
      expect(result.matchedCount).toBe(hit.length);
      for (const each of hit) Object.assign(each, push ? { a: [n, n + 1] } : { b: n });
    }),
);

const remove = question.map(
  ({ filter, matches }): Step =>
    step(`remove ${JSON.stringify(filter)}`, async (model, system) => {
      const { deletedCount } = await collection(system).deleteMany({ $and: [filter, { _id: { $mod: [3, 0] } }] });
      const before = model.documents.length;
      model.documents = model.documents.filter((each) => !(matches(each) && each._id % 3 === 0));
      expect(deletedCount).toBe(before - model.documents.length);
    }),
);

const find = question.map(
  ({ filter, matches }): Step =>
    step(`find ${JSON.stringify(filter)}`, async (model, system) => {
      const expected = sorted(model.documents.filter(matches));
      const c = collection(system);
      expect(sorted(await c.find(filter).toArray())).toEqual(expected);
      expect(sorted(await c.find(filter).hint({ $natural: 1 }).toArray())).toEqual(expected);
      expect(await c.countDocuments(filter)).toBe(expected.length);
      const order = { b: 1, _id: -1 } as const;
      const [byPlan, byScan] = await Promise.all([
        c.find(filter).sort(order).limit(4).toArray(),
        c.find(filter).hint({ $natural: 1 }).sort(order).limit(4).toArray(),
      ]);
      expect(byPlan).toEqual(byScan);
    }),
);

const index = fc.tuple(fc.constantFrom(...INDEXES), fc.boolean()).map(
  ([[key, options], drop]): Step =>
    step(`${drop ? 'drop' : 'create'} index ${JSON.stringify(key)}`, async (_model, system) => {
      const c = collection(system);
      if (drop) await c.dropIndexes();
      else await c.createIndex(key, options);
    }),
);

const restart = fc.constant(step('restart', (_model, { store }) => store.restart()));

let store: TestStore;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store.close());

test('whatever is done, indexes answer as a scan does, and both as a plain array would', async () => {
  const commands = fc.commands<Model, System, true>(
    [insert, insert, insert, update, remove, find, find, index, restart],
    { maxCommands: 50, size: 'max' },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (steps) => {
      await store.db.dropDatabase();
      await store.db.createCollection('things');
      await fc.asyncModelRun(() => ({ model: { documents: [] }, real: { store } }), steps);
      await expectConsistent(store.db);
    }),
    // Shrinking would run the whole sequence hundreds of times more; the printed seed and path repeat it instead.
    { numRuns: 60, endOnFailure: true },
  );
}, 120_000);
