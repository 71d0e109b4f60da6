import { Binary, Decimal128, type Document, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc, { type Arbitrary } from 'fast-check';

/** Field names are few, so that filters, sorts and updates meet what the documents hold. */
export const fieldName = fc.constantFrom('a', 'b', 'c');

/** Paths one to three names long; `0` and `1` are a position in an array or a key of a document. */
export const path: Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fieldName },
  { weight: 3, arbitrary: fc.constantFrom('a.b', 'a.0', 'b.c', 'a.b.c', 'b.a', 'c.1', 'a.0.b') },
);

/** Numbers of the four types, most of them equal to one of another type. */
export const number: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(0, 1, 2, 3, -1, 10, 2147483647, -2147483648).map((n) => new Int32(n)),
  fc
    .constantFrom(0, 1, 2, 0.5, 1.5, -1, -0, 1e20, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)
    .map((n) => new Double(n)),
  fc.constantFrom('0', '1', '2', '-1', '9007199254740993', '9223372036854775807').map((n) => Long.fromString(n)),
  fc
    .constantFrom('0', '1', '1.0', '1.5', '2', '-1', '0.1', 'NaN', 'Infinity', '9007199254740993')
    .map((n) => Decimal128.fromString(n)),
);

export const integer: Arbitrary<Int32> = fc.integer({ min: -3, max: 5 }).map((n) => new Int32(n));

const OBJECT_IDS = ['000000000000000000000001', '0000000000000000000000ff', 'ffffffffffffffffffffffff'];

/** Values that turn up in documents and in filters alike, so that filters find something. */
const common: Arbitrary<unknown> = fc.constantFrom(new Int32(1), new Int32(2), new Double(1), 'a', 'b', null, true);

/** Values without members. */
export const scalar: Arbitrary<unknown> = fc.oneof(
  { weight: 30, arbitrary: common },
  { weight: 6, arbitrary: number },
  { weight: 4, arbitrary: fc.constantFrom('', 'a', 'b', 'ab', 'A', '10', 'é', 'a\u0000b', '\u{1f600}') },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, -1, 1700000000000).map((ms) => new Date(ms)) },
  { weight: 1, arbitrary: fc.constantFrom(...OBJECT_IDS).map((hex) => new ObjectId(hex)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('', 'ff', '0001'), fc.constantFrom(0, 5))
      .map(([hex, type]) => new Binary(Buffer.from(hex, 'hex'), type)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      new Timestamp({ t: 1, i: 1 }),
      new Timestamp({ t: 1, i: 2 }),
      new MinKey(),
      new MaxKey(),
    ),
  },
);

const { anyValue } = fc.letrec<{ anyValue: unknown; list: unknown[]; object: Document }>((tie) => ({
  anyValue: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'value' },
    { weight: 6, arbitrary: scalar },
    { weight: 3, arbitrary: tie('list') },
    { weight: 3, arbitrary: tie('object') },
  ),
  list: fc.array(tie('anyValue'), { maxLength: 3, depthIdentifier: 'value' }),
  object: fc
    .array(fc.tuple(fc.constantFrom('a', 'b', 'c', '0'), tie('anyValue')), { maxLength: 2, depthIdentifier: 'value' })
    .map(Object.fromEntries),
}));

/** Any value: scalars, arrays and documents, two levels deep. */
export const value: Arbitrary<unknown> = anyValue;

const body: Arbitrary<Document> = fc.record({ a: value, b: value, c: value }, { requiredKeys: ['a'] });

/** A few documents with ids from 1. */
export const documents: Arbitrary<Document[]> = fc
  .array(body, { minLength: 3, maxLength: 10, size: 'max' })
  .map((bodies) => bodies.map((one, i) => ({ _id: new Int32(i + 1), ...one })));
