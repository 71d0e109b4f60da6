import { type ZipFile, zip } from '../zip';

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const xml = (body: string): string => `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${body}`;

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const KINDS = {
  docx: { main: 'word/document.xml', type: 'wordprocessingml.document' },
  pptx: { main: 'ppt/presentation.xml', type: 'presentationml.presentation' },
  xlsx: { main: 'xl/workbook.xml', type: 'spreadsheetml.sheet' },
} as const;

/** Parts that refer to others: `[id, type, target]`. */
export const relationships = (related: readonly (readonly [string, string, string])[]): string =>
  xml(
    `<Relationships xmlns="${RELATIONSHIPS}">${related
      .map(([id, type, target]) => `<Relationship Id="${id}" Type="${TYPE}/${type}" Target="${target}"/>`)
      .join('')}</Relationships>`,
  );

/** The parts of an Office document: those that it needs, and those given. */
export function officeFiles(kind: keyof typeof KINDS, parts: Readonly<Record<string, string>>): ZipFile[] {
  const { main, type } = KINDS[kind];
  const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`;
  const core = `<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>A title</dc:title></cp:coreProperties>`;
  const all = {
    '[Content_Types].xml': xml(types),
    '_rels/.rels': relationships([
      ['rId1', 'officeDocument', main],
      ['rId2', 'core-properties', 'docProps/core.xml'],
    ]),
    'docProps/core.xml': xml(core),
    ...parts,
  };
  return Object.entries(all).map(([name, content]) => ({ name, content, descriptor: true }));
}

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

/** A body of Word in a document with styles: `Heading1` and `berschrift2` are headings, the second by its base. */
export const docx = (body: string, parts: Readonly<Record<string, string>> = {}): Buffer<ArrayBuffer> =>
  zip(
    officeFiles('docx', {
      'word/document.xml': xml(`<w:document ${W}><w:body>${body}</w:body></w:document>`),
      'word/_rels/document.xml.rels': relationships([
        ['rId1', 'styles', 'styles.xml'],
        ['rId2', 'footnotes', '/word/footnotes.xml'],
      ]),
      'word/styles.xml': xml(
        `<w:styles ${W}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>` +
          `<w:style w:type="paragraph" w:styleId="base"><w:name w:val="x"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>` +
          `<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="y"/><w:basedOn w:val="base"/></w:style></w:styles>`,
      ),
      ...parts,
    }),
  );

/** A paragraph of Word. */
export const wordParagraph = (text: string, properties = ''): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${escaped(text)}</w:t></w:r></w:p>`;

export const wordTable = (rows: readonly (readonly string[])[]): string =>
  `<w:tbl>${rows
    .map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${wordParagraph(cell)}</w:tc>`).join('')}</w:tr>`)
    .join('')}</w:tbl>`;

const P = 'xmlns:p="p" xmlns:a="a" xmlns:r="r"';

/** A presentation of slides, each the XML of its shapes. Its first slide is in the last file. */
export const pptx = (slides: readonly string[], parts: Readonly<Record<string, string>> = {}): Buffer<ArrayBuffer> => {
  const files = slides.map((_, index) => slides.length - index);
  return zip(
    officeFiles('pptx', {
      'ppt/presentation.xml': xml(
        `<p:presentation ${P}><p:sldIdLst>${files.map((n) => `<p:sldId id="${n + 255}" r:id="rId${n}"/>`).join('')}</p:sldIdLst></p:presentation>`,
      ),
      'ppt/_rels/presentation.xml.rels': relationships(files.map((n) => [`rId${n}`, 'slide', `slides/slide${n}.xml`])),
      ...Object.fromEntries(
        slides.map((shapes, index) => [
          `ppt/slides/slide${files[index]}.xml`,
          xml(`<p:sld ${P}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`),
        ]),
      ),
      ...parts,
    }),
  );
};

/** A shape of a slide; lines are `[level, text]`. */
export const shape = (placeholder: string | null, lines: readonly (readonly [number, string])[]): string =>
  `<p:sp><p:nvSpPr><p:nvPr>${placeholder === null ? '' : `<p:ph type="${placeholder}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${lines
    .map(([level, text]) => `<a:p><a:pPr lvl="${level}"/><a:r><a:t>${escaped(text)}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp>`;

/** A workbook of sheets, each the XML of its rows; styles: 0 general, 1 a date, 2 a date and time of its own format. */
export const xlsx = (
  sheets: Readonly<Record<string, string>>,
  { shared = [], hidden = [] }: { readonly shared?: readonly string[]; readonly hidden?: readonly string[] } = {},
): Buffer<ArrayBuffer> => {
  const names = Object.keys(sheets);
  return zip(
    officeFiles('xlsx', {
      'xl/workbook.xml': xml(
        `<workbook xmlns:r="r"><sheets>${names
          .map(
            (name, n) =>
              `<sheet name="${name}" sheetId="${n + 1}"${hidden.includes(name) ? ' state="hidden"' : ''} r:id="rId${n + 1}"/>`,
          )
          .join('')}</sheets></workbook>`,
      ),
      'xl/_rels/workbook.xml.rels': relationships([
        ...names.map((_, n) => [`rId${n + 1}`, 'worksheet', `worksheets/sheet${n + 1}.xml`] as const),
        ['rIdS', 'sharedStrings', 'sharedStrings.xml'],
        ['rIdT', 'styles', 'styles.xml'],
      ]),
      'xl/sharedStrings.xml': xml(`<sst>${shared.map((text) => `<si><t>${escaped(text)}</t></si>`).join('')}</sst>`),
      'xl/styles.xml': xml(
        '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[$-407]d/m/yy h:mm;@"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>',
      ),
      ...Object.fromEntries(
        names.map((name, n) => [
          `xl/worksheets/sheet${n + 1}.xml`,
          xml(`<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`),
        ]),
      ),
    }),
  );
};

/** A book of chapters in XHTML, in the order of its spine, the first of which is in the last file. */
export const epub = (chapters: readonly string[], extra: readonly ZipFile[] = []): Buffer<ArrayBuffer> => {
  const ids = chapters.map((_, n) => `c ${chapters.length - n}`);
  return zip([
    { name: 'mimetype', content: 'application/epub+zip', stored: true },
    {
      name: 'META-INF/container.xml',
      content: xml('<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'),
    },
    {
      name: 'OEBPS/book.opf',
      content: xml(
        `<package xmlns:dc="d"><metadata><dc:title>A book</dc:title></metadata><manifest>${ids
          .toSorted()
          .map(
            (id) => `<item id="${id}" href="text/${encodeURIComponent(id)}.xhtml" media-type="application/xhtml+xml"/>`,
          )
          .join('')}</manifest><spine>${ids.map((id) => `<itemref idref="${id}"/>`).join('')}</spine></package>`,
      ),
    },
    ...chapters.map((body, n) => ({
      name: `OEBPS/text/${ids[n]}.xhtml`,
      content: xml(`<!DOCTYPE html><html xmlns="x"><head><title>t</title></head><body>${body}</body></html>`),
    })),
    ...extra,
  ]);
};
