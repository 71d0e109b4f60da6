import fc from 'fast-check';
import { highlightsOf, highlightTerms } from '../../../services/knowledge/search/highlights';

const marked = (query: string, text: string): string[] =>
  highlightsOf(text, highlightTerms(query)).map(({ start, end }) => text.slice(start, end));

describe('highlights', () => {
  it.each([
    ['How do I bake bread?', 'Baking: a loaf of Bread bakes in an hour.', ['Baking', 'Bread', 'bakes']],
    ['the', 'over the hill and The vale', ['the', 'The']],
    ['resume', 'Ein Résumé, bitte.', ['Résumé']],
    ['file id', 'call getFileId(x) or file_id', ['getFileId', 'file_id']],
    ['timeout', 'set request.timeout here', ['timeout']],
    ['東京', '明日は東京で会う', ['東京']],
    ['東京タワー', '東京タワーと京都', ['東京タワー']],
    ['猫', '黒猫は猫だ', ['猫', '猫']],
    ['ffi', 'the ﬃ ligature', ['ﬃ']],
    ['nothing', 'of the kind', []],
    ['???', 'no words?', []],
  ])('of %j in %j', (query, text, words) => {
    expect(marked(query, text)).toEqual(words);
  });

  it('are bounded, ordered and within the text, for any text', () => {
    expect(marked('word', 'word '.repeat(5_000))).toHaveLength(40);
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        (text, query) => {
          let from = 0;
          for (const { start, end } of highlightsOf(`${text} ${query}`, highlightTerms(query))) {
            expect(start).toBeGreaterThanOrEqual(from);
            expect(end).toBeGreaterThan(start);
            from = end;
          }
          expect(from).toBeLessThanOrEqual(text.length + 1 + query.length);
        },
      ),
    );
  });
});
