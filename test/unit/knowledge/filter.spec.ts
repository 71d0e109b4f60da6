import fc from 'fast-check';
import { errorCode } from '../../../lib/errors';
import { parseFilter } from '../../../services/knowledge/search/filter';
import { toMongoFilter } from '../../../services/knowledge/search/filter-query';

const compiled = (given: unknown) => toMongoFilter(parseFilter(given));

function refusal(given: unknown): { code: unknown; path: unknown } {
  try {
    parseFilter(given);
  } catch (fault) {
    const { data } = fault as { data: { details: { path: string }[] } };
    return { code: errorCode(fault), path: data.details[0]?.path };
  }
  throw new Error('it was not refused');
}

describe('filters of documents', () => {
  it.each([
    [{ author: 'Ada' }, { 'metadata.author': { $eq: 'Ada' } }],
    [
      { 'book.year': { gte: 1840, lt: 1850 } },
      { $and: [{ 'metadata.book.year': { $gte: 1840 } }, { 'metadata.book.year': { $lt: 1850 } }] },
    ],
    [{ a: null, b: false }, { $and: [{ 'metadata.a': { $eq: null } }, { 'metadata.b': { $eq: false } }] }],
    [{ a: { in: ['x', 1] } }, { 'metadata.a': { $in: ['x', 1] } }],
    [{ a: { nin: [] } }, { 'metadata.a': { $nin: [] } }],
    [{ a: { ne: 'x' } }, { 'metadata.a': { $ne: 'x' } }],
    [{ a: { exists: false } }, { 'metadata.a': { $exists: false } }],
    [
      { or: [{ a: 1 }, { not: { b: { gt: 'm' } } }] },
      { $or: [{ 'metadata.a': { $eq: 1 } }, { $nor: [{ 'metadata.b': { $gt: 'm' } }] }] },
    ],
    [{ and: [{ a: 1 }, { a: { lte: 2 } }] }, { $and: [{ 'metadata.a': { $eq: 1 } }, { 'metadata.a': { $lte: 2 } }] }],
    [{}, {}],
  ])('%j becomes a query on metadata', (given, query) => {
    expect(compiled(given)).toEqual(query);
  });

  it.each([
    ['text', 'filter'],
    [[{ a: 1 }], 'filter'],
    [{ $where: 'sleep(1000)' }, 'filter.$where'],
    [{ 'a.$ne': 1 }, 'filter.a.$ne'],
    [JSON.parse('{"__proto__": 1}'), 'filter.__proto__'],
    [{ 'a.constructor': 1 }, 'filter.a.constructor'],
    [{ 'a\0b': 1 }, 'filter.a\0b'],
    [{ '': 1 }, 'filter.'],
    [{ a: { $gt: '' } }, 'filter.a.$gt'],
    [{ a: { toString: 1 } }, 'filter.a.toString'],
    [{ a: {} }, 'filter.a'],
    [{ a: { eq: { $gt: '' } } }, 'filter.a.eq'],
    [{ a: { in: [{ $gt: '' }] } }, 'filter.a.in[0]'],
    [{ a: { in: 'x' } }, 'filter.a.in'],
    [{ a: { gt: true } }, 'filter.a.gt'],
    [{ a: { exists: 1 } }, 'filter.a.exists'],
    [{ a: [1] }, 'filter.a'],
    [{ a: Number.NaN }, 'filter.a'],
    [{ or: [] }, 'filter.or'],
    [{ or: [{ a: 1 }, 7] }, 'filter.or[1]'],
    [{ not: { not: { not: { not: { not: { not: { a: 1 } } } } } } }, 'filter.not.not.not.not.not.not'],
    [{ a: 'x'.repeat(1_001) }, 'filter.a'],
    [Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, n])), 'filter.k50'],
    [{ or: Array.from({ length: 51 }, () => ({})) }, 'filter.or[50]'],
  ])('%j is refused with the place of the fault', (given, path) => {
    expect(refusal(given)).toEqual({ code: 'invalid_query', path });
  });

  it('passes no key or value to MongoDB as an operator', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (given) => {
        let query: unknown;
        try {
          query = compiled(given);
        } catch (fault) {
          expect(errorCode(fault)).toBe('invalid_query');
          return;
        }
        assertTame(query);
      }),
      { numRuns: 500 },
    );
  });
});

const WORDS = ['$and', '$or', '$nor', '$eq', '$ne', '$in', '$nin', '$gt', '$gte', '$lt', '$lte', '$exists'];

/** Paths begin with `metadata.`, operators are known ones, and values hold no objects. */
function assertTame(query: unknown): void {
  for (const [key, value] of Object.entries(query as object)) {
    if (key === '$and' || key === '$or' || key === '$nor') {
      for (const each of value as unknown[]) assertTame(each);
      continue;
    }
    expect(key).toMatch(/^metadata\.[^$]/);
    const [[operator, operand], ...more] = Object.entries(value as object) as [[string, unknown]];
    expect(more).toEqual([]);
    expect(WORDS).toContain(operator);
    for (const each of Array.isArray(operand) ? operand : [operand])
      expect(each === null || typeof each !== 'object').toBe(true);
  }
}
