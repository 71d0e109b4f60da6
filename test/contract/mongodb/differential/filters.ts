import { type Document, Int32 } from 'bson';
import fc, { type Arbitrary } from 'fast-check';
import { integer, path, scalar, value } from './values';

const operand = fc.oneof({ weight: 3, arbitrary: scalar }, { weight: 2, arbitrary: value });

const TYPES = [
  'double',
  'string',
  'object',
  'array',
  'binData',
  'objectId',
  'bool',
  'date',
  'null',
  'int',
  'timestamp',
  'long',
  'decimal',
  'number',
  'minKey',
  'maxKey',
];

/** One condition on a value, such as `{ $gt: 1 }`. */
const leaf: Arbitrary<Document> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), operand)
      .map(([name, v]) => ({ [name]: v })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('$in', '$nin', '$all'), fc.array(operand, { maxLength: 3 }))
      .map(([name, v]) => ({ [name]: v })),
  },
  { weight: 1, arbitrary: fc.boolean().map(($exists) => ({ $exists })) },
  { weight: 1, arbitrary: fc.constantFrom(...TYPES).map(($type) => ({ $type })) },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 2 }).map(($type) => ({ $type })),
  },
  { weight: 1, arbitrary: integer.map(($size) => ({ $size })) },
  { weight: 1, arbitrary: fc.tuple(integer, integer).map(($mod) => ({ $mod })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('a', '^a', 'B', '^$', '.'), fc.constantFrom('', 'i', 's'))
      .map(([$regex, $options]) => ({ $regex, $options })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('$bitsAllSet', '$bitsAnySet', '$bitsAllClear', '$bitsAnyClear'),
        fc.constantFrom(0, 1, 2, 5),
      )
      .map(([name, mask]) => ({ [name]: new Int32(mask) })),
  },
);

const merged = (parts: Document[]): Document => Object.assign({}, ...parts);

const { condition, filter: anyFilter } = fc.letrec<{ condition: Document; filter: Document }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'filter' },
    { weight: 8, arbitrary: leaf },
    { weight: 2, arbitrary: fc.array(leaf, { minLength: 2, maxLength: 2 }).map(merged) },
    { weight: 1, arbitrary: tie('condition').map(($not) => ({ $not })) },
    { weight: 1, arbitrary: tie('condition').map(($elemMatch) => ({ $elemMatch })) },
    { weight: 1, arbitrary: tie('filter').map(($elemMatch) => ({ $elemMatch })) },
  ),
  filter: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'filter' },
    { weight: 6, arbitrary: fc.tuple(path, tie('condition')).map(([name, test]) => ({ [name]: test })) },
    { weight: 2, arbitrary: fc.tuple(path, operand).map(([name, v]) => ({ [name]: v })) },
    { weight: 2, arbitrary: fc.tuple(tie('filter'), tie('filter')).map(merged) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom('$and', '$or', '$or', '$nor'),
          fc.array(tie('filter'), { minLength: 1, maxLength: 2, depthIdentifier: 'filter' }),
        )
        .map(([name, parts]) => ({ [name]: parts })),
    },
  ),
}));

/** A condition as `$pull` and `$elemMatch` take it. */
export const valueCondition: Arbitrary<Document> = condition;

/** A filter of one or a few conditions; two in eleven match everything. */
export const filter: Arbitrary<Document> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({}) },
  { weight: 9, arbitrary: anyFilter },
);
