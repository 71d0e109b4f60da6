import { setOwn } from '../../../dsl';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { Budget } from '../budget';
import { Refusal } from '../computed';
import type { Rows } from './parse';

/** Columns of one table. */
export const MAX_COLUMNS = 1_000;

/** Rows as objects, and the names of their columns. */
export interface Table {
  readonly columns: string[];
  readonly rows: JsonObject[];
}

/**
 * Names the cells of each row by the columns. A row with another number of cells is refused; with `ragged`, missing cells
 * are null, and further ones get columns of their own.
 * `first`: the row after the header. @throws Refusal `invalid_csv`, `too_large`
 */
export function tableOf({ cells, lineOf }: Rows, first: number, header: readonly string[], ragged: boolean): Table {
  const rows = cells.slice(first);
  const widest = rows.reduce((max, row) => Math.max(max, row.length), header.length);
  const width = ragged ? widest : header.length;
  if (width > MAX_COLUMNS) throw new Refusal('too_large', `there are more than ${MAX_COLUMNS} columns`);
  new Budget().spend(rows.length * width);
  const columns = uniqueNames(Array.from({ length: width }, (_, index) => header[index] ?? ''));
  const named = (row: readonly string[], at: number): JsonObject => {
    if (!ragged && row.length !== width) {
      const line = lineOf(first + at);
      throw new Refusal('invalid_csv', `line ${line} has ${row.length} cells, but there are ${width} columns`);
    }
    const object: JsonObject = {};
    for (const [index, column] of columns.entries()) setOwn(object, column, row[index] ?? null);
    return object;
  };
  return { columns, rows: rows.map(named) };
}

/** A column without a name is called by its number, and a second one of a name gets a number behind it. */
function uniqueNames(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((given, index) => {
    const name = given === '' ? `column_${index + 1}` : given;
    let unique = name;
    for (let number = 2; used.has(unique); number++) unique = `${name}_${number}`;
    used.add(unique);
    return unique;
  });
}

/** Every key of the objects among the rows, in the order of first appearance. */
export function columnsOf(rows: readonly Json[]): string[] {
  return [...new Set(rows.flatMap((row) => (isObject(row) ? Object.keys(row) : [])))];
}
