import { compileSorter } from '../../../../embedded/query/sort';
import { indexKeys, splitPath, valuesAt } from '../../../../embedded/bson/path';
import { type Maybe, UNDEFINED } from '../../../../embedded/bson/value';
import { docOf } from './bridge';

describe('index keys', () => {
  const keys = (document: object, ...paths: string[]): Maybe[][] =>
    indexKeys(docOf(document), paths.map(splitPath)).keys;

  test.each<[object, string[], Maybe[][]]>([
    [{ a: 1 }, ['a', 'b'], [[1, undefined]]],
    [{ a: [1, 2] }, ['a'], [[1], [2]]],
    [{ a: [[1, 2], 3] }, ['a'], [[[1, 2]], [3]]],
    [{ a: [] }, ['a'], [[UNDEFINED]]],
    [{ a: [] }, ['a.x'], [[undefined]]],
    [
      { a: [{ x: 1, y: 2 }, { x: 3 }] },
      ['a.x', 'a.y'],
      [
        [1, 2],
        [3, undefined],
      ],
    ],
    [{ a: [5, { x: 1 }, [{ x: 2 }]] }, ['a.x'], [[undefined], [1], [undefined]]],
    [{ a: [{ x: [1, 2] }, { x: 3 }] }, ['a.x'], [[1], [2], [3]]],
    [{ a: [5, 6] }, ['a.1'], [[6]]],
    [{ a: [[1, 2], 3] }, ['a.0'], [[[1, 2]]]],
    [{ a: [[], 3] }, ['a.0'], [[UNDEFINED]]],
    [
      { a: [[1, 2], 3] },
      ['a.0', 'a'],
      [
        [
          [1, 2],
          [1, 2],
        ],
        [[1, 2], 3],
      ],
    ],
  ])('%j on %j', (document, paths, expected) => {
    expect(keys(document, ...paths)).toEqual(expected);
  });

  test('tell which paths an array spread', () => {
    expect(indexKeys(docOf({ a: [1], b: 2 }), [['a'], ['b']]).multikey).toEqual([true, false]);
    expect(valuesAt(docOf({ a: [1] }), 'a.0')).toEqual({ values: [1], multikey: false });
  });

  test.each<[object, string[], number]>([
    [{ a: [1], b: [2] }, ['a', 'b'], 171],
    [{ a: ['x'], c: ['y'] }, ['a.0.b', 'c'], 171],
    [{ a: ['b', 1], b: ['b'] }, ['a.0', 'b'], 171],
    [{ a: [{ 0: 1 }, 2] }, ['a.0'], 16746],
  ])('of %j on %j are refused with %d', (document, paths, code) => {
    expect(() => keys(document, ...paths)).toThrow(expect.objectContaining({ code }));
  });
});

describe('sort keys', () => {
  const order = (spec: object, ...documents: object[]): unknown[] => {
    const sorter = compileSorter(docOf(spec));
    return documents
      .map(docOf)
      .sort(sorter.compare)
      .map((document) => document.get('n'));
  };

  test.each<[string, object, object[], unknown[]]>([
    [
      'ascending an array counts by its least',
      { a: 1 },
      [
        { n: 1, a: [5, 0] },
        { n: 2, a: 1 },
      ],
      [1, 2],
    ],
    [
      'descending by its greatest',
      { a: -1 },
      [
        { n: 1, a: [5, 0] },
        { n: 2, a: 6 },
      ],
      [2, 1],
    ],
    [
      'missing counts as null, an empty array below it',
      { a: 1 },
      [{ n: 1 }, { n: 2, a: null }, { n: 3, a: [] }, { n: 4, a: -1 }],
      [3, 1, 2, 4],
    ],
    [
      'paths through one array keep together',
      { 'a.x': 1, 'a.y': -1 },
      [
        {
          n: 1,
          a: [
            { x: 1, y: 1 },
            { x: 2, y: 9 },
          ],
        },
        { n: 2, a: [{ x: 1, y: 2 }] },
      ],
      [2, 1],
    ],
    [
      '_id alone is taken whole',
      { _id: 1 },
      [
        { n: 1, _id: [9, 0] },
        { n: 2, _id: [1] },
      ],
      [2, 1],
    ],
  ])('%s', (_, spec, documents, expected) => {
    expect(order(spec, ...documents)).toEqual(expected);
  });

  test.each<[object, number]>([
    [{ a: 2 }, 15975],
    [{ a: 'x' }, 15974],
    [{ $a: 1 }, 16410],
    [{ 'a..b': 1 }, 15998],
  ])('a pattern of %j is refused with %d', (spec, code) => {
    expect(() => compileSorter(docOf(spec))).toThrow(expect.objectContaining({ code }));
  });

  test('parallel arrays cannot be sorted by', () => {
    expect(() => order({ a: 1, b: 1 }, { n: 1, a: [1], b: [1] }, { n: 2 })).toThrow(
      expect.objectContaining({ code: 2 }),
    );
  });
});
