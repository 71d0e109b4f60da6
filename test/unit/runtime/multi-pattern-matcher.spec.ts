import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { MultiPatternMatcher } from '../../../runtime/core/secrets/multi-pattern-matcher';

const few = fc.stringMatching(/^[ab⟦]{0,40}$/);
const sought = fc.uniqueArray(fc.stringMatching(/^[ab⟦]{3,6}$/), { minLength: 1, maxLength: 5 });

describe('a search for many texts', () => {
  it('has the same matches as an alternation in a regular expression, longest first', () => {
    fc.assert(
      fc.property(sought, few, (texts, text) => {
        const longestFirst = [...texts].sort((a, b) => b.length - a.length);
        const expected = text.replace(new RegExp(longestFirst.join('|'), 'g'), (found) => `<${found}>`);
        expect(new MultiPatternMatcher(texts).replace(text, (found) => `<${found}>`)).toBe(expected);
      }),
    );
  });

  it('finds texts of any size and number, which a regular expression would refuse', () => {
    const texts = Array.from({ length: 200 }, () => randomBytes(32 * 1024).toString('hex'));
    const text = texts.join(' and ');
    expect(new MultiPatternMatcher(texts).replace(text, () => '*')).toBe(Array(200).fill('*').join(' and '));
  });

  it('does not change a text without matches', () => {
    expect(new MultiPatternMatcher(['abc']).replace('ab', () => '*')).toBe('ab');
    expect(new MultiPatternMatcher(['abc']).replace('', () => '*')).toBe('');
  });
});
