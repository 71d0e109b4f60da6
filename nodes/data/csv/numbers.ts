import type { Json } from '../../../lib/json';
import { misconfigured, Refusal } from '../computed';
import type { Row } from './parse';
import type { Table } from './table';

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/** Makes numbers of the text in these columns, in place; an empty cell is null. @throws Refusal `invalid_csv` */
export function readNumbers(table: Table, rows: readonly Row[], columns: readonly string[]): void {
  const unknown = columns.find((column) => !table.columns.includes(column));
  if (unknown !== undefined) throw misconfigured(`"numbers" names the column "${unknown}", which is not there`);
  for (const [index, row] of table.rows.entries()) {
    for (const column of columns) row[column] = numberOf(row[column] as Json, rows[index]?.line ?? 0, column);
  }
}

function numberOf(cell: Json, line: number, column: string): Json {
  const text = typeof cell === 'string' ? cell.trim() : '';
  if (text === '') return null;
  const value = text.length < 400 && NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw new Refusal('invalid_csv', `line ${line} has no number in column "${column}"`);
  return value;
}
