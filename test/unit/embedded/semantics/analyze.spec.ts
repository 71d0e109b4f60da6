import fc from 'fast-check';
import { compare, rank } from '../../../../embedded/bson/compare';
import { ServerError } from '../../../../embedded/bson/error';
import { descend, indexKeys, splitPath, valuesAt } from '../../../../embedded/bson/path';
import type { Doc, Maybe, Value } from '../../../../embedded/bson/value';
import { type Analysis, analyze, type Bound, compileFilter } from '../../../../embedded/query/matcher';
import { anyFilter, meetingDoc } from './arbitraries';
import { docOf } from './bridge';

/** What the documentation of `Bound` says, on one index key. */
function keySatisfies(bound: Bound, key: Maybe): boolean {
  const value = key ?? null;
  switch (bound.kind) {
    case 'eq':
      return compare(value, bound.value) === 0;
    case 'in':
      return bound.values.some((wanted) => compare(value, wanted) === 0);
    case 'range': {
      const { min, max } = bound;
      const sameClass = rank(value) === rank(min?.value ?? max?.value);
      const above = min === undefined || compare(value, min.value) >= (min.inclusive ? 0 : 1e-9);
      const below = max === undefined || compare(value, max.value) <= (max.inclusive ? 0 : -1e-9);
      return sameClass && above && below;
    }
    case 'exists':
      return true;
  }
}

function satisfies(document: Doc, bound: Bound): boolean {
  if (bound.kind === 'exists') return isPresent(document, bound.path);
  return valuesAt(document, bound.path).values.some((key) => keySatisfies(bound, key));
}

const isPresent = (document: Doc, path: string): boolean =>
  compileFilter(new Map([[path, new Map([['$exists', true]])]]))(document);

function allHold(document: Doc, analysis: Analysis): boolean {
  return (
    analysis.bounds.every((bound) => satisfies(document, bound)) &&
    analysis.or.every((branches) => branches.some((branch) => allHold(document, branch)))
  );
}

/** Bounds that claim to hold for one key together. */
function groups(bounds: readonly Bound[]): Bound[][] {
  const byElement = new Map<number, Bound[]>();
  for (const bound of bounds) {
    if (bound.element !== undefined) byElement.set(bound.element, [...(byElement.get(bound.element) ?? []), bound]);
  }
  return [...byElement.values()];
}

function oneKeySatisfies(document: Doc, bounds: readonly Bound[]): boolean {
  const { keys } = indexKeys(
    document,
    bounds.map((bound) => splitPath(bound.path)),
  );
  return keys.some((key) => bounds.every((bound, index) => keySatisfies(bound, key[index])));
}

/** Documents that an index would refuse (parallel arrays, ambiguous positions) say nothing. */
function unlessRefused(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ServerError && [171, 16746].includes(error.code))) throw error;
  }
}

describe('the analysis of a filter', () => {
  test('holds for every document that matches the filter', () => {
    fc.assert(
      fc.property(anyFilter, meetingDoc, (filter, document) => {
        if (!compileFilter(filter)(document)) return;
        unlessRefused(() => expect(allHold(document, analyze(filter))).toBe(true));
      }),
      { numRuns: 20_000 },
    );
  });

  test('bounds with one element number hold for one key of a compound index', () => {
    fc.assert(
      fc.property(anyFilter, meetingDoc, (filter, document) => {
        if (!compileFilter(filter)(document)) return;
        for (const bounds of groups(analyze(filter).bounds)) {
          unlessRefused(() => expect(oneKeySatisfies(document, bounds)).toBe(true));
        }
      }),
      { numRuns: 20_000 },
    );
  });

  test('and so do those inside elements whose fields are arrays again', () => {
    const inner = fc.constantFrom<Value>(0, 1, 2, [0, 2], [1], new Map([['c', 1]]), [
      new Map([['c', 0]]),
      new Map([['c', 2]]),
    ]);
    const element = fc
      .record({ b: inner, d: fc.constantFrom<Value>(0, 1, 2) })
      .map((members) => new Map(Object.entries(members)));
    const limit = fc
      .tuple(
        fc.constantFrom('$gt', '$gte', '$eq'),
        fc.constantFrom(0, 1),
        fc.constantFrom('$lt', '$lte', '$in'),
        fc.constantFrom(1, 2),
      )
      .map(
        ([low, from, high, to]): Value =>
          new Map<string, Value>([
            [low, from],
            [high, high === '$in' ? [to] : to],
          ]),
      );
    const filter = fc
      .array(fc.tuple(fc.constantFrom('b', 'd', 'b.c', 'b.0'), limit), { minLength: 1, maxLength: 3 })
      .map((members): Doc => new Map([['a', new Map([['$elemMatch', new Map(members)]])]]));
    fc.assert(
      fc.property(filter, fc.array(element, { minLength: 1, maxLength: 3 }), (wanted, list) => {
        const document: Doc = new Map([['a', list]]);
        if (!compileFilter(wanted)(document)) return;
        for (const group of groups(analyze(wanted).bounds)) {
          unlessRefused(() => expect(oneKeySatisfies(document, group)).toBe(true));
        }
      }),
      { numRuns: 5000 },
    );
  });

  test('exact bounds select no other document when no path is multikey', () => {
    fc.assert(
      fc.property(anyFilter, meetingDoc, (filter, document) => {
        const matches = compileFilter(filter);
        const analysis = analyze(filter);
        const paths = analysis.bounds.map((bound) => splitPath(bound.path));
        if (!analysis.exact || paths.some((path) => crossesArray(document, path))) return;
        expect(matches(document)).toBe(analysis.bounds.every((bound) => satisfies(document, bound)));
      }),
      { numRuns: 20_000 },
    );
  });

  const crossesArray = (document: Doc, path: readonly string[]): boolean =>
    Array.isArray(descend(document, path).value);

  const bounds = (filter: object): unknown => analyze(docOf(filter)).bounds;

  test.each<[string, object, unknown]>([
    [
      'two ranges stay two, as different elements may meet them',
      { a: { $gt: 1, $lt: 5 } },
      [
        { path: 'a', kind: 'range', min: { value: 1, inclusive: false } },
        { path: 'a', kind: 'range', max: { value: 5, inclusive: false } },
      ],
    ],
    [
      'two ranges on one element carry one number',
      { a: { $elemMatch: { $gt: 1, $lt: 5 } } },
      [
        { path: 'a', element: 1, kind: 'range', min: { value: 1, inclusive: false } },
        { path: 'a', element: 1, kind: 'range', max: { value: 5, inclusive: false } },
      ],
    ],
    [
      'two ranges on a field of one element do not, for that may be an array',
      { a: { $elemMatch: { x: { $gt: 1, $lt: 5 } } } },
      [
        { path: 'a.x', element: 1, kind: 'range', min: { value: 1, inclusive: false } },
        { path: 'a.x', kind: 'range', max: { value: 5, inclusive: false } },
      ],
    ],
    [
      'an array is found by its first element or as a whole',
      { a: [1, 2] },
      [{ path: 'a', kind: 'in', values: [1, [1, 2]] }],
    ],
    ['null covers missing', { a: null }, [{ path: 'a', kind: 'eq', value: null }]],
    ['negations say nothing', { a: { $ne: 1 }, b: { $nin: [1] }, c: { $not: { $gt: 1 } } }, []],
    [
      'conjunctions are flattened',
      { $and: [{ a: 1 }, { $and: [{ b: { $in: [1, 2] } }] }] },
      [
        { path: 'a', kind: 'eq', value: 1 },
        { path: 'b', kind: 'in', values: [1, 2] },
      ],
    ],
  ])('%s', (_, filter, expected) => {
    expect(bounds(filter)).toEqual(expected);
  });

  test('an empty $all matches nothing, so it is never exact', () => {
    expect(analyze(docOf({ a: { $all: [] } }))).toMatchObject({ bounds: [], exact: false });
  });

  test('each branch of an $or is separate', () => {
    expect(analyze(docOf({ x: 1, $or: [{ a: 1 }, { b: 2 }] })).or).toMatchObject([
      [{ bounds: [{ path: 'a', kind: 'eq', value: 1 }] }, { bounds: [{ path: 'b', kind: 'eq', value: 2 }] }],
    ]);
  });
});
