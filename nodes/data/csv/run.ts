import type { Json, JsonObject } from '../../../lib/json';
import type { Dialect } from '../../../lib/csv';
import { computed, misconfigured, Refusal } from '../computed';
import { parseRows } from './parse';
import { stringifyCsv } from './stringify';
import { tableOf, type Table } from './table';

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/**
 * Makes numbers of the text in these columns, in place; an empty cell is null. `lineOf`: the line of a row of the table.
 * @throws Refusal `invalid_csv`
 */
function readNumbers(table: Table, columns: readonly string[], lineOf: (index: number) => number): void {
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

/** The input, validated by the schema: the fields of the operation are present. */
type CsvInput = { delimiter?: string; quote?: string } & { columns?: string[]; header?: boolean } & (
    | { operation: 'parse'; text: string; ragged?: boolean; numbers?: string[] }
    | { operation: 'stringify'; rows: Json[]; line_end?: 'lf' | 'crlf'; escape_formulas?: boolean }
  );

/** Reads or writes delimited text. */
export const run = computed('csv', (given): JsonObject => {
  // The runtime has checked the input against the input schema.
  const input = given as unknown as CsvInput;
  const { delimiter = ',', quote = '"', columns, header = true } = input;
  if (delimiter === quote) throw misconfigured('"delimiter" and "quote" must differ');
  if (input.operation === 'parse') return parse(input, { delimiter, quote });
  const text = stringifyCsv(input.rows, {
    delimiter,
    quote,
    columns,
    header,
    lineEnd: input.line_end === 'crlf' ? '\r\n' : '\n',
    escapeFormulas: input.escape_formulas ?? false,
  });
  return { text, count: input.rows.length };
});

function parse(input: Extract<CsvInput, { operation: 'parse' }>, dialect: Dialect): JsonObject {
  const rows = parseRows(input.text, dialect);
  const first = input.header === false ? 0 : 1;
  const header = input.columns ?? rows.cells.slice(0, first)[0];
  if (header === undefined) {
    if (first === 0) return { rows: rows.cells, count: rows.cells.length };
    return { columns: [], rows: [], count: 0 };
  }
  const table = tableOf(rows, first, header, input.ragged ?? false);
  readNumbers(table, input.numbers ?? [], (index) => rows.lineOf(first + index));
  return { columns: table.columns, rows: table.rows, count: table.rows.length };
}
