import type { Document } from 'bson';
import fc, { type Arbitrary } from 'fast-check';
import { path, scalar, value } from './values';

const UNARY = [
  '$abs',
  '$ceil',
  '$floor',
  '$not',
  '$isNumber',
  '$type',
  '$isArray',
  '$size',
  '$toString',
  '$toBool',
  '$toInt',
  '$toDouble',
  '$toLong',
  '$toLower',
  '$strLenCP',
  '$first',
  '$last',
  '$reverseArray',
  '$objectToArray',
  '$sum',
  '$max',
  '$min',
  '$avg',
  '$mergeObjects',
  '$trunc',
  '$sqrt',
];
const BINARY = [
  '$add',
  '$subtract',
  '$multiply',
  '$divide',
  '$mod',
  '$eq',
  '$ne',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$cmp',
  '$and',
  '$or',
  '$ifNull',
  '$concat',
  '$in',
  '$arrayElemAt',
  '$concatArrays',
  '$setUnion',
  '$setDifference',
  '$indexOfArray',
  '$slice',
  '$max',
  '$sum',
];

/** An aggregation expression over the fields of a generated document. */
export const expression: Arbitrary<unknown> = fc.letrec<{ any: unknown; call: Document }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'expression' },
    { weight: 5, arbitrary: path.map((name) => `$${name}`) },
    { weight: 3, arbitrary: scalar.map(($literal) => ({ $literal })) },
    { weight: 1, arbitrary: value.map(($literal) => ({ $literal })) },
    { weight: 5, arbitrary: tie('call') },
  ),
  call: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'expression' },
    fc.tuple(fc.constantFrom(...UNARY), tie('any')).map(([name, a]): Document => ({ [name]: a })),
    fc.tuple(fc.constantFrom(...BINARY), tie('any'), tie('any')).map(([name, a, b]): Document => ({ [name]: [a, b] })),
    fc.tuple(tie('any'), tie('any'), tie('any')).map((parts): Document => ({ $cond: parts })),
    fc
      .tuple(tie('any'), tie('any'))
      .map(([input, test]): Document => ({ $filter: { input, cond: { $eq: ['$$this', test] } } })),
    tie('any').map((input): Document => ({ $map: { input, in: { v: '$$this' } } })),
  ),
})).any;
