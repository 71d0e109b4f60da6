import type { Doc } from '../../../../embedded/bson/value';
import { compileProjection } from '../../../../embedded/query/projection';
import { docOf, toEjson } from './bridge';

const DOCUMENT = { _id: 0, a: 1, o: { x: 1, y: 2 }, arr: [1, { x: 1, y: 2 }, [{ x: 3, y: 4 }]], z: [1, 2, 3] };

const project = (spec: object, filter?: object, document: object = DOCUMENT): Doc =>
  compileProjection(docOf(spec), { flavour: 'find', filter: filter && docOf(filter) })(docOf(document));

describe('a projection of find', () => {
  test.each<[object, object]>([
    [{}, DOCUMENT],
    [
      { z: 1, a: 1 },
      { _id: 0, a: 1, z: [1, 2, 3] },
    ],
    [{ _id: 0, a: 1 }, { a: 1 }],
    [{ _id: 1 }, { _id: 0 }],
    [{ 'o.x': 1 }, { _id: 0, o: { x: 1 } }],
    [{ o: { x: 1 } }, { _id: 0, o: { x: 1 } }],
    [{ 'arr.x': 1 }, { _id: 0, arr: [{ x: 1 }, [{ x: 3 }]] }],
    [
      { 'arr.x': 0, o: 0, z: 0 },
      { _id: 0, a: 1, arr: [1, { y: 2 }, [{ y: 4 }]] },
    ],
    [
      { _id: 0, arr: 0, z: 0 },
      { a: 1, o: { x: 1, y: 2 } },
    ],
    [
      { n: '$a', a: 1 },
      { _id: 0, a: 1, n: 1 },
    ],
    [
      { 'o.n': '$a', 'o.x': 1, a: 1 },
      { _id: 0, a: 1, o: { x: 1, n: 1 } },
    ],
    [{ 'arr.n': '$a' }, { _id: 0, arr: [{ n: 1 }, { n: 1 }, [{ n: 1 }]] }],
    [
      { a: 'text', o: [1] },
      { _id: 0, a: 'text', o: [1] },
    ],
    [
      { z: { $slice: -2 }, a: 1 },
      { _id: 0, a: 1, z: [2, 3] },
    ],
    [
      { z: { $slice: [1, 1] }, arr: 0, o: 0 },
      { _id: 0, a: 1, z: [2] },
    ],
    [{ z: { $elemMatch: { $gt: 1 } } }, { _id: 0, z: [2] }],
    [
      { z: { $elemMatch: { $gt: 1 } }, o: 1 },
      { _id: 0, o: { x: 1, y: 2 }, z: [2] },
    ],
    [{ z: { $elemMatch: { $gt: 9 } } }, { _id: 0 }],
    [{ _id: '$a' }, { _id: 1 }],
  ])('%j', (spec, expected) => {
    expect(toEjson(project(spec))).toBe(toEjson(docOf(expected)));
  });

  test('$slice alone keeps the other fields', () => {
    expect([...project({ z: { $slice: 1 } }).keys()]).toEqual(['_id', 'a', 'o', 'arr', 'z']);
  });

  test('the positional operator shows the element that the filter found', () => {
    expect(toEjson(project({ 'z.$': 1 }, { z: { $gt: 1 } }))).toBe(toEjson(docOf({ _id: 0, z: [2] })));
    expect(() => project({ 'z.$': 1 }, { a: 1 })).toThrow(expect.objectContaining({ code: 51246 }));
  });

  test.each<[object, number]>([
    [{ a: 0, o: 1 }, 31253],
    [{ a: 1, o: 0 }, 31254],
    [{ a: 1, 'a.b': 1 }, 31249],
    [{ 'o.x': 1, o: 1 }, 31250],
    [{ a: { $elemMatch: { x: 1 } }, 'a.b': 1 }, 31249],
    [{ a: {} }, 51270],
    [{ 'a..b': 1 }, 15998],
    [{ $a: 1 }, 16410],
    [{ a: { $meta: 'textScore' } }, 40218],
    [{ a: { $foo: 1 } }, 168],
  ])('%j is refused with %d', (spec, code) => {
    expect(() => project(spec)).toThrow(expect.objectContaining({ code }));
  });
});
