import { type Document, Int32 } from 'bson';
import fc, { type Arbitrary } from 'fast-check';
import { expression } from './expressions';
import { filter, valueCondition } from './filters';
import { update } from './updates';
import { documents, fieldName, integer, path } from './values';

/** The collection of every generated command. */
export const COLLECTION = 'fuzz';

const direction = fc.constantFrom(new Int32(1), new Int32(-1));

/** A sort without ties, so that both engines must return the same order. */
const sort: Arbitrary<Document> = fc
  .array(fc.tuple(path, direction), { maxLength: 2 })
  .map((keys) => ({ ...Object.fromEntries(keys), _id: new Int32(1) }));

const projected: Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<unknown>(new Int32(1)) },
  { weight: 1, arbitrary: integer.map(($slice) => ({ $slice })) },
  { weight: 1, arbitrary: valueCondition.map(($elemMatch) => ({ $elemMatch })) },
  { weight: 1, arbitrary: expression },
);

const projection: Arbitrary<Document> = fc.oneof(
  fc.array(fc.tuple(path, projected), { minLength: 1, maxLength: 2 }).map(Object.fromEntries),
  fc
    .array(path, { minLength: 1, maxLength: 2 })
    .map((names) => Object.fromEntries(names.map((name) => [name, new Int32(0)]))),
  path.map((name) => ({ _id: new Int32(0), [name]: new Int32(1) })),
);

const find = fc
  .record(
    { filter, sort, projection, skip: fc.constantFrom(0, 0, 1), limit: fc.constantFrom(0, 1, 3) },
    { requiredKeys: ['filter', 'sort'] },
  )
  .map((options): Document => ({ find: COLLECTION, ...options, batchSize: 1000 }));

const stage: Arbitrary<Document> = fc.oneof(
  filter.map(($match) => ({ $match })),
  projection.map(($project) => ({ $project })),
  fc.tuple(path, expression).map(([name, e]) => ({ $set: { [name]: e } })),
  fieldName.map((name) => ({ $unwind: `$${name}` })),
  fieldName.map((name) => ({
    $unwind: { path: `$${name}`, preserveNullAndEmptyArrays: true, includeArrayIndex: 'i' },
  })),
  fc
    .tuple(path, fc.constantFrom('$sum', '$avg', '$min', '$max', '$push', '$first', '$last'), expression)
    .map(([by, name, e]) => ({ $group: { _id: `$${by}`, v: { [name]: e } } })),
);

const aggregate = fc.tuple(sort, fc.array(stage, { minLength: 1, maxLength: 2 })).map(
  ([$sort, stages]): Document => ({
    aggregate: COLLECTION,
    pipeline: [{ $sort }, ...stages],
    cursor: { batchSize: 1000 },
  }),
);

const change = fc
  .tuple(filter, update, fc.boolean(), fc.integer({ min: 0, max: 5 }))
  .map(([q, { u, multi }, byId, upsertId]): Document => {
    const chosen = byId ? { _id: new Int32(1) } : upsertId === 0 ? { _id: new Int32(99), ...q } : q;
    // Which document a single update matches is the planner's choice unless there is a sort.
    const order = multi ? {} : { sort: { _id: new Int32(1) } };
    return { update: COLLECTION, updates: [{ q: chosen, u, multi, upsert: upsertId === 0, ...order }] };
  });

const findAndModify = fc.tuple(filter, sort, update, fc.boolean()).map(
  ([query, order, { u }, isNew]): Document => ({
    findAndModify: COLLECTION,
    query,
    sort: order,
    update: u,
    new: isNew,
  }),
);

const command: Arbitrary<Document> = fc.oneof(
  { weight: 5, arbitrary: find },
  { weight: 3, arbitrary: aggregate },
  { weight: 5, arbitrary: change },
  { weight: 2, arbitrary: findAndModify },
  { weight: 1, arbitrary: filter.map((query): Document => ({ count: COLLECTION, query })) },
  {
    weight: 1,
    arbitrary: fc.tuple(path, filter).map(([key, query]): Document => ({ distinct: COLLECTION, key, query })),
  },
  {
    weight: 1,
    arbitrary: filter.map(
      (q): Document => ({ delete: COLLECTION, deletes: [{ q: { _id: { $gt: new Int32(2) }, ...q }, limit: 0 }] }),
    ),
  },
);

const index: Arbitrary<Document> = fc
  .tuple(
    fc.array(fc.tuple(path, direction), { minLength: 1, maxLength: 2 }),
    fc.constantFrom<Document>({}, {}, { sparse: true }, { unique: true }),
  )
  .map(([keys, options]) => ({ key: Object.fromEntries(keys), name: 'fuzz', ...options }));

/** A collection, at most one index, and the commands. */
export interface Scenario {
  documents: Document[];
  indexes: Document[];
  commands: Document[];
}

export const scenario: Arbitrary<Scenario> = fc.record({
  documents,
  indexes: fc.array(index, { maxLength: 1 }),
  commands: fc.array(command, { minLength: 1, maxLength: 6 }),
});
