import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Search } from '../../../runtime/rules/search';

const few = fc.stringMatching(/^[ab⟦]{0,40}$/);
const sought = fc.uniqueArray(fc.stringMatching(/^[ab⟦]{3,6}$/), { minLength: 1, maxLength: 5 });

describe('a search for many texts', () => {
  it('finds what an alternation of a regular expression finds, longest first', () => {
    fc.assert(
      fc.property(sought, few, (texts, text) => {
        const longestFirst = [...texts].sort((a, b) => b.length - a.length);
        const expected = text.replace(new RegExp(longestFirst.join('|'), 'g'), (found) => `<${found}>`);
        expect(new Search(texts).replace(text, (found) => `<${found}>`)).toBe(expected);
      }),
    );
  });

  it('finds texts of any size and number, where a regular expression would refuse them', () => {
    const texts = Array.from({ length: 200 }, () => randomBytes(32 * 1024).toString('hex'));
    const text = texts.join(' and ');
    expect(new Search(texts).replace(text, () => '*')).toBe(Array(200).fill('*').join(' and '));
  });

  it('leaves a text without any of them as it is', () => {
    expect(new Search(['abc']).replace('ab', () => '*')).toBe('ab');
    expect(new Search(['abc']).replace('', () => '*')).toBe('');
  });
});
