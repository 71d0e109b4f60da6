import fc from 'fast-check';
import { encode } from '../../../../embedded/bson/encode';
import type { Doc, Value } from '../../../../embedded/bson/value';
import { compileFilter, compilePositional, compileRawFilter } from '../../../../embedded/query/matcher';
import { anyFilter, meetingDoc } from './arbitraries';
import { docOf } from './bridge';

const matches = (filter: object, document: object, options = {}): boolean =>
  compileFilter(docOf(filter), options)(docOf(document));

describe('paths through arrays', () => {
  test.each<[object, unknown[], unknown[]]>([
    // filter, values of `a` that match, values of `a` that do not
    [
      { 'a.x': null },
      [[], [1], [[1]], [1, { x: 1 }], [{ y: 1 }], [[{ x: 1 }]], 5],
      [[{ x: 1 }], [[{ y: 1 }], { x: 1 }], [{ x: 1 }, [1]]],
    ],
    [{ 'a.x': { $exists: false } }, [[], [1], [{ y: 1 }], [[{ x: 1 }]]], [[1, { x: 1 }], { x: null }]],
    [{ 'a.0': null }, [[], [{ x: 1 }]], [[1], [[1]], [1, 2], [{ 0: 1 }]]],
    [{ 'a.0.0': 1 }, [[[1]]], [[1], [[2, 1]]]],
    [{ 'a.0.x': null }, [[1], [[1]], [{ y: 1 }]], [[[]], [[{ x: 1 }]]]],
    [{ 'a.0.x': 1 }, [[{ x: 1 }], [[{ x: 1 }]], [{ x: [1] }]], [[{ y: 1 }, { x: 1 }]]],
    [{ a: { $elemMatch: { x: null } } }, [[{ y: 1 }], [[1]]], [[1], [], [{ x: 1 }]]],
    [{ a: { $elemMatch: { $elemMatch: { x: 1 } } } }, [[[{ x: 1 }]]], [[{ x: 1 }]]],
    [{ a: { $elemMatch: { $not: { $gt: 1 } } } }, [[1], ['x']], [[2], []]],
    [{ a: { $all: [] } }, [], [[], 1, [1]]],
    [{ a: { $all: [{ $elemMatch: { x: 1 } }, { $elemMatch: { x: 2 } }] } }, [[{ x: 1 }, { x: 2 }]], [[{ x: 1 }]]],
    [{ a: { $size: 1 } }, [[1], [[1, 2]]], [1, [], [1, 2]]],
    [{ a: { $type: 'array' } }, [[], [[1]]], [1, {}]],
    [{ a: { $gt: 1, $lt: 3 } }, [2, [0, 5]], [1, [5], [0]]],
  ])('%j', (filter, yes, no) => {
    for (const a of yes) expect([a, matches(filter, { a } as object)]).toEqual([a, true]);
    for (const a of no) expect([a, matches(filter, { a } as object)]).toEqual([a, false]);
  });

  test('raw BSON is matched as the decoded document is', () => {
    fc.assert(
      fc.property(anyFilter, meetingDoc, (filter, document) => {
        expect(compileRawFilter(filter)(encode(document))).toBe(compileFilter(filter)(document));
      }),
      { numRuns: 5000 },
    );
  });

  test('keys such as __proto__ are ordinary', () => {
    const document: Doc = new Map<string, Value>([['__proto__', new Map([['x', 1]])]]);
    expect(compileFilter(new Map([['__proto__.x', 1]]))(document)).toBe(true);
    expect(compileFilter(new Map<string, Value>([['constructor', new Map([['$exists', true]])]]))(document)).toBe(
      false,
    );
  });
});

describe('operators', () => {
  test.each<[object, object, boolean]>([
    [{ a: /^b/i }, { a: 'Bee' }, true],
    [{ a: { $regex: '^ b # comment', $options: 'x' } }, { a: 'b' }, true],
    [{ a: { $regex: '(?i)B' } }, { a: 'b' }, true],
    [{ a: { $regex: 'a.c', $options: 's' } }, { a: 'a\nc' }, true],
    [{ a: { $not: /b/ } }, {}, true],
    [{ a: { $in: [/^x/, 1] } }, { a: ['y', 'xy'] }, true],
    [{ a: { $mod: [4, 1] } }, { a: -3 }, false],
    [{ a: { $mod: [4, -3] } }, { a: -3 }, true],
    [{ a: { $bitsAllClear: [0, 1] } }, { a: 4 }, true],
    [{ a: { $bitsAnySet: 6 } }, { a: 8 }, false],
    [{ a: { $bitsAllSet: [63, 70] } }, { a: -1 }, true],
    [{ $expr: { $gt: ['$a', '$b'] } }, { a: 2, b: 1 }, true],
    [{ $comment: 'why', a: 1 }, { a: 1 }, true],
    [{ $nor: [{ a: 1 }, { b: 1 }] }, { a: 2 }, true],
    [{ a: { $ref: 'c', $id: 1 } }, { a: { $ref: 'c', $id: 1 } }, true],
    [{ $alwaysFalse: 1 }, {}, false],
  ])('%j on %j', (filter, document, expected) => {
    expect(matches(filter, document)).toBe(expected);
  });

  test('variables reach $expr', () => {
    expect(matches({ $expr: { $eq: ['$a', '$$wanted'] } }, { a: 5 }, { let: new Map([['wanted', 5]]) })).toBe(true);
  });
});

describe('the position of the positional $', () => {
  test.each<[object, object, number | undefined]>([
    [{ a: 2 }, { a: [1, 2] }, 1],
    [{ 'a.x': 2 }, { a: [{ x: 1 }, { x: [0, 2] }] }, 1],
    [{ a: { $elemMatch: { $gt: 1 } } }, { a: [1, 2] }, 1],
    [{ 'a.0.b': 2 }, { a: [{ b: [1, 2] }] }, 1],
    [{ 'a.1': 2 }, { a: [1, 2] }, -1],
    [{ $and: [{ a: 1 }, { a: 3 }] }, { a: [1, 2, 3] }, 2],
    [{ a: { $size: 2 } }, { a: [1, 2] }, -1],
    [{ a: 9 }, { a: [1, 2] }, undefined],
  ])('%j on %j is %p', (filter, document, expected) => {
    expect(compilePositional(docOf(filter))(docOf(document))).toBe(expected);
  });
});

describe('$jsonSchema', () => {
  const schema = {
    bsonType: 'object',
    required: ['name'],
    properties: {
      name: { bsonType: 'string', minLength: 2, maxLength: 4, pattern: '^a' },
      age: { bsonType: ['int', 'null'], minimum: 0, maximum: 10, exclusiveMaximum: true, multipleOf: 2 },
      tags: { type: 'array', items: { enum: ['x', 'y'] }, minItems: 1, maxItems: 2, uniqueItems: true },
      either: { oneOf: [{ bsonType: 'int' }, { bsonType: 'number' }] },
      not: { not: { bsonType: 'string' } },
    },
    patternProperties: { '^n_': { bsonType: 'int' } },
    additionalProperties: false,
    dependencies: { age: ['tags'] },
  };
  test.each<[object, boolean]>([
    [{ name: 'ab' }, true],
    [{}, false],
    [{ name: 'a' }, false],
    [{ name: 'bb' }, false],
    [{ name: 'abcde' }, false],
    [{ name: 'ab', age: 4, tags: ['x'] }, true],
    [{ name: 'ab', age: 4 }, false],
    [{ name: 'ab', age: 10, tags: ['x'] }, false],
    [{ name: 'ab', age: 3, tags: ['x'] }, false],
    [{ name: 'ab', age: null, tags: ['x', 'y'] }, true],
    [{ name: 'ab', tags: ['x', 'x'] }, false],
    [{ name: 'ab', tags: ['z'] }, false],
    [{ name: 'ab', tags: [] }, false],
    [{ name: 'ab', either: 1 }, false],
    [{ name: 'ab', either: 1.5 }, true],
    [{ name: 'ab', not: 'x' }, false],
    [{ name: 'ab', n_1: 1 }, true],
    [{ name: 'ab', n_1: 'x' }, false],
    [{ name: 'ab', more: 1 }, false],
  ])('%j is valid: %p', (document, expected) => {
    expect(matches({ $jsonSchema: schema }, document)).toBe(expected);
  });

  test('a keyword that is not known is refused, never ignored', () => {
    expect(() => matches({ $jsonSchema: { format: 'email' } }, {})).toThrow(expect.objectContaining({ code: 9 }));
  });
});

describe('invalid filters are refused with the code of MongoDB', () => {
  test.each<[object, number]>([
    [{ a: { $size: -1 } }, 2],
    [{ a: { $size: 1.5 } }, 2],
    [{ a: { $foo: 1 } }, 2],
    [{ a: { $gt: 1, b: 1 } }, 2],
    [{ $foo: 1 }, 2],
    [{ $and: [] }, 2],
    [{ $or: 1 }, 2],
    [{ $nor: [{ a: 1 }, 1] }, 2],
    [{ a: { $in: 1 } }, 2],
    [{ a: { $in: [{ $x: 1 }] } }, 2],
    [{ a: { $all: 1 } }, 2],
    [{ a: { $all: [{ $gt: 1 }] } }, 2],
    [{ a: { $all: [{ $elemMatch: { x: 1 } }, 1] } }, 2],
    [{ a: { $not: 1 } }, 2],
    [{ a: { $not: {} } }, 2],
    [{ a: { $mod: [0, 1] } }, 2],
    [{ a: { $mod: [1] } }, 2],
    [{ a: { $elemMatch: 1 } }, 2],
    [{ a: { $type: 'x' } }, 2],
    [{ a: { $type: 99 } }, 2],
    [{ a: { $type: [] } }, 9],
    [{ a: { $regex: '(' } }, 51091],
    [{ a: { $regex: 'a', $options: 'z' } }, 51108],
    [{ a: { $options: 'i' } }, 2],
    [{ a: { $regex: 1 } }, 2],
    [{ a: { $bitsAllSet: -1 } }, 9],
    [{ a: { $ne: /x/ } }, 2],
    [{ a: { $gt: /x/ } }, 2],
    [{ a: { $where: '1' } }, 2],
    [{ a: { $comment: 1 } }, 2],
    [{ $expr: { $foo: 1 } }, 168],
    [{ $jsonSchema: 1 }, 14],
    [{ $where: 'true' }, 238],
    [{ $text: { $search: 'x' } }, 27],
    [{ a: { $near: [1, 2] } }, 238],
    [{ a: { $geoWithin: {} } }, 238],
    [{ $expr: { $function: { body: 'x', args: [], lang: 'js' } } }, 168],
  ])('%j with %d', (filter, code) => {
    expect(() => compileFilter(docOf(filter))).toThrow(expect.objectContaining({ code }));
  });
});
