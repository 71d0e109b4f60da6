import type { Archive } from '../../archive';
import { Blocks } from '../../blocks';
import { ParseError } from '../../fault';
import { MAX_CELLS, MAX_PAGES } from '../../limits';
import type { ReadFile } from '../../source';
import { MAX_COLUMNS, tableBlock } from '../../table';
import { readXml } from '../../xml';
import { relatedTo, titleOf } from './package';
import { type Book, readRows } from './sheet-rows';
import { dateStyles } from './sheet-dates';

/** An Excel workbook: each visible sheet is a table and a page. */
export function readSheets(archive: Archive, main: string, maxCharacters: number): ReadFile {
  const related = relatedTo(archive, main);
  const part = (type: string): Uint8Array | null => {
    const found = related.find((one) => one.type === type);
    return found === undefined ? null : archive.find(found.name);
  };
  const { sheets, from1904 } = workbook(archive.get(main));
  if (sheets.length > MAX_PAGES)
    throw new ParseError('too_large', `The workbook has more than ${MAX_PAGES} sheets. Split it into several.`);
  const book: Book = {
    shared: sharedStrings(part('sharedStrings')),
    dates: dateStyles(part('styles')),
    from1904,
    cellsLeft: MAX_CELLS,
  };
  const blocks = new Blocks(maxCharacters);
  for (const [index, { name, id, hidden }] of sheets.entries()) {
    const target = related.find((one) => one.id === id && one.type === 'worksheet');
    if (target === undefined || hidden) continue;
    const table = tableBlock(withoutEmptyColumns(readRows(archive.get(target.name), book)), index + 1);
    if (table === null) continue;
    blocks.add({ kind: 'heading', page: index + 1, level: 1, text: name });
    blocks.add(table);
  }
  const hidden = sheets.filter((sheet) => sheet.hidden).map(({ name }) => name);
  const warnings = hidden.length === 0 ? [] : [`Hidden sheets were left out: ${hidden.join(', ').slice(0, 300)}`];
  return { source: blocks.source(), title: titleOf(archive), pages: sheets.length, warnings };
}

interface Sheet {
  readonly name: string;
  readonly id: string;
  readonly hidden: boolean;
}

function workbook(content: Uint8Array): { readonly sheets: readonly Sheet[]; readonly from1904: boolean } {
  const sheets: Sheet[] = [];
  let from1904 = false;
  readXml(content, {
    open: (tag) => {
      if (tag.name === 'workbookPr') from1904 = /^(?:1|true)$/.test(tag.attribute('date1904'));
      if (tag.name === 'sheet')
        sheets.push({
          name: tag.attribute('name'),
          id: tag.attribute('id', true),
          hidden: /hidden/i.test(tag.attribute('state')),
        });
    },
  });
  return { sheets, from1904 };
}

/** Texts that cells refer to by number. Their formatting, and how they are pronounced, is left out. */
function sharedStrings(content: Uint8Array | null): readonly string[] {
  const strings: string[] = [];
  if (content === null) return strings;
  let text = '';
  let spoken = false;
  let inText = false;
  readXml(content, {
    open: ({ name }) => {
      if (name === 'si') text = '';
      else if (name === 'rPh') spoken = true;
      else if (name === 't') inText = !spoken;
    },
    text: (piece) => {
      if (inText) text += piece;
    },
    close: (name) => {
      if (name === 't') inText = false;
      else if (name === 'rPh') spoken = false;
      else if (name === 'si') strings.push(text);
    },
  });
  return strings;
}

/** Rows of cells, of those columns alone that hold something: a cell far to the right costs nothing. */
function withoutEmptyColumns(rows: readonly ReadonlyMap<number, string>[]): string[][] {
  const used = [...new Set(rows.flatMap((row) => [...row.keys()]))].sort((a, b) => a - b).slice(0, MAX_COLUMNS);
  const places = new Map(used.map((column, index) => [column, index]));
  return rows.map((row) => {
    const cells: string[] = [];
    for (const [column, text] of row) {
      const place = places.get(column);
      if (place === undefined) continue;
      while (cells.length < place) cells.push('');
      cells[place] = text;
    }
    return cells;
  });
}
