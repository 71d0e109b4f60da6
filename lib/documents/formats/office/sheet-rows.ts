import { ParseError } from '../../fault';
import { readXml } from '../../xml';
import { dateText, type DateStyles } from './sheet-dates';

/** What cells of all sheets of a workbook share. */
export interface Book {
  readonly shared: readonly string[];
  readonly dates: DateStyles;
  /** Whether days are counted from 1904 on. */
  readonly from1904: boolean;
  /** Cells that may still be read. */
  cellsLeft: number;
}

/** A cell as it begins. */
interface Cell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
}

const LAST_COLUMN = 16_384;

/** The rows of a sheet (ECMA-376, SpreadsheetML) that hold something, as text by column. Of formulas, the last result. */
export function readRows(content: Uint8Array, book: Book): Map<number, string>[] {
  const rows: Map<number, string>[] = [];
  let row = new Map<number, string>();
  let cell: Cell | null = null;
  let next = 1;
  let value = '';
  let inValue = false;
  readXml(content, {
    open: (tag) => {
      if (tag.name === 'row') [row, next] = [new Map(), 1];
      if (tag.name === 'c') {
        const column = columnOf(tag.attribute('r')) ?? next;
        cell = { column, type: tag.attribute('t'), style: Number.parseInt(tag.attribute('s'), 10) || 0 };
        [value, next] = ['', column + 1];
      }
      inValue = cell !== null && (tag.name === 'v' || tag.name === 't');
    },
    text: (text) => {
      if (inValue) value += text;
    },
    close: (name) => {
      inValue = false;
      if (name === 'c' && cell !== null) {
        put(row, cell, textOf(cell, value, book), book);
        cell = null;
      }
      if (name === 'row' && row.size > 0) rows.push(row);
    },
  });
  return rows;
}

function put(row: Map<number, string>, { column }: Cell, text: string, book: Book): void {
  if (text.trim() === '' || column > LAST_COLUMN) return;
  book.cellsLeft -= 1;
  if (book.cellsLeft < 0)
    throw new ParseError('too_large', 'The workbook has more filled cells than can be read. Split it into several.');
  row.set(column, text);
}

function textOf({ type, style }: Cell, value: string, book: Book): string {
  if (type === 's') return book.shared[Number.parseInt(value, 10)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type !== '' && type !== 'n') return value;
  return book.dates.has(style) ? dateText(Number(value), book.from1904) : numberText(value);
}

/** Numbers are stored with all their binary digits: 0.1 + 0.2 is shown as 0.3. */
function numberText(value: string): string {
  const number = Number(value);
  return value.length > 15 && Number.isFinite(number) ? String(Number(number.toPrecision(15))) : value;
}

/** The column that a reference such as `AB12` begins with, from 1 on; null without one. */
function columnOf(reference: string): number | null {
  const [, letters] = /^([A-Z]{1,3})\d/i.exec(reference) ?? [];
  if (letters === undefined) return null;
  return [...letters.toUpperCase()].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0);
}
