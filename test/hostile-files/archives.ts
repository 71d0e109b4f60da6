import { docx, epub, officeFiles, pptx, relationships, wordParagraph, xlsx } from '../support/documents/office';
import { type ZipFile, zip } from '../support/zip';
import { file, type HostileFile } from './file';

const MIB = 1024 * 1024;
const document = (body: string): string => `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`;
const withParts = (...files: ZipFile[]): Buffer =>
  zip([
    ...officeFiles('docx', {
      'word/document.xml': document(wordParagraph('text')),
      'word/_rels/document.xml.rels': relationships([['a', 'styles', 'styles.xml']]),
    }),
    ...files,
  ]);
const wordXml = (xml: string): Buffer => docx('', { 'word/document.xml': xml });

const laughs = (levels: number): string => {
  const entities = Array.from({ length: levels }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join('');
  return `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e0 "ha">${entities}]><a>&e${levels};</a>`;
};

/** Archive bombs, and archives with wrong headers. */
export function archives(): HostileFile[] {
  const inner = zip([{ name: 'document.xml', content: 'x'.repeat(MIB) }]);
  return [
    file('a flat bomb', 'bomb.docx', () => withParts({ name: 'x', content: Buffer.alloc(48 * MIB) }), 'too_complex'),
    file('a bomb in the document', 'bomb.docx', () => wordXml(document('<w:p/>'.repeat(3 * MIB))), 'too_complex'),
    file(
      'a bomb that hides its size',
      'bomb.docx',
      () =>
        withParts(
          { name: 'x', content: '' },
          { name: 'word/styles.xml', content: Buffer.alloc(8 * MIB), lies: { size: 500 } },
        ),
      'broken_file',
    ),
    file(
      'a bomb of many small parts',
      'bomb.docx',
      () => withParts(...Array.from({ length: 300 }, (_, n) => ({ name: `${n}`, content: 'x', lies: { size: MIB } }))),
      'too_complex',
    ),
    file(
      'nested archives',
      'nested.docx',
      () =>
        withParts({
          name: 'word/a.docx',
          content: zip([{ name: 'b.zip', content: zip([{ name: 'c.zip', content: inner }]) }]),
        }),
      'parsed',
    ),
    file(
      'archives all the way down',
      'nested.epub',
      () => Array.from({ length: 200 }).reduce<Buffer>((bytes) => zip([{ name: 'a.epub', content: bytes }]), inner),
      'unsupported_type',
    ),
    file(
      'parts that overlap',
      'overlap.docx',
      () => withParts({ name: 'x', content: 'y', lies: { offset: 0 } }),
      'broken_file',
    ),
    file('an encrypted part', 'locked.docx', () => withParts({ name: 'x', content: 'y', flags: 1 }), 'encrypted'),
    file(
      'another compression',
      'other.docx',
      () => withParts({ name: 'x', content: 'y', lies: { method: 12 } }),
      'broken_file',
    ),
    file(
      'a symbolic link',
      'link.docx',
      () => withParts({ name: 'word/styles.xml', content: '/etc/passwd', mode: 0o120777 }),
      'broken_file',
    ),
    file('an absolute name', 'name.docx', () => withParts({ name: '/etc/passwd', content: 'x' }), 'parsed'),
    file('a name that climbs', 'name.docx', () => withParts({ name: '../../../etc/cron.d/x', content: 'x' }), 'parsed'),
    file(
      'names of prototypes',
      'name.docx',
      () => withParts({ name: '__proto__', content: 'x' }, { name: 'constructor/prototype', content: 'x' }),
      'parsed',
    ),
    file(
      'a name twice',
      'twice.docx',
      () => withParts({ name: 'x', content: 'a' }, { name: 'x', content: 'b' }),
      'broken_file',
    ),
    file('a name with a NUL', 'nul.docx', () => withParts({ name: 'a\0.xml', content: '' }), 'broken_file'),
    file(
      'a part of another name',
      'other.docx',
      () => withParts({ name: 'a', localName: 'b', content: '' }),
      'broken_file',
    ),
    file(
      '20,000 parts',
      'many.docx',
      () => withParts(...Array.from({ length: 20_000 }, (_, n) => ({ name: `${n}`, content: '', stored: true }))),
      'too_complex',
    ),
    file('fewer parts than its directory states', 'count.docx', () =>
      zip([{ name: 'a', content: 'b' }], { count: 60_000 }),
    ),
    file(
      'a wrong checksum',
      'crc.docx',
      () => withParts({ name: 'word/styles.xml', content: '<a/>', lies: { crc: 7 } }),
      'broken_file',
    ),
    file('nothing but an end', 'empty.docx', () => zip([]), 'unsupported_type', 'broken_file'),
    file('an archive of plain files', 'files.zip', () => zip([{ name: 'a.txt', content: 'x' }]), 'unsupported_type'),
    file('billion laughs', 'laughs.docx', () => wordXml(laughs(10)), 'broken_file'),
    file(
      'billion laughs in the workbook',
      'laughs.xlsx',
      () => zip([...officeFiles('xlsx', { 'xl/workbook.xml': laughs(9) })]),
      'broken_file',
    ),
    file(
      'billion laughs in the book',
      'laughs.epub',
      () => epub(['x'], [{ name: 'META-INF/encryption.xml', content: laughs(9) }]),
      'broken_file',
    ),
    file(
      'quadratic entities',
      'blowup.docx',
      () => wordXml(`<!DOCTYPE a [<!ENTITY b "${'x'.repeat(50_000)}">]><a>${'&b;'.repeat(50_000)}</a>`),
      'broken_file',
    ),
    file(
      'an entity of a file',
      'xxe.docx',
      () => wordXml('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
      'broken_file',
    ),
    file(
      'an entity of the network',
      'xxe.pptx',
      () => pptx(['<!DOCTYPE a [<!ENTITY b SYSTEM "http://127.0.0.1:1/">]>&b;']),
      'broken_file',
    ),
    file(
      'a parameter entity',
      'xxe.docx',
      () => wordXml('<!DOCTYPE a [<!ENTITY % b SYSTEM "http://127.0.0.1:1/"> %b;]><a/>'),
      'broken_file',
    ),
    file(
      'an outer document type',
      'dtd.docx',
      () => wordXml('<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd"><a>&b;</a>'),
      'broken_file',
    ),
    file('deep XML', 'deep.docx', () => wordXml('<a>'.repeat(200_000)), 'too_complex'),
    file(
      'deep tables',
      'deep.docx',
      () => docx('<w:tbl><w:tr><w:tc>'.repeat(150) + wordParagraph('x') + '</w:tc></w:tr></w:tbl>'.repeat(150)),
      'parsed',
    ),
    file('a long attribute', 'long.docx', () => wordXml(`<a b="${'x'.repeat(5 * MIB)}"/>`)),
    file('many attributes', 'many.docx', () =>
      wordXml(`<a ${Array.from({ length: 50_000 }, (_, n) => `b${n}="c"`).join(' ')}/>`),
    ),
    file(
      'attributes of prototypes',
      'proto.docx',
      () => docx('<w:p __proto__="x" constructor="y"><w:r><w:t>text</w:t></w:r></w:p>'),
      'parsed',
    ),
    file(
      'a style based on itself',
      'loop.docx',
      () =>
        docx(wordParagraph('x', '<w:pStyle w:val="a"/>'), {
          'word/styles.xml':
            '<w:styles xmlns:w="w"><w:style w:type="paragraph" w:styleId="a"><w:basedOn w:val="b"/></w:style><w:style w:type="paragraph" w:styleId="b"><w:basedOn w:val="a"/></w:style></w:styles>',
        }),
      'parsed',
    ),
    file(
      'a document that is its own notes',
      'loop.docx',
      () =>
        docx(wordParagraph('x'), {
          'word/_rels/document.xml.rels': relationships([['a', 'footnotes', 'document.xml']]),
        }),
      'parsed',
    ),
    file(
      'a document on the network',
      'remote.docx',
      () => zip([...officeFiles('docx', {}), { name: 'word/document.xml', content: document('') }]),
      'no_text',
    ),
    file('no document', 'none.docx', () => zip(officeFiles('docx', {})), 'broken_file'),
    file(
      'a slide that is missing',
      'none.pptx',
      () =>
        pptx([], {
          'ppt/presentation.xml':
            '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="x"/></p:sldIdLst></p:presentation>',
        }),
      'broken_file',
    ),
    file(
      'one slide 4,000 times',
      'same.pptx',
      () =>
        pptx(['<p:x/>'], {
          'ppt/presentation.xml': `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${'<p:sldId r:id="rId1"/>'.repeat(4_000)}</p:sldIdLst></p:presentation>`,
        }),
      'no_text',
      'timed_out',
    ),
    file(
      'one chapter 100,000 times',
      'same.epub',
      () => epub(Array.from({ length: 6_000 }, () => '<p>x</p>')),
      'too_large',
    ),
    file(
      'a chapter outside of the book',
      'climb.epub',
      () =>
        zip([
          {
            name: 'META-INF/container.xml',
            content: '<container><rootfile full-path="../../../../etc/passwd"/></container>',
          },
        ]),
      'broken_file',
    ),
    file(
      'the last cell there is',
      'last.xlsx',
      () => xlsx({ a: '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>' }),
      'parsed',
    ),
    file('a cell after the last column and row', 'outside.xlsx', () =>
      xlsx({ a: '<row><c r="ZZZ99999999999"><v>1</v></c><c r="-1"><v>2</v></c><c r="AAAAAAAA1"><v>3</v></c></row>' }),
    ),
    file('a diagonal', 'diagonal.xlsx', () =>
      xlsx({
        a: Array.from({ length: 10_000 }, (_, n) => `<row><c r="${column(n + 1)}${n + 1}"><v>${n}</v></c></row>`).join(
          '',
        ),
      }),
    ),
    file(
      'texts that are not there',
      'shared.xlsx',
      () =>
        xlsx({
          a: '<row><c t="s"><v>99999999</v></c><c t="s"><v>-1</v></c><c t="s"><v>__proto__</v></c><c><v>x</v></c></row>',
        }),
      'parsed',
    ),
    file(
      'days at the end of time',
      'days.xlsx',
      () => xlsx({ a: '<row><c s="1"><v>1e308</v></c><c s="1"><v>-5</v></c><c s="2"><v>NaN</v></c></row>' }),
      'parsed',
    ),
    file(
      'a million cells',
      'cells.xlsx',
      () => xlsx({ a: `<row>${'<c><v>1</v></c>'.repeat(100)}</row>`.repeat(11_000) }),
      'too_large',
      'timed_out',
      'too_complex',
    ),
  ];
}

function column(number: number): string {
  let letters = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return letters;
}
