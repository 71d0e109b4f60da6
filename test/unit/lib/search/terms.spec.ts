import { termsOf } from '../../../../lib/search/terms';
import { HASHED_DIMENSION, hashedVector } from '../../../../lib/search/hashed-vectors';
import stem from 'wink-porter2-stemmer';

describe('stems of English words', () => {
  // As the sample vocabulary of the algorithm has them.
  it.each([
    ['consist', 'consisted consistency consistent consistently consisting consists'],
    ['consolid', 'consolidate consolidated consolidating'],
    ['conspicu', 'conspicuous conspicuously'],
    ['generous', 'generously'],
    ['communic', 'communication communicate'],
    ['knight', 'knightly knights'],
    ['hop', 'hopping hopped hop'],
    ['hope', 'hoping hoped hope'],
    ['relat', 'relational relate related'],
    ['happi', 'happy happiness'],
    ['cri', 'cries cried cry'],
    ['tie', 'ties tied tying'],
    ['luxuri', 'luxuriated luxury'],
    ['electr', 'electricity electrical'],
    ['sky', 'skies sky'],
    ['die', 'dying died dies'],
    ['agre', 'agreed agree'],
    ['gas', 'gas'],
    ['proceed', 'proceeds'],
    ['say', 'says saying'],
    ['ab', 'ab'],
    ['naïv', 'naïv'],
  ])('%s: %s', (expected, words) => {
    expect(words.split(' ').map(stem)).toEqual(words.split(' ').map(() => expected));
  });
});

describe('terms of texts', () => {
  it.each([
    ['words without case, endings and possessives', "The Author's DON’T dogs'", 'the author dont dog'],
    ['words without diacritics', 'naïve Straße İstanbul Ærø Łódź', 'naiv strass istanbul aero lodz'],
    ['compatible characters as what they stand for', 'ﬁre Ⅷ ｆｕｌｌ', 'fire viii full'],
    ['vowels of other scripts, which are marks, kept', 'हिन्दी', 'हिन्दी'],
    ['identifiers whole and in parts', 'readFile HTTPServer', 'readfile read file httpserver http server'],
    [
      'joined identifiers likewise',
      'knowledge_bases fs.readFile',
      'knowledge_bases knowledg base fs.readfile fs read file',
    ],
    ['numbers and versions', 'v1.2.3 utf8 2026', 'v1.2.3 v1 2 3 utf8 2026'],
    ['no dots at the end of sentences', 'It ends. Here', 'it end here'],
    ['pairs of Chinese characters, and each', '日本語', '日 本 日本 語 本語'],
    ['pairs of other unspaced scripts', 'がいる 한국어 สวัส', 'がい いる 한국 국어 สว วั ัส'],
    ['scripts that are mixed', 'iPhone日', 'iphone i phone 日'],
    ['nothing in what has no words', ' -- … 🙂 \u0000', ''],
  ])('%s', (_what, text, expected) => {
    expect(termsOf(text).join(' ')).toBe(expected);
  });

  it('are truncated at the same length in texts and queries, between characters', () => {
    const long = '𝒳'.normalize('NFC').repeat(3) + '\u{20000}'.repeat(2) + 'q'.repeat(200);
    expect(termsOf(`a${'b'.repeat(500)}`)).toEqual([`a${'b'.repeat(63)}`]);
    for (const term of termsOf(long)) expect(Buffer.from(term).toString()).toBe(term);
  });
});

describe('hashed vectors', () => {
  const cosine = (a: string, b: string): number => {
    const [one, other] = [hashedVector(a), hashedVector(b)];
    return one.reduce((sum, value, n) => sum + value * (other[n] as number), 0);
  };

  it('have unit length, and are the same for the same words', () => {
    expect(hashedVector('any text')).toHaveLength(HASHED_DIMENSION);
    expect(cosine('Any text.', 'any TEXT')).toBeCloseTo(1, 5);
    expect([...hashedVector('Any text.')]).toEqual([...hashedVector('any TEXT')]);
  });

  it('are closer for texts with common words or parts of words', () => {
    const text = 'how a sourdough starter is fed';
    expect(cosine(text, 'feeding a sourdough starter')).toBeGreaterThan(cosine(text, 'orbits of small moons'));
    expect(cosine(text, 'sourdogh startr')).toBeGreaterThan(cosine(text, 'orbits of small moons') + 0.1);
  });

  it('are zero without words, and stable between versions', () => {
    expect(hashedVector('…').every((value) => value === 0)).toBe(true);
    const heaviest = [...hashedVector('knowledge').entries()].sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))[0];
    expect(heaviest).toEqual([PINNED.at, expect.closeTo(PINNED.value, 4)]);
  });
});

/** Stored vectors are not comparable with changed ones: a change of the algorithm requires a new generation. */
const PINNED = { at: 89, value: 0.7107 };
