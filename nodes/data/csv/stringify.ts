import { toText } from '../../../dsl';
import { isObject, type Json } from '../../../lib/json';
import { Budget } from '../budget';
import { misconfigured } from '../computed';
import { columnsOf } from './table';

/** How a table is written. */
interface Layout {
  readonly delimiter: string;
  readonly quote: string;
  readonly columns?: readonly string[];
  readonly header: boolean;
  readonly lineEnd: string;
  readonly escapeFormulas: boolean;
}

const FORMULA = /^[=+\-@\t\r]/;
const PLAIN_NUMBER = /^[+-]?[\d.,]+$/;

/** Rows as delimited text that `parseRows` reads back: objects by their keys, lists cell by cell. @throws Refusal */
export function stringifyCsv(rows: readonly Json[], layout: Layout): string {
  const columns = layout.columns ?? columnsOf(rows);
  new Budget().spend(rows.length * columns.length);
  const cellsOf = (row: Json, index: number): readonly Json[] => {
    if (Array.isArray(row)) return row;
    if (!isObject(row)) throw misconfigured(`"rows" takes objects and lists; the one at ${index} is neither`);
    return columns.map((column) => (Object.hasOwn(row, column) ? (row[column] as Json) : null));
  };
  const lines = rows.map(cellsOf);
  if (layout.header && columns.length > 0) lines.unshift(columns);
  const special = new RegExp(`[\\r\\n\\ufeff${layout.quote}${layout.delimiter.replace(/[\]\\^-]/, '\\$&')}]`);
  const written = lines.map((cells) => {
    const line = cells.map((cell) => writeCell(cell, layout, special)).join(layout.delimiter);
    // A line without a character would be read as no line at all.
    return line === '' ? layout.quote + layout.quote : line;
  });
  return written.map((line) => line + layout.lineEnd).join('');
}

function writeCell(cell: Json, { quote, escapeFormulas }: Layout, special: RegExp): string {
  const text = toText(cell);
  const risky = escapeFormulas && typeof cell === 'string' && FORMULA.test(text) && !PLAIN_NUMBER.test(text);
  const safe = risky ? `'${text}` : text;
  return special.test(safe) ? quote + safe.replaceAll(quote, quote + quote) + quote : safe;
}
