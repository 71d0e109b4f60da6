import fc from 'fast-check';
import { ScimError } from '../../../../services/auth/scim/errors';
import { satisfies } from '../../../../services/auth/scim/evaluate';
import {
  type AttributePath,
  type Filter,
  parseFilter,
  parsePath,
  printFilter,
} from '../../../../services/auth/scim/filter';

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/).filter((text) => !['not', 'and', 'or', 'pr'].includes(text));
const path: fc.Arbitrary<AttributePath> = fc.record({ name, sub: fc.option(name) });
const value = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.integer({ min: -1e9, max: 1e9 }),
  fc.boolean(),
  fc.constant(null),
);
const operator = fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le' as const);

const leaf: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ kind: fc.constant('compare' as const), path, operator, value }),
  fc.record({ kind: fc.constant('present' as const), path }),
);
const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.record({ kind: fc.constant('not' as const), of: tie('filter') }),
    fc.record({ kind: fc.constant('element' as const), path, of: tie('filter') }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      of: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
    }) as fc.Arbitrary<Filter>,
  ),
}));

const comparisons = (of: Filter): number => {
  if (of.kind === 'and' || of.kind === 'or') return of.of.reduce((sum, part) => sum + comparisons(part), 0);
  if (of.kind === 'not') return comparisons(of.of);
  return of.kind === 'element' ? 1 + comparisons(of.of) : 1;
};

test('a filter that is printed parses to the same filter', () => {
  const within = filter.filter((each) => comparisons(each) <= 20);
  fc.assert(fc.property(within, (each) => expect(parseFilter(printFilter(each))).toEqual(each)));
});

/** Texts made of what filters are made of, so that most get past the first word. */
const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(
      '(',
      ')',
      '[',
      ']',
      '.',
      ' ',
      '"',
      '\\',
      'and',
      'or',
      'not',
      'pr',
      'eq',
      'userName',
      'emails',
      '"x"',
      'true',
      '1e999',
      'urn:ietf:',
      '__proto__',
    ),
    fc.string({ maxLength: 5 }),
  ),
  { maxLength: 60 },
);

test('any text is a filter or is refused as one', () => {
  fc.assert(
    fc.property(pieces, fc.boolean(), (parts, spaced) => {
      const text = parts.join(spaced ? ' ' : '');
      for (const parse of [parseFilter, parsePath]) {
        try {
          parse(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ScimError);
        }
      }
    }),
    { numRuns: 2_000 },
  );
});

test('any filter is true or false of any resource, and its opposite is the opposite', () => {
  fc.assert(
    fc.property(filter, fc.object({ key: name, maxDepth: 3 }), (each, resource) => {
      const holds = satisfies(resource, each);
      expect(typeof holds).toBe('boolean');
      expect(satisfies(resource, { kind: 'not', of: each })).toBe(!holds);
    }),
  );
});

test.each([
  ['nesting', `${'('.repeat(20)}a pr${')'.repeat(20)}`],
  ['nested lists', `${'a['.repeat(20)}a pr${']'.repeat(20)}`],
  ['comparisons', Array(21).fill('a pr').join(' and ')],
  ['length', `a eq "${'x'.repeat(2_000)}"`],
])('a filter is bounded: %s', (_what, text) => expect(() => parseFilter(text)).toThrow(/at most/));

test('operators bind as RFC 7644 has it: not, and, or', () => {
  expect(printFilter(parseFilter('a pr or b pr and not (c pr)'))).toBe('a pr or (b pr and not (c pr))');
  expect(parseFilter('A EQ "x" AND b PR')).toEqual(parseFilter('a eq "x" and b pr'));
});

test.each([
  ['members', { name: 'members', sub: null, where: null }],
  ['name.givenName', { name: 'name', sub: 'givenname', where: null }],
  [
    'emails[type eq "work"].value',
    { name: 'emails', sub: 'value', where: expect.objectContaining({ kind: 'compare' }) },
  ],
  ['urn:ietf:params:scim:schemas:core:2.0:User:name.familyName', { name: 'name', sub: 'familyname', where: null }],
  [
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager',
    { name: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:user:manager', sub: null, where: null },
  ],
])('the path %s', (text, parsed) => expect(parsePath(text)).toEqual(parsed));
