import type { ParseRequest, ParseResult } from '../../../../lib/documents/contract';
import { parseFile } from '../../../../lib/documents/parse';
import { docx, epub, pptx, shape, wordParagraph, wordTable, xlsx } from '../../../support/documents/office';
import { zip } from '../../../support/zip';

const BOUNDS = { characters: 100_000, chunks: 1_000 };

const read = (content: string | Buffer, claims: Partial<ParseRequest> = {}): Promise<ParseResult> =>
  parseFile(
    {
      content: new Uint8Array(Buffer.from(content as string)),
      filename: null,
      contentType: null,
      url: null,
      chunking: { maxTokens: 5_000, overlapTokens: 0 },
      ...claims,
    },
    BOUNDS,
    () => undefined,
  );

/** The text of a file, from its chunks. */
async function textOf(content: string | Buffer, claims: Partial<ParseRequest> = {}): Promise<string> {
  const result = await read(content, claims);
  if (result.kind === 'failed') throw new Error(`${result.code}: ${result.message}`);
  return result.chunks.map(({ text }) => text).join('\n\n');
}
const failure = async (content: string | Buffer, claims: Partial<ParseRequest> = {}): Promise<string> => {
  const result = await read(content, claims);
  return result.kind === 'failed' ? result.code : 'parsed';
};
const named = (filename: string): Partial<ParseRequest> => ({ filename });

describe('Word', () => {
  const list = (level: number): string => `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr>`;

  it('headings, lists, tables and notes are distinguished; deleted text is left out', async () => {
    const file = docx(
      wordParagraph('Guide', '<w:pStyle w:val="Heading1"/>') +
        wordParagraph('Setup & use', '<w:pStyle w:val="berschrift2"/>') +
        '<w:p><w:r><w:t>A </w:t></w:r><w:del><w:r><w:delText>no</w:delText><w:t>not</w:t></w:r></w:del><w:hyperlink><w:r><w:t>link</w:t><w:tab/><w:t>b</w:t></w:r></w:hyperlink></w:p>' +
        wordParagraph('one', list(0)) +
        wordParagraph('two', list(1)) +
        wordTable([
          ['name', 'count'],
          ['a|b', '1'],
        ]),
      {
        'word/footnotes.xml':
          '<w:footnotes xmlns:w="w"><w:footnote w:type="separator"><w:p><w:r><w:t>-</w:t></w:r></w:p></w:footnote><w:footnote w:id="2"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>',
      },
    );
    expect(await read(file)).toMatchObject({
      kind: 'parsed',
      title: 'A title',
      contentType: expect.stringContaining('wordprocessingml.document'),
      chunks: [
        {
          text: 'Guide\n\nSetup & use\n\nA link\tb\n\n- one\n  - two\n\n| name | count |\n| --- | --- |\n| a\\|b | 1 |\n\nA note.',
          heading: ['Guide', 'Setup & use'],
        },
      ],
    });
  });

  it('other programs may choose other prefixes', async () => {
    const body = '<n:document xmlns:n="w"><n:body><n:p><n:r><n:t>text</n:t></n:r></n:p></n:body></n:document>';
    expect(await textOf(docx('', { 'word/document.xml': body }))).toBe('text');
  });
});

test('slides are pages in their order, titles first, with tables and notes', async () => {
  const table =
    '<a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>y</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl>';
  const file = pptx([
    shape('body', [
      [0, 'first'],
      [1, 'deeper'],
    ]) +
      shape('sldNum', [[0, '1']]) +
      shape('title', [[0, 'Opening']]),
    shape('title', [[0, 'Close']]) + shape(null, [[0, 'bye']]) + table,
  ]);
  expect(await read(file)).toMatchObject({
    pages: 2,
    chunks: [
      { page: 1, heading: ['Opening'], text: 'Opening\n\nfirst\n  - deeper' },
      { page: 2, heading: ['Close'], text: 'Close\n\nbye\n\n| x | y |\n| --- | --- |' },
    ],
  });
});

describe('Excel', () => {
  it('sheets are tables of the displayed cell values', async () => {
    const file = xlsx(
      {
        Sales:
          '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>when</t></is></c><c r="D1" t="str"><v>ok</v></c></row>' +
          '<row r="7"><c r="A7"><v>0.30000000000000004</v></c><c r="C7" s="1"><v>45000</v></c><c r="D7" t="b"><v>1</v></c></row>' +
          '<row r="8"><c r="A8"><v>2</v></c><c r="C8" s="2"><v>45000.5</v></c><c r="D8" t="e"><v>#N/A</v></c></row>',
        Notes: '<row><c r="XFD1048576"><v>1</v></c></row><row><c r="A9"><v>2</v></c></row>',
        Old: '<row><c><v>9</v></c></row>',
      },
      { shared: ['sum <total>'], hidden: ['Old'] },
    );
    expect(await read(file)).toMatchObject({
      pages: 3,
      warnings: ['Hidden sheets were left out: Old'],
      chunks: [
        {
          page: 1,
          text: 'Sales\n\n| sum <total> | when | ok |\n| --- | --- | --- |\n| 0.3 | 2023-03-15 | TRUE |\n| 2 | 2023-03-15 12:00:00 | #N/A |',
        },
        { page: 2, text: 'Notes\n\n|  | 1 |\n| --- | --- |\n| 2 |' },
      ],
    });
  });
});

test('chapters of a book are read in the order of its spine', async () => {
  const file = epub(['<h1>One</h1><p>first&nbsp;words</p>', '<h1>Two</h1><p>second</p>']);
  expect(await read(file)).toMatchObject({
    title: 'A book',
    pages: 2,
    chunks: [
      { page: 1, text: 'One\n\nfirst words' },
      { page: 2, text: 'Two\n\nsecond' },
    ],
  });
  const locked = '<encryption><EncryptedData><EncryptionMethod Algorithm="aes"/></EncryptedData></encryption>';
  expect(await failure(epub(['<p>x</p>'], [{ name: 'META-INF/encryption.xml', content: locked }]))).toBe('encrypted');
});

describe('HTML', () => {
  const page = `<!doctype html><html><head><title>The  page</title><script>no()</script></head><body>
    <nav><a href="/">Home</a></nav><div class="sidebar">Ad text</div>
    <main><h1>Head</h1><p>${'A sentence that has some length, and a comma. '.repeat(8)}<a href="../b?x=(1)">link</a>
    <a href="javascript:x()">not</a></p><ul><li>one<ol start="3"><li>three</li></ol></li></ul>
    <pre class="language-js">let a;
  b();</pre><table><tr><th>k</th><th>v</th></tr><tr><td colspan="1">a</td><td><p>1</p><p>2</p></td></tr></table>
    <div class="share-buttons">Tweet</div><p hidden>unseen</p></main><footer>Imprint</footer></body></html>`;

  it('the main content of a page from an address is read, with absolute links', async () => {
    const text = await textOf(page, { url: 'https://x.example/a/b/c' });
    expect(text).toMatch(/^Head\n\nA sentence/);
    expect(text).toContain('comma. [link](https://x.example/a/b?x=%281%29) not');
    expect(text).toContain('- one\n  3. three\n\nlet a;\n  b();\n\n| k | v |\n| --- | --- |\n| a | 1 2 |');
    expect(text).not.toMatch(/Tweet|Ad text|Home|Imprint|unseen|no\(\)/);
  });

  it('without an address, all visible text is read', async () => {
    const text = await textOf(page);
    expect(text).toMatch(/Ad text[^]*Head[^]*comma. link not[^]*Tweet[^]*Imprint/);
    expect(text).not.toMatch(/Home|unseen|no\(\)|https/);
  });

  it('the main content of a page without landmarks is around its long paragraphs', async () => {
    const links = '<div><p><a href="/x">one of very many links that there are</a></p></div>'.repeat(9);
    const long = `<div><div>${`<p>${'Words of the text. '.repeat(12)}</p>`.repeat(3)}</div></div>`;
    expect(await textOf(`<html><body>${links}${long}</body></html>`, { url: 'https://x.example/' })).not.toContain(
      'many links',
    );
  });
});

describe('text', () => {
  it('Markdown is cut at its headings, and keeps its text', async () => {
    const text =
      '---\ntitle: x\n---\n# One\n\ntext\n\n```js\n# no heading\n\n```\nTwo\n===\n\n| a | b |\n|---|---|\n| 1 | 2 |\n';
    const result = await read(text, named('a.md'));
    expect(result).toMatchObject({
      title: 'One',
      chunks: [{ text: '# One\n\ntext\n\n```js\n# no heading\n\n```', heading: ['One'] }, { heading: ['Two'] }],
    });
    if (result.kind === 'parsed')
      for (const chunk of result.chunks) expect(chunk.text).toBe(text.slice(chunk.start, chunk.end));
  });

  it.each([
    ['a;b\n1;"x;y"\n2;"q""q"\n', 'a.csv', '| a | b |\n| --- | --- |\n| 1 | x;y |\n| 2 | q"q |'],
    ['a\tb\n1\t\n', 'a.tsv', '| a | b |\n| --- | --- |\n| 1 |  |'],
    ['only\none\n', 'a.csv', 'only\none'],
    ['[{"a":1,"b":null},{"b":"x","a":2}]', 'a.json', '| a | b |\n| --- | --- |\n| 1 | null |\n| 2 | x |'],
    ['{"a":{"__proto__":{"c":[1,[2]]}}}', 'a.json', 'a:\n  __proto__:\n    c:\n      - 1\n      -\n        - 2'],
    ['{"a":1}\n{"b":2}', 'a.jsonl', 'a: 1\n\nb: 2'],
    ['{"a":1}', 'unnamed', 'a: 1'],
    ['# a\nb', 'a.txt', '# a\nb'],
  ])('%j as %s', async (content, filename, text) => {
    expect(await textOf(content, named(filename))).toBe(text);
  });

  it.each([
    ['UTF-8 with a mark', Buffer.from('\ufeffgrün')],
    ['UTF-16', Buffer.from('\ufeffgrün', 'utf16le')],
    ['UTF-16 of the other order', Buffer.from('\ufeffgrün', 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from('grün', 'utf16le')],
    ['UTF-32', Buffer.from('\ufeff\0g\0r\0ü\0n\0', 'utf16le')],
    ['UTF-32 of the other order', Buffer.from('\ufeff\0g\0r\0ü\0n\0', 'utf16le').swap32()],
    ['Windows-1252', Buffer.from('grün', 'latin1')],
  ])('is read in %s', async (_encoding, bytes) => {
    expect(await textOf(bytes)).toBe('grün');
  });

  it('is decoded with the given or declared encoding, unless it is wrong', async () => {
    const shiftJis = Buffer.from([0x93, 0xfa, 0x96, 0x7b]);
    expect(await textOf(shiftJis, { contentType: 'text/plain; charset="Shift_JIS"' })).toBe('日本');
    const html = Buffer.concat([Buffer.from('<html><meta charset=shift_jis><p>'), shiftJis]);
    expect(await textOf(html)).toBe('日本');
    expect(await textOf('grün', { contentType: 'text/plain; charset=nonsense' })).toBe('grün');
    expect(await read(Buffer.from('grün', 'latin1'))).toMatchObject({
      warnings: [expect.stringContaining('windows-1252')],
    });
  });

  it('has no characters that are invisible or cannot be stored', async () => {
    expect(await textOf(`${'x'.repeat(99)}\0b\x07\u200b\u00ad\r\nc\u2028d\fe`, named('a.txt'))).toBe(
      `${'x'.repeat(99)}b\nc\nd\n\ne`,
    );
    expect(await textOf('["\\ud800x"]', named('a.json'))).toBe('\ufffdx');
  });
});

describe('an invalid file is refused', () => {
  const ole = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  it.each<[string, string | Buffer, string | null, string]>([
    ['nothing', '', 'a.txt', 'no_text'],
    ['white space', ' \n\t ', 'a.txt', 'no_text'],
    ['a page without text', '<html><script>x</script></html>', null, 'no_text'],
    ['an empty document', docx(''), null, 'no_text'],
    ['an image', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'a.pdf', 'unsupported_type'],
    ['a document before 2007', ole, 'a.doc', 'unsupported_type'],
    [
      'a document with a password',
      Buffer.concat([ole, Buffer.from('EncryptedPackage', 'utf16le')]),
      'a.docx',
      'encrypted',
    ],
    ['an archive', zip([{ name: 'a.txt', content: 'x' }]), null, 'unsupported_type'],
    ['an archive with a password', zip([{ name: 'a', content: 'x', flags: 1 }]), 'a.docx', 'encrypted'],
    ['half an archive', docx(wordParagraph('x')).subarray(0, 400), 'a.docx', 'broken_file'],
    ['text that is called a document', 'just text', 'a.docx', 'broken_file'],
    ['bytes', Buffer.from(Array.from({ length: 500 }, (_, n) => n % 32)), 'a.txt', 'unsupported_type'],
    ['what is not JSON', '{"a":', 'a.json', 'broken_file'],
    ['deep JSON', '['.repeat(300) + ']'.repeat(300), 'a.json', 'too_complex'],
    ['deep HTML', '<b>'.repeat(2_000), 'a.html', 'too_complex'],
    [
      'XML with entities',
      docx('', { 'word/document.xml': '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' }),
      null,
      'broken_file',
    ],
    ['too much text', 'x'.repeat(BOUNDS.characters + 1), 'a.txt', 'too_large'],
    ['a document without its part', docx('', { 'word/document.xml': '' }), null, 'broken_file'],
  ])('%s', async (_what, content, filename, code) => {
    expect(await failure(content, { filename })).toBe(code);
  });
});

describe('a text that begins like something else', () => {
  it.each([
    ['MZ made motorcycles.', 'a.txt'],
    ['ID3 tags hold titles.', 'a.txt'],
    ['The ftyp box comes first.', 'a.md'],
    ['A PDF begins with %PDF-1.7 and a comment.', 'a.md'],
  ])('is a text: %s', async (text, filename) => expect(await textOf(text, named(filename))).toBe(text));

  it('is not a text without text after it', async () => {
    for (const head of [
      'MZ\x90\0\x03',
      'ID3\x03\0',
      '\0\0\0\x18ftypmp42',
      'Rar!\x1a\x07',
      '{\\rtf1 text}',
      '%!PS-Adobe',
    ])
      expect(await failure(Buffer.from(`${head} and so on`, 'latin1'), named('a.txt'))).toBe('unsupported_type');
    expect(await failure('\n%PDF-1.7 broken')).toBe('broken_file');
  });

  it('is read as UTF-8 if well-formed, with any declared encoding', async () => {
    const text = 'Write <meta charset="iso-8859-1"> for Grüße.';
    expect(await textOf(text, named('a.md'))).toBe(text);
    const page = '<html><meta charset="iso-8859-1"><p>Gr\xfc\xdfe</p></html>';
    expect(await textOf(Buffer.from(page, 'latin1'), named('a.html'))).toBe('Grüße');
  });

  it('that was sent as a text is cut like a short one', async () => {
    const text = '%PDF-1.7 is how they begin.\n\n# Part\n\n{"a": 1}';
    const result = await read(text, { sentAsText: true, chunking: { maxTokens: 50, overlapTokens: 0 } });
    expect(result).toMatchObject({ kind: 'parsed', contentType: 'text/plain', chunks: [{}, { heading: ['Part'] }] });
  });
});
