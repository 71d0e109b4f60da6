import type { Json, JsonObject } from '../../../lib/json';
import { computed, misconfigured } from '../computed';
import { readNumbers } from './numbers';
import { type Dialect, parseCsv } from './parse';
import { stringifyCsv } from './stringify';
import { tableOf } from './table';

/** The input as its schema promises it: what an operation needs is there. */
type CsvInput = Partial<Dialect> & { columns?: string[]; header?: boolean } & (
    | { operation: 'parse'; text: string; ragged?: boolean; numbers?: string[] }
    | { operation: 'stringify'; rows: Json[]; line_end?: 'lf' | 'crlf'; escape_formulas?: boolean }
  );

/** Reads or writes delimited text. */
export const run = computed((given): JsonObject => {
  // The runtime has checked the input against the manifest's schema.
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
  const lines = parseCsv(input.text, dialect);
  const first = input.header === false ? undefined : lines.shift()?.cells;
  const header = input.columns ?? first;
  if (header === undefined) {
    if (input.header === false) return { rows: lines.map(({ cells }) => cells), count: lines.length };
    return { columns: [], rows: [], count: 0 };
  }
  const table = tableOf(lines, header, input.ragged ?? false);
  readNumbers(table, lines, input.numbers ?? []);
  return { columns: table.columns, rows: table.rows, count: table.rows.length };
}
