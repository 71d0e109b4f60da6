import { Decimal128, Double, Int32, Long } from 'bson';
import fc from 'fast-check';
import { decode } from '../../../../embedded/bson/decode';
import { encode } from '../../../../embedded/bson/encode';
import { identical } from '../../../../embedded/bson/identical';
import { type Doc, Timestamp, type Value } from '../../../../embedded/bson/value';
import { compileUpdate, type UpdateOptions, upsertDocument } from '../../../../embedded/update/update';
import { meetingDoc, meetingValue } from './arbitraries';
import { afterUpdate, docOf, toEjson } from './bridge';

const context = { isInsert: false, now: new Date(1000), clusterTime: new Timestamp(7n) };
const valueOf = (literal: unknown): Value => docOf({ v: literal }).get('v') as Value;

interface Given {
  filter?: object;
  arrayFilters?: unknown[];
}

function updated(document: object, update: unknown, { filter = {}, arrayFilters }: Given = {}): Doc {
  const options: UpdateOptions = {
    arrayFilters: arrayFilters === undefined ? undefined : (valueOf(arrayFilters) as Value[]),
  };
  const compiled = compileUpdate(valueOf(update) as Doc, options);
  return afterUpdate(compiled, docOf(document), { ...context, filter: docOf(filter) });
}

const expectSame = (actual: Value, expected: object): void => expect(toEjson(actual)).toBe(toEjson(docOf(expected)));

describe('operators change documents as MongoDB does', () => {
  test.each<[string, object, unknown, object]>([
    [
      'new fields appear in order of their names, numbers first',
      { z: 1 },
      { $set: { c: 1, b: 1, '10': 1, '9': 1 } },
      { z: 1, '9': 1, '10': 1, b: 1, c: 1 },
    ],
    [
      '... across operators',
      { z: 1 },
      { $set: { c: 1 }, $inc: { b: 1 }, $push: { a: 1 } },
      { z: 1, a: [1], b: 1, c: 1 },
    ],
    [
      'an int outside of its range becomes a long',
      { a: 2147483647 },
      { $inc: { a: 1 } },
      { a: Long.fromNumber(2147483648) },
    ],
    ['a type change is a change', { a: 1 }, { $set: { a: new Double(1) } }, { a: new Double(1) }],
    [
      '$mul of a missing field gives a zero of its own type',
      {},
      { $mul: { a: 3, b: new Double(2) } },
      { a: 0, b: new Double(0) },
    ],
    ['$min and $max compare across types', { a: 'x', b: 1 }, { $min: { a: 5 }, $max: { b: 'y' } }, { a: 5, b: 'y' }],
    ['$bit starts from zero', {}, { $bit: { a: { or: 5 } } }, { a: 5 }],
    ['$unset inside an array leaves null', { a: [1, 2] }, { $unset: { 'a.0': 1 } }, { a: [null, 2] }],
    ['$set past the end of an array fills with null', { a: [1] }, { $set: { 'a.3': 2 } }, { a: [1, null, null, 2] }],
    [
      '$push orders, then cuts',
      { a: [{ k: 3 }, { k: 1 }] },
      { $push: { a: { $each: [{ k: 2 }], $sort: { k: 1 }, $slice: 2 } } },
      { a: [{ k: 1 }, { k: 2 }] },
    ],
    [
      '$push at a position from the end',
      { a: [1, 2, 3] },
      { $push: { a: { $each: [9], $position: -1 } } },
      { a: [1, 2, 9, 3] },
    ],
    ['$push of a document without $each pushes it', { a: [] }, { $push: { a: { $slice: 1 } } }, { a: [{ $slice: 1 }] }],
    [
      '$addToSet keeps duplicates that are there',
      { a: [1, 1] },
      { $addToSet: { a: { $each: [2, 2, new Double(1)] } } },
      { a: [1, 1, 2] },
    ],
    ['$pull by a filter on documents', { a: [{ x: [1, 2] }, { x: 5 }] }, { $pull: { a: { x: 1 } } }, { a: [{ x: 5 }] }],
    ['$pull by operators on values', { a: [[1, 2], 3, 1] }, { $pull: { a: { $gt: 1 } } }, { a: [1] }],
    ['$pull by a regular expression', { a: ['x', 'y'] }, { $pull: { a: /x/ } }, { a: ['y'] }],
    [
      '$pull of a value compares documents whole',
      { a: [{ x: { z: 1, w: 2 } }] },
      { $pull: { a: { x: { z: 1 } } } },
      { a: [{ x: { z: 1, w: 2 } }] },
    ],
    [
      '$pull by $nor is a filter on documents',
      { a: [{ c: 1 }, { c: 2 }] },
      { $pull: { a: { $nor: [{ c: 1 }] } } },
      { a: [{ c: 1 }] },
    ],
    ['$rename replaces its target', { a: 1, b: 2 }, { $rename: { a: 'b' } }, { b: 1 }],
    ['$rename moves null', { a: null }, { $rename: { a: 'b' } }, { b: null }],
    ['$rename makes parents', { a: 1 }, { $rename: { a: 'b.c' } }, { b: { c: 1 } }],
    ['$currentDate takes the time from outside', {}, { $currentDate: { a: true } }, { a: new Date(1000) }],
    [
      '$[] reaches into each element',
      { a: [{ b: [1] }, { b: [] }] },
      { $push: { 'a.$[].b': 9 } },
      { a: [{ b: [1, 9] }, { b: [9] }] },
    ],
    [
      'a pipeline computes from the document',
      { a: 1 },
      [{ $set: { b: { $add: ['$a', 1] } } }, { $unset: 'a' }],
      { b: 2 },
    ],
  ])('%s', (_, document, update, expected) => {
    expectSame(updated(document, update), expected);
  });

  test.each<[string, object, unknown, Given, object]>([
    [
      '$ is the position that the filter found',
      { a: [1, 2, 3] },
      { $set: { 'a.$': 9 } },
      { filter: { a: { $in: [2, 3] } } },
      { a: [1, 9, 3] },
    ],
    [
      '$ comes from the last condition on an array',
      { a: [1, 2, 3] },
      { $set: { 'a.$': 9 } },
      { filter: { $and: [{ a: 1 }, { a: 3 }] } },
      { a: [1, 2, 9] },
    ],
    [
      'array filters choose elements',
      { a: [{ k: 1 }, { k: 2 }] },
      { $set: { 'a.$[e].v': 1 } },
      { arrayFilters: [{ 'e.k': { $gt: 1 } }] },
      { a: [{ k: 1 }, { k: 2, v: 1 }] },
    ],
    [
      'an array filter may be a disjunction',
      { a: [1, 2, 5] },
      { $set: { 'a.$[x]': 9 } },
      { arrayFilters: [{ $or: [{ x: 1 }, { x: 5 }] }] },
      { a: [9, 2, 9] },
    ],
  ])('%s', (_, document, update, given, expected) => {
    expectSame(updated(document, update, given), expected);
  });

  test.each<[string, object, unknown]>([
    ['setting the same value', { a: { x: [1, null] } }, { $set: { a: { x: [1, null] } } }],
    ['$unset of a missing field', { a: 1 }, { $unset: { b: 1, 'a.b': 1 } }],
    ['$setOnInsert of a document that is there', { a: 1 }, { $setOnInsert: { b: 1 } }],
    ['$min of the same value in another type', { a: 1 }, { $min: { a: new Double(1) } }],
    ['$pull, $pop and $pullAll of a missing array', {}, { $pull: { a: 1 }, $pop: { b: 1 }, $pullAll: { 'c.d': [1] } }],
    ['$inc by zero', { a: 1 }, { $inc: { a: 0 } }],
    ['a replacement that is the same', { _id: 1, a: 1 }, { a: 1 }],
    ['a pipeline that computes the same', { a: 1 }, [{ $set: { a: 1 } }]],
    ['nothing at all', { a: Number.NaN }, { $set: {} }],
  ])('%s changes nothing', (_, document, update) => {
    expect(compileUpdate(valueOf(update) as Doc)(encode(docOf(document)), context)).toBeNull();
  });

  test('the changed fields are named, unless the whole document is replaced', () => {
    const before = encode(docOf({ _id: 1, a: 1, b: { c: 1 }, d: 1 }));
    const fields = (update: unknown) => compileUpdate(valueOf(update) as Doc)(before, context)?.fields;
    expect(fields({ $set: { a: 1, 'b.c': 2 }, $unset: { d: 1, e: 1 }, $inc: { n: 1 } })).toEqual(
      new Set(['b', 'd', 'n']),
    );
    expect(fields({ a: 2 })).toBeUndefined();
  });

  test('the input is never changed, and the result only where the path leads', () => {
    const path = fc.constantFrom('a', 'b', 'a.b', 'a.0', 'a.b.c', 'b.1', 'c.d');
    const operator = fc.constantFrom('$set', '$unset', '$push', '$addToSet', '$pull', '$min', '$max');
    fc.assert(
      fc.property(meetingDoc, operator, path, meetingValue, (document, name, target, value) => {
        const bytes = encode(document);
        const before = bytes.toString('hex');
        const untouched = [...document].filter(([field]) => field !== target.split('.')[0]);
        try {
          const change = compileUpdate(new Map([[name, new Map([[target, value]])]]))(bytes, context);
          const after = decode(change?.after ?? bytes);
          for (const [field, member] of untouched) expect(identical(after.get(field), member)).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ name: 'ServerError' });
        }
        expect(bytes.toString('hex')).toBe(before);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('refusals carry the code of MongoDB', () => {
  test.each<[object, unknown, Given, number]>([
    [{ a: 1 }, { $foo: { a: 1 } }, {}, 9],
    [{ a: 1 }, { $set: 1 }, {}, 9],
    [{ a: 1 }, { $set: { 'a.b': 1 } }, {}, 28],
    [{ a: [1] }, { $set: { 'a.b': 1 } }, {}, 28],
    [{ a: 1 }, { $pull: { 'a.b': 1 } }, {}, 28],
    [{ a: 1 }, { $pop: { 'a.b': 1 } }, {}, 28],
    [{ a: 1 }, { $set: { a: 1 }, $inc: { a: 1 } }, {}, 40],
    [{ a: 1 }, { $set: { a: 1, 'a.b': 1 } }, {}, 40],
    [{ a: 1 }, { $set: { 'a.$[]': 1 }, $min: { 'a.0': 2 } }, {}, 40],
    [{ a: [1] }, { $set: { 'a.$[]': 1, 'a.$[e]': 2 } }, { arrayFilters: [{ e: 1 }] }, 40],
    [{ a: 1 }, { $set: { '': 1 } }, {}, 56],
    [{ a: 1 }, { $set: { 'a..b': 1 } }, {}, 56],
    [{ a: 1 }, { $set: { $x: 1 } }, {}, 52],
    [{ a: 1 }, { $set: { 'b.$[].c': 1 } }, {}, 2],
    [{ a: 1 }, { $set: { 'a.$[]': 1 } }, {}, 2],
    [{ a: 1 }, { $set: { 'a.$': 1 } }, {}, 2],
    [{ a: 1 }, { $set: { '$.x': 1 } }, {}, 2],
    [{ a: [1] }, { $set: { 'a.$.$': 1 } }, {}, 2],
    [{ a: [1] }, { $set: { 'a.$[x]': 1 } }, {}, 2],
    [{ a: [1] }, { $set: { b: 1 } }, { arrayFilters: [{ x: 1 }] }, 9],
    [{ a: [1] }, { $set: { 'a.$[x]': 1 } }, { arrayFilters: [{ x: 1 }, { x: 2 }] }, 9],
    [{ a: [1] }, { $set: { 'a.$[x]': 1 } }, { arrayFilters: [{ x: 1, y: 2 }] }, 9],
    [{ a: [1] }, { $set: { 'a.$[X]': 1 } }, { arrayFilters: [{ X: 1 }] }, 2],
    [{ a: [1] }, { $set: { 'a.$[x]': 1 } }, { arrayFilters: [{}] }, 9],
    [{ a: [1] }, { $set: { 'a.2000000': 1 } }, {}, 34],
    [{ a: [1] }, { $pop: { a: 2 } }, {}, 9],
    [{ a: 1 }, { $pop: { a: 1 } }, {}, 14],
    [{ a: 1 }, { $push: { a: 1 } }, {}, 2],
    [{ a: [1] }, { $push: { a: { $each: 1 } } }, {}, 2],
    [{ a: [1] }, { $push: { a: { $each: [1], $foo: 1 } } }, {}, 2],
    [{ a: [1] }, { $push: { a: { $each: [1], $sort: 2 } } }, {}, 2],
    [{ a: [1] }, { $addToSet: { a: { $each: 1 } } }, {}, 14],
    [{ a: 1 }, { $rename: { a: 'a' } }, {}, 2],
    [{ a: 1 }, { $rename: { a: 'a.b' } }, {}, 2],
    [{ a: [{ b: 1 }] }, { $rename: { 'a.0.b': 'c' } }, {}, 2],
    [{ a: 1, b: [1] }, { $rename: { a: 'b.c' } }, {}, 2],
    [{ a: 1, b: 5 }, { $rename: { a: 'b.c' } }, {}, 28],
    [{ a: 'x' }, { $inc: { a: 1 } }, {}, 14],
    [{ a: 1 }, { $inc: { a: 'x' } }, {}, 14],
    [{ a: Long.MAX_VALUE }, { $inc: { a: 1 } }, {}, 2],
    [{ a: Decimal128.fromString('1') }, { $inc: { a: 1 } }, {}, 238],
    [{ a: 1 }, { $mul: { a: Decimal128.fromString('2') } }, {}, 238],
    [{ a: 'x' }, { $bit: { a: { and: 1 } } }, {}, 2],
    [{ a: 1 }, { $bit: { a: { and: 1.5 } } }, {}, 2],
    [{ a: 1 }, { $currentDate: { a: 1 } }, {}, 2],
    [{ _id: 1 }, { $set: { _id: 2 } }, {}, 66],
    [{ _id: 1 }, { $unset: { _id: 1 } }, {}, 66],
    [{ _id: 1 }, { _id: 2 }, {}, 66],
    [{ _id: 1 }, [{ $set: { _id: 5 } }], {}, 66],
    [{ a: 1 }, [{ $match: {} }], {}, 72],
    [{ a: 1 }, [{ $replaceWith: '$a' }], {}, 40228],
    [{ a: 1 }, { b: 1, $set: { c: 1 } }, {}, 52],
  ])('%j by %j %j is %d', (document, update, given, code) => {
    expect(() => updated(document, update, given)).toThrow(expect.objectContaining({ code }));
  });

  test('many documents cannot be replaced by one', () => {
    expect(() => compileUpdate(docOf({ a: 1 }), { multi: true })).toThrow(expect.objectContaining({ code: 9 }));
  });
});

describe('an upsert inserts', () => {
  const upserted = (filter: object, update: unknown): Doc =>
    decode(upsertDocument(docOf(filter), valueOf(update) as Doc, {}, { ...context, filter: docOf(filter) }));

  test.each<[object, unknown, object]>([
    [{ z: 1, b: { $eq: 2 } }, { $set: { c: 1, a: 2 } }, { z: 1, b: 2, a: 2, c: 1 }],
    [
      { _id: 7, a: { $in: [1] }, b: { $all: [2] }, $or: [{ d: 1 }] },
      { $set: { c: 1 } },
      { _id: 7, a: 1, b: 2, d: 1, c: 1 },
    ],
    [{ 'q.r': 3, 'q.s': 4 }, { $inc: { n: 1 } }, { q: { r: 3, s: 4 }, n: 1 }],
    [{ a: { $gt: 3 }, b: /x/, c: { $in: [1, 2] } }, { $setOnInsert: { d: 1 } }, { d: 1 }],
    [{ x: 4 }, { $set: { _id: 3 } }, { x: 4, _id: 3 }],
    [{ x: 4 }, [{ $set: { y: '$x' } }], { x: 4, y: 4 }],
    [{ _id: 5, x: 1 }, { y: 1 }, { _id: 5, y: 1 }],
    [{ x: new Int32(1) }, { y: 1 }, { y: 1 }],
  ])('%j with %j', (filter, update, expected) => {
    expectSame(upserted(filter, update), expected);
  });

  test.each<[object, unknown, number]>([
    [{ a: 1, $and: [{ a: 1 }] }, { $set: { c: 1 } }, 54],
    [{ a: 1, 'a.b': 1 }, { $set: { c: 1 } }, 54],
    [{ b: { $all: [2, null] } }, { $set: { c: 1 } }, 54],
    [{ _id: 4 }, { $set: { _id: 3 } }, 66],
    [{ a: 4 }, { $set: { 'a.$': 1 } }, 2],
    [{ $expr: { $eq: ['$q', 1] } }, { $set: { b: 1 } }, 224],
  ])('but %j with %j is refused with %d', (filter, update, code) => {
    expect(() => upserted(filter, update)).toThrow(expect.objectContaining({ code }));
  });
});
