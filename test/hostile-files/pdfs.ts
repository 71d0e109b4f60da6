import { deflateSync } from 'node:zlib';
import { type PdfShape, pageOf, pdf } from '../support/documents/pdf';
import { file, type HostileFile } from './file';

const MIB = 1024 * 1024;
const page = (objects: PdfShape['objects'], rest: Omit<PdfShape, 'objects'> = {}): Buffer =>
  pdf([pageOf('Some text')], { objects, ...rest });
const stream = (entries: string, content: string | Buffer): string => {
  const text = Buffer.from(content as string).toString('latin1');
  return `<< ${entries} /Length ${text.length} >>\nstream\n${text}\nendstream`;
};
const flate = (content: string | Buffer, times = 1): string => {
  let bytes = Buffer.from(content as string);
  for (let n = 0; n < times; n++) bytes = deflateSync(bytes);
  return stream(`/Filter [${'/FlateDecode '.repeat(times)}]`, bytes);
};
const PAGE = '/Type /Page /Parent 2 0 R /MediaBox [0 0 612 792]';
const FORM = '/Type /XObject /Subtype /Form /BBox [0 0 9 9]';

/** PDFs with circular references or decompression bombs, and files that are not PDFs. */
export function pdfs(): HostileFile[] {
  return [
    file('a tree of pages that is its own branch', 'tree.pdf', () =>
      page({ 2: '<< /Type /Pages /Kids [2 0 R] /Count 1 >>' }),
    ),
    file('branches of each other', 'tree.pdf', () =>
      page({
        2: '<< /Type /Pages /Kids [9 0 R] /Count 2 >>',
        9: '<< /Type /Pages /Kids [2 0 R 9 0 R] /Parent 9 0 R /Count 2 >>',
      }),
    ),
    file('a deep tree of pages', 'tree.pdf', () =>
      page(
        Object.fromEntries(
          Array.from({ length: 5_000 }, (_, n) => [
            n === 0 ? 2 : n + 10,
            `<< /Type /Pages /Kids [${n + 11} 0 R] /Count 1 >>`,
          ]),
        ),
      ),
    ),
    file('a billion pages', 'count.pdf', () => page({ 2: '<< /Type /Pages /Kids [5 0 R] /Count 1000000000 >>' })),
    file('less than no pages', 'count.pdf', () => page({ 2: '<< /Type /Pages /Kids [5 0 R] /Count -5 >>' })),
    file('a count that is no number', 'count.pdf', () => page({ 2: '<< /Type /Pages /Kids [5 0 R] /Count (many) >>' })),
    file(
      'a page 20,000 times',
      'same.pdf',
      () => page({ 2: `<< /Type /Pages /Kids [${'5 0 R '.repeat(20_000)}] /Count 20000 >>` }),
      'too_large',
      'parsed',
      'timed_out',
    ),
    file('6,000 pages', 'pages.pdf', () => pdf(Array.from({ length: 6_000 }, () => [])), 'too_large'),
    file(
      'a page that is its own content',
      'loop.pdf',
      () => page({ 5: `<< ${PAGE} /Contents 5 0 R >>` }),
      'no_text',
      'broken_file',
    ),
    file('contents that refer to each other', 'loop.pdf', () => page({ 6: '[6 0 R 7 0 R]', 7: '[6 0 R]' })),
    file('a length that is the stream itself', 'loop.pdf', () =>
      page({ 6: '<< /Length 6 0 R >>\nstream\nBT (x) Tj ET\nendstream' }),
    ),
    file('a form that draws itself', 'form.pdf', () =>
      page({
        5: `<< ${PAGE} /Contents 6 0 R /Resources << /XObject << /A 7 0 R >> >> >>`,
        6: stream('', '/A Do'),
        7: stream(`${FORM} /Resources << /XObject << /A 7 0 R >> >>`, '/A Do /A Do'),
      }),
    ),
    file('forms that double', 'form.pdf', () =>
      page({
        5: `<< ${PAGE} /Contents 6 0 R /Resources << /XObject << /A 10 0 R >> >> >>`,
        6: stream('', '/A Do'),
        ...Object.fromEntries(
          Array.from({ length: 30 }, (_, n) => [
            n + 10,
            stream(`${FORM} /Resources << /XObject << /A ${n + 11} 0 R >> >>`, '/A Do /A Do'),
          ]),
        ),
      }),
    ),
    file('a font that draws itself', 'font.pdf', () =>
      page({
        3: '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /CharProcs << /a 8 0 R >> /Encoding << /Differences [0 /a] >> /FirstChar 0 /LastChar 255 /Widths [1] /Resources << /Font << /F1 3 0 R >> >> >>',
        8: stream('', 'BT /F1 1 Tf (a) Tj ET'),
      }),
    ),
    file('a font of nothing', 'font.pdf', () =>
      page({ 3: '<< /Type /Font /Subtype /Type0 /DescendantFonts [3 0 R] /ToUnicode 3 0 R /Encoding 3 0 R >>' }),
    ),
    file('a table of all characters', 'cmap.pdf', () =>
      page({
        3: '<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [8 0 R] /ToUnicode 9 0 R >>',
        8: '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /CIDSystemInfo << >> >>',
        9: stream(
          '',
          'begincmap 1 begincodespacerange <00000000> <ffffffff> endcodespacerange 1 beginbfrange <00000000> <ffffffff> <0041> endbfrange endcmap',
        ),
      }),
    ),
    file('a table of places that is wrong', 'xref.pdf', () => page({}, { shift: 7 }), 'parsed'),
    file('a table of places far off', 'xref.pdf', () => page({}, { shift: 1e9 }), 'parsed', 'broken_file'),
    file(
      'a table that has itself before it',
      'xref.pdf',
      () => {
        const bytes = page({}).toString('latin1');
        return Buffer.from(bytes.replace('/Info', `/Prev ${/startxref\n(\d+)/.exec(bytes)?.[1]} /Info`), 'latin1');
      },
      'parsed',
    ),
    file(
      'no table of places',
      'xref.pdf',
      () =>
        Buffer.from(
          page({})
            .toString('latin1')
            .replace(/xref[^]*?trailer/, 'trailer'),
          'latin1',
        ),
      'parsed',
    ),
    file('no catalogue', 'root.pdf', () => page({}, { trailer: '/Size 9' })),
    file('a catalogue that is a page', 'root.pdf', () => page({}, { trailer: '/Size 9 /Root 5 0 R' })),
    file(
      'an unknown password',
      'locked.pdf',
      () =>
        page(
          {},
          {
            trailer: `/Size 9 /Root 1 0 R /ID [<00><00>] /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -1 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >>`,
          },
        ),
      'encrypted',
    ),
    file(
      'a lock of an unknown kind',
      'locked.pdf',
      () => page({}, { trailer: '/Size 9 /Root 1 0 R /Encrypt << /Filter /None /V 99 >>' }),
      'broken_file',
      'encrypted',
    ),
    file('a stream that unpacks to 100 MiB', 'bomb.pdf', () =>
      page({
        6: flate(deflateSync(Buffer.alloc(100 * MIB)), 0)
          .replace('<< ', '<< /Filter /FlateDecode ')
          .replace('/Filter [] ', ''),
      }),
    ),
    file('a stream packed five times', 'bomb.pdf', () => page({ 6: flate('BT (x) Tj ET '.repeat(20_000), 5) })),
    file('a stream of a hundred filters', 'filters.pdf', () =>
      page({ 6: stream(`/Filter [${'/ASCIIHexDecode '.repeat(100)}]`, '41'.repeat(1_000)) }),
    ),
    file('a stream that unpacks by runs', 'runs.pdf', () =>
      page({ 6: stream('/Filter [/RunLengthDecode /RunLengthDecode]', Buffer.alloc(200_000, 0x81)) }),
    ),
    file('a stream of LZW', 'lzw.pdf', () =>
      page({
        6: stream('/Filter /LZWDecode /DecodeParms << /Predictor 15 /Columns 2147483647 >>', Buffer.alloc(5_000, 0x80)),
      }),
    ),
    file('an image of a billion points', 'image.pdf', () =>
      page({
        5: `<< ${PAGE} /Contents 6 0 R /Resources << /XObject << /A 7 0 R >> >> >>`,
        6: stream('', '/A Do'),
        7: stream(
          '/Type /XObject /Subtype /Image /Width 100000 /Height 100000 /ColorSpace /DeviceRGB /BitsPerComponent 8',
          'x',
        ),
      }),
    ),
    file('an inline image without end', 'image.pdf', () =>
      page({ 6: stream('', `BI /W 99999 /H 99999 /BPC 8 ID ${'x'.repeat(MIB)}`) }),
    ),
    file('half a million operators', 'long.pdf', () => page({ 6: stream('', 'q Q '.repeat(250_000)) })),
    file('200,000 pieces of text', 'long.pdf', () =>
      page({ 6: stream('', `BT /F1 9 Tf ${'(a) Tj '.repeat(200_000)} ET`) }),
    ),
    file('a string of 1 MB', 'long.pdf', () => page({ 6: stream('', `BT /F1 9 Tf (${'x'.repeat(MIB)}) Tj ET`) })),
    file('deep arrays', 'deep.pdf', () => page({ 6: stream('', `${'['.repeat(200_000)}`) })),
    file('deep dictionaries', 'deep.pdf', () =>
      page({ 7: '<< /A '.repeat(100_000), 1: '<< /Type /Catalog /Pages 2 0 R /Extra 7 0 R >>' }),
    ),
    file('deep dictionaries for a page', 'deep.pdf', () => page({ 5: '<< /A '.repeat(100_000) })),
    file('a string that does not end', 'open.pdf', () => page({ 5: `<< ${PAGE} /A (${'('.repeat(100_000)} >>` })),
    file('a page without size', 'size.pdf', () =>
      page({
        5: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 1e99 -1e99] /Rotate 33 /Resources << /Font << /F1 3 0 R >> >> /Contents 6 0 R >>',
      }),
    ),
    file('text in places that are no numbers', 'place.pdf', () =>
      page({ 6: stream('', 'BT /F1 1e99 Tf NaN 1e400 Td (x) Tj 1e308 0 0 1e308 0 0 Tm (y) Tj ET') }),
    ),
    file(
      'scripts and files of its own',
      'action.pdf',
      () =>
        page({
          1: '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (while (1);) >> /AA << /O << /S /Launch /F (/bin/sh) >> >> >>',
        }),
      'parsed',
    ),
    file(
      'a form of XFA',
      'xfa.pdf',
      () =>
        page({
          1: '<< /Type /Catalog /Pages 2 0 R /AcroForm << /XFA 7 0 R >> >>',
          7: stream('', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
        }),
      'parsed',
    ),
    file('nothing but a beginning', 'head.pdf', () => '%PDF-1.7\n', 'broken_file'),
    file('a beginning far in', 'head.pdf', () => Buffer.concat([Buffer.alloc(900, 32), page({})])),
    file('objects that are streams of objects of themselves', 'objects.pdf', () =>
      page({ 5: stream('/Type /ObjStm /N 1 /First 4 /Extends 5 0 R', '5 0 << >>') }),
    ),
  ];
}
