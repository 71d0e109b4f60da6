import type { Json } from '../../../lib/json';
import { misconfigured, Refusal } from '../computed';
import type { Table } from './table';

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/**
 * Makes numbers of the text in these columns, in place; an empty cell is null. `lineOf`: the line of a row of the table.
 * @throws Refusal `invalid_csv`
 */
export function readNumbers(table: Table, columns: readonly string[], lineOf: (index: number) => number): void {
  const unknown = columns.find((column) => !table.columns.includes(column));
  if (unknown !== undefined) throw misconfigured(`"numbers" names the column "${unknown}", which is not there`);
  for (const [index, row] of table.rows.entries()) {
    for (const column of columns) {
      const value = numberOf(row[column] as Json);
      if (value === undefined)
        throw new Refusal('invalid_csv', `line ${lineOf(index)} has no number in column "${column}"`);
      row[column] = value;
    }
  }
}

/** Undefined for text that is no number. */
function numberOf(cell: Json): number | null | undefined {
  const text = typeof cell === 'string' ? cell.trim() : '';
  if (text === '') return null;
  const value = text.length < 400 && NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
