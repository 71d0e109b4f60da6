import * as fc from 'fast-check';
import { RE2JS, RE2JSException } from 're2js';
import { costOf } from '../../../../lib/regex/cost';

const sizeOf = (pattern: string): number | null => {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch (fault) {
    if (fault instanceof RE2JSException) return null;
    throw fault;
  }
};

const ATOMS = ['a', 'é', '😀', '.', '\\d', '\\.', '\\x41', '\\x{1F600}', '\\pL', '\\p{Greek}', '\\PN', '\\b', '^', '$']
  .concat([
    '[a-z]',
    '[^a]',
    '[]a)]',
    '[^](]',
    '[[:alpha:](]',
    '[a\\]{9}]',
    '[\\pL-]',
    '\\Q(a{9}\\E',
    '\\Q)|[\\E',
    '\\101',
    '{',
    '}',
    '{,3}',
  ])
  .concat(['{a}', '-', ']', '/']);
const REPEATS = ['', '', '', '*', '+', '?', '*?', '{2}', '{0,3}', '{3,}', '{1,9}?', '{0}'];
const GROUPS = ['(', '(?:', '(?i:', '(?P<n>', '(?<n>', '(?s-m:'];

const patterns = fc.letrec<{ pattern: string; item: string }>((tie) => ({
  pattern: fc
    .array(fc.array(tie('item'), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((alternatives) => alternatives.map((items) => items.join('')).join('|')),
  item: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    fc.tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...REPEATS)).map(([atom, repeat]) => atom + repeat),
    fc
      .tuple(fc.constantFrom(...GROUPS), tie('pattern'), fc.constantFrom(...REPEATS))
      .map(([group, inner, repeat]) => `${group}${inner})${repeat}`),
  ),
})).pattern;

describe('the cost of a pattern', () => {
  it('is at least the size of the RE2 program', () => {
    let compiled = 0;
    fc.assert(
      fc.property(patterns, (pattern) => {
        const size = sizeOf(pattern);
        if (size === null) return;
        compiled += 1;
        if (costOf(pattern).instructions < size) throw new Error(`${pattern} has ${size} instructions`);
      }),
      { numRuns: 3_000 },
    );
    expect(compiled).toBeGreaterThan(500);
  });

  it.each([
    ['a', 4],
    ['abc', 6],
    ['a{3}', 11],
    ['(?:ab){10}', 65],
    ['a{0,1000}', 2_005],
    ['^[a-z0-9._%+-]+@[a-z0-9.-]+$', 40],
  ])('of %s is close to it', (pattern, max) => {
    expect(costOf(pattern).instructions).toBeLessThanOrEqual(max);
  });

  it.each([
    ['111 times a repetition of a thousand', 'a{0,1000}'.repeat(111)],
    ['nested repetitions', '((a{0,10}){0,10}){0,10}'.repeat(20)],
    ['Unicode classes without case', `(?i)${'\\pL'.repeat(300)}`],
    ['Unicode classes that are merged', `${'\\PL|'.repeat(240)}x`],
    ['wide ranges without case', `(?i)${'[B-\\x{1E942}]'.repeat(60)}`],
    ['wide ranges of characters without case', `(?i)${'[B-\u{1E942}]'.repeat(100)}`],
  ])('is high for %s', (_title, pattern) => {
    expect(costOf(pattern).operations).toBeGreaterThan(500_000);
  });

  it('is computed in linear time for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200, unit: fc.constantFrom(...'a()[]{}\\|*+?^$-:1,9pPQExi<>#'.split('')) }),
        (text) => {
          const { instructions, operations } = costOf(text);
          return instructions >= 0 && operations >= 0;
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
