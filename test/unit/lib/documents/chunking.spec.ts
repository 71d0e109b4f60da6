import fc from 'fast-check';
import { chunkSource, countTokens } from '../../../../lib/documents/chunking';
import type { Block, Chunk, ChunkingOptions } from '../../../../lib/documents/contract';
import { joinBlocks, type Source } from '../../../../lib/documents/source';

const MANY = 1_000_000;
const sizes = (maxTokens: number, overlapTokens = 0): ChunkingOptions => ({ maxTokens, overlapTokens });
const cut = (blocks: readonly Block[], chunking: ChunkingOptions): readonly Chunk[] =>
  chunkSource(joinBlocks(blocks), chunking, MANY);
const paragraph = (text: string, page: number | null = null): Block => ({ kind: 'paragraph', page, text });
const heading = (text: string, level = 1): Block => ({ kind: 'heading', page: null, level, text });
const texts = (chunks: readonly Chunk[]): string[] => chunks.map(({ text }) => text);
const sentence = (n: number): string => `Sentence number ${n} has some words.`;
const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => sentence(from + index)).join(' ');

test.each([
  ['', 0],
  ['the people', 2],
  ['international', 3],
  ['2026', 2],
  ['a, b.', 4],
  ['漢字かな', 4],
  ['привет', 2],
  ['🙂🙂', 2],
  ['\ud83d', 1],
  [' '.repeat(7), 0],
  [`a${' '.repeat(16)}b`, 4],
])('of %j, the tokens are %d', (text, tokens) => {
  expect(countTokens(text)).toBe(tokens);
});

describe('a document is cut', () => {
  it('at headings; each chunk has the path of its headings', () => {
    const chunks = cut(
      [heading('Guide'), heading('Setup', 2), paragraph('Do this.'), heading('Use', 2), paragraph('Then that.')],
      sizes(100, 20),
    );
    expect(texts(chunks)).toEqual(['Guide\n\nSetup\n\nDo this.', 'Use\n\nThen that.']);
    expect(chunks.map((chunk) => chunk.heading)).toEqual([
      ['Guide', 'Setup'],
      ['Guide', 'Use'],
    ]);
  });

  it('between sentences, whose last ones are repeated', () => {
    const tokens = countTokens(sentence(1));
    const chunks = cut([paragraph(numbered(1, 9))], sizes(tokens * 4, tokens));
    expect(texts(chunks)).toEqual([numbered(1, 4), numbered(4, 7), numbered(7, 9)]);
  });

  it('preferably between paragraphs, once a chunk is half full', () => {
    const tokens = countTokens(sentence(1));
    const chunks = cut([paragraph(numbered(1, 3)), paragraph(numbered(4, 6))], sizes(tokens * 5));
    expect(texts(chunks)).toEqual([numbered(1, 3), numbered(4, 6)]);
  });

  it('not in code that fits', () => {
    const code = 'const a = 1;\n\n  if (a) {\n    b();\n  }';
    const chunks = cut(
      [paragraph(numbered(1, 2)), { kind: 'code', page: null, language: 'js', text: code }],
      sizes(30),
    );
    expect(texts(chunks)).toEqual([numbered(1, 2), code]);
  });

  it('between rows, with the header of the table in each chunk', () => {
    const header = '| name | count |\n| --- | --- |';
    const rows = Array.from({ length: 6 }, (_, n) => `| a row of some words | ${n} |`);
    const text = [header, ...rows].join('\n');
    const max = countTokens(header) + 2 * countTokens(rows[0]!);
    const chunks = cut([{ kind: 'table', page: null, header, text }], sizes(max, 20));
    expect(texts(chunks)).toEqual([0, 2, 4].map((first) => [header, ...rows.slice(first, first + 2)].join('\n')));
    expect(chunks.map(({ start, end }) => text.slice(start, end))).toEqual([
      [header, rows[0], rows[1]].join('\n'),
      [rows[2], rows[3]].join('\n'),
      [rows[4], rows[5]].join('\n'),
    ]);
  });

  it('at a page, once a chunk is half full; a chunk is cited by the page it begins on', () => {
    const chunks = cut([paragraph(numbered(1, 3), 1), paragraph('Short.', 2), paragraph(sentence(4), 3)], sizes(40));
    expect(chunks.map(({ text, page }) => [page, text])).toEqual([
      [1, numbered(1, 3)],
      [2, `Short.\n\n${sentence(4)}`],
    ]);
  });

  it('between characters when there are no words, never within one', () => {
    const chunks = cut(
      [paragraph('🙂'.repeat(10)), paragraph('漢字。'.repeat(4)), paragraph('x'.repeat(30))],
      sizes(4),
    );
    for (const { text, tokens } of chunks) {
      expect(tokens).toBeLessThanOrEqual(4);
      expect(text).not.toMatch(/\p{Surrogate}/u);
    }
    expect(texts(chunks).slice(-2)).toEqual(['x'.repeat(24), 'x'.repeat(6)]);
  });

  it('into a limited number of chunks', () => {
    const source = joinBlocks([paragraph(numbered(1, 50))]);
    expect(() => chunkSource(source, sizes(10), 5)).toThrow(expect.objectContaining({ code: 'too_large' }));
  });
});

const word = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', 'Z', '.', '!', '1', ')', ' '), maxLength: 12 }),
  fc.string({ unit: fc.constantFrom('漢', '。', 'か', '」', 'a', '🙂', '\ud83d', 'й', '\u0301'), maxLength: 12 }),
  fc.constantFrom('x'.repeat(60), ' '.repeat(40), '\n', '\n\n\n', '\t', '. ', '。', '. A'),
);
const someText = fc.array(word, { maxLength: 25 }).map((words) => words.join(' '));
const block: fc.Arbitrary<Block> = fc.oneof(
  someText.map((text) => paragraph(text)),
  fc.tuple(someText, fc.integer({ min: 1, max: 6 })).map(([text, level]) => heading(text, level)),
  someText.map((text): Block => ({ kind: 'code', page: 2, language: null, text })),
  someText.map((text): Block => ({ kind: 'list', page: 1, text })),
  fc.array(someText, { maxLength: 6 }).map((rows): Block => {
    const header = '| a |\n| --- |';
    return { kind: 'table', page: null, header, text: [header, ...rows.map((row) => `| ${row.trim()} |`)].join('\n') };
  }),
);
const options = fc
  .tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 40 }))
  .map(([maxTokens, overlapTokens]) => sizes(maxTokens, overlapTokens));

/** Places in the text that hold something, and are in no chunk. */
const missed = ({ text }: Source, chunks: readonly Chunk[]): string => {
  let rest = '';
  let at = 0;
  for (const { start, end } of [...chunks, { start: text.length, end: text.length }]) {
    rest += text.slice(at, Math.max(at, start));
    at = end;
  }
  return rest.trim();
};

test('the chunks of any document are complete, ordered, bounded, and exact ranges of its text', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), options, (blocks, chunking) => {
      const source = joinBlocks(blocks);
      const chunks = chunkSource(source, chunking, MANY);
      expect(missed(source, chunks)).toBe('');
      chunks.forEach(({ n, text, start, end, tokens }, index) => {
        expect(n).toBe(index);
        const own = source.text.slice(start, end);
        expect([own, `| a |\n| --- |\n${own}`]).toContain(text);
        expect(tokens).toBe(countTokens(text));
        expect(tokens).toBeLessThanOrEqual(chunking.maxTokens);
        const before = chunks[index - 1];
        if (before === undefined) return;
        expect(start).toBeGreaterThan(before.start);
        expect(end).toBeGreaterThan(before.end);
        expect(countTokens(source.text, start, before.end)).toBeLessThanOrEqual(chunking.overlapTokens);
      });
    }),
    { numRuns: 500 },
  );
});

test('white space that a line begins with counts, together with that before it', () => {
  const text = `漢漢${' '.repeat(42)}\n\n\n \t a 漢 a.a!a!`;
  for (const { tokens } of cut([{ kind: 'list', page: 1, text }], sizes(14, 1))) expect(tokens).toBeLessThanOrEqual(14);
});

test('prose that is split between words overlaps, in any script', () => {
  for (const unit of ['word ', '漢字', 'слово ']) {
    const chunks = cut([paragraph(unit.repeat(300))], sizes(50, 10));
    expect(chunks.length).toBeGreaterThan(5);
    for (const [index, { start }] of chunks.slice(1).entries()) expect(start).toBeLessThan(chunks[index]!.end);
  }
});

test.each([
  ['no space', 'x'],
  ['ends of sentences', '.'],
  ['closing marks', '.)'],
  ['empty lines', 'a\n\n\n\n'],
  ['spaces', `a${' '.repeat(5_000)}`],
  ['CJK characters', '漢'],
  ['combining marks', '\u0301'],
  ['lone surrogates', '\udc00'],
  ['one table row', '| a '],
])('a long text of only %s takes linear time', (_what, unit) => {
  const text = unit.repeat(Math.ceil(200_000 / unit.length));
  const began = performance.now();
  for (const kind of ['paragraph', 'list'] as const) cut([{ kind, page: null, text }], sizes(500, 100));
  cut([{ kind: 'table', page: null, header: null, text }], sizes(500, 100));
  // Comparing each place with each other one would take minutes.
  expect(performance.now() - began).toBeLessThan(8_000);
});
