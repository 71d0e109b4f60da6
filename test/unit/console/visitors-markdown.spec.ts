import { type Inline, MAX_MARKDOWN_CHARS, parseMarkdown } from '../../../console/src/visitors/markdown';

const text = (value: string): Inline => ({ kind: 'text', text: value });
const partsOf = (value: string): readonly Inline[] => {
  const [block] = parseMarkdown(value);
  return block?.kind === 'paragraph' ? block.parts : [];
};

describe('parseMarkdown', () => {
  it('reads paragraphs, headings, lists and code', () => {
    expect(parseMarkdown('# Title\nOne\ntwo\n\n- a\n- b\n\n3. c\n4. d\n```js\n1 < 2\n```\nend')).toEqual([
      { kind: 'heading', parts: [text('Title')] },
      { kind: 'paragraph', parts: [text('One'), { kind: 'break' }, text('two')] },
      { kind: 'list', ordered: false, start: 1, items: [[text('a')], [text('b')]] },
      { kind: 'list', ordered: true, start: 3, items: [[text('c')], [text('d')]] },
      { kind: 'code', text: '1 < 2' },
      { kind: 'paragraph', parts: [text('end')] },
    ]);
  });

  it('reads strong and emphasized text, code and links within a line', () => {
    expect(partsOf('a **b *c*** `d*` [e](https://x.example/f) https://y.example/g.')).toEqual([
      text('a '),
      { kind: 'strong', parts: [text('b *c')] },
      text('* '),
      { kind: 'code', text: 'd*' },
      text(' '),
      { kind: 'link', href: 'https://x.example/f', parts: [text('e')] },
      text(' '),
      { kind: 'link', href: 'https://y.example/g', parts: [text('https://y.example/g')] },
      text('.'),
    ]);
  });

  it.each([
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '/relative',
    ' java\nscript:x',
  ])('makes no link to %j', (address) => {
    const parts = parseMarkdown(`[x](${address})`).flatMap((block) => (block.kind === 'paragraph' ? block.parts : []));
    expect(parts.map(({ kind }) => kind)).not.toContain('link');
  });

  it('leaves HTML, and marks that are not closed, as text', () => {
    for (const value of ['<img src=x onerror=alert(1)>', '**open', '*', '`', '[x](', '2 * 3 * 4', 'snake_case_name'])
      expect([value, partsOf(value)]).toEqual([value, [text(value)]]);
  });

  it('shows a text that is very long as it is', () => {
    const long = `${'x'.repeat(MAX_MARKDOWN_CHARS)}\n**y**`;
    expect(partsOf(long)).toEqual([text('x'.repeat(MAX_MARKDOWN_CHARS)), { kind: 'break' }, text('**y**')]);
  });

  it.each(['[', '*', '**', '`', '*a', '[a](', 'https://', '![', '- ', '```\n', '[]('])(
    'takes no longer for %j over and over',
    (piece) => {
      const value = piece.repeat(Math.floor(MAX_MARKDOWN_CHARS / piece.length));
      const began = performance.now();
      parseMarkdown(value);
      expect(performance.now() - began).toBeLessThan(1_000);
    },
  );
});
