import { type Document, Int32 } from 'bson';
import fc, { type Arbitrary } from 'fast-check';
import { expression } from './expressions';
import { filter, valueCondition } from './filters';
import { fieldName, integer, number, path, scalar, value } from './values';

const withValues = (names: string[], operand: Arbitrary<unknown>): Arbitrary<Document> =>
  fc
    .tuple(fc.constantFrom(...names), fc.array(fc.tuple(path, operand), { minLength: 1, maxLength: 2 }))
    .map(([name, fields]) => ({ [name]: Object.fromEntries(fields) }));

const pushed: Arbitrary<unknown> = fc.oneof(
  { weight: 2, arbitrary: value },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        $each: fc.array(value, { maxLength: 3 }),
        $position: integer,
        $slice: integer,
        $sort: fc.constantFrom<unknown>(new Int32(1), new Int32(-1), { a: new Int32(1) }),
      },
      { requiredKeys: ['$each'] },
    ),
  },
);

const operator: Arbitrary<Document> = fc.oneof(
  { weight: 4, arbitrary: withValues(['$set', '$setOnInsert'], value) },
  { weight: 4, arbitrary: withValues(['$inc', '$mul'], number) },
  { weight: 3, arbitrary: withValues(['$min', '$max'], value) },
  { weight: 2, arbitrary: withValues(['$unset'], fc.constant('')) },
  { weight: 1, arbitrary: withValues(['$rename'], fc.constantFrom('c', 'b.a', 'd')) },
  { weight: 3, arbitrary: withValues(['$push'], pushed) },
  {
    weight: 2,
    arbitrary: withValues(
      ['$addToSet'],
      fc.oneof(
        value,
        fc.array(value, { maxLength: 3 }).map(($each) => ({ $each })),
      ),
    ),
  },
  { weight: 2, arbitrary: withValues(['$pull'], fc.oneof(scalar, value, valueCondition, filter)) },
  { weight: 1, arbitrary: withValues(['$pullAll'], fc.array(value, { maxLength: 2 })) },
  { weight: 1, arbitrary: withValues(['$pop'], fc.constantFrom(new Int32(1), new Int32(-1))) },
  {
    weight: 1,
    arbitrary: withValues(
      ['$bit'],
      fc.constantFrom({ and: new Int32(5) }, { or: new Int32(2) }, { xor: new Int32(3) }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fieldName, fc.constantFrom('$', '$[]', '$[].b'), value)
      .map(([name, rest, v]) => ({ $set: { [`${name}.${rest}`]: v } })),
  },
);

const replacement: Arbitrary<Document> = fc.array(fc.tuple(fieldName, value), { maxLength: 3 }).map(Object.fromEntries);

const pipeline: Arbitrary<Document[]> = fc.array(
  fc.oneof(
    fc.tuple(path, expression).map(([name, e]): Document => ({ $set: { [name]: e } })),
    path.map(($unset): Document => ({ $unset })),
  ),
  { minLength: 1, maxLength: 2 },
);

/** What an update command's `u` may be, and whether it may change several documents. */
export const update: Arbitrary<{ u: Document | Document[]; multi: boolean }> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ u: operator, multi: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ u: fc.tuple(operator, operator).map(([a, b]) => ({ ...a, ...b })), multi: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ u: replacement, multi: fc.constant(false) }) },
  { weight: 2, arbitrary: fc.record({ u: pipeline, multi: fc.boolean() }) },
);
