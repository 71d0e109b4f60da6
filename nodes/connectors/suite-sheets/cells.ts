import type { Json, JsonObject } from '../../../lib/json';
import type { HttpAction } from '../contract';
import { asks, does, settles } from '../define';
import { at } from '../http/path';
import { anything, flag, integer, list, outputOf, record, text } from '../schemas';
import { listAt, objectAt, present, textAt } from '../values';
import { CHANGED, ENTERED, RANGE, RENDERED, ROWS, SPREADSHEET } from './fields';
import { cellsOf, columnOf, firstRow, named } from './table';

const valuesOf = (input: JsonObject): string => at`/v4/spreadsheets/${input.spreadsheet_id}/values/${input.range}`;

const entered = (input: JsonObject) => ({ valueInputOption: textAt(input, 'as') ?? 'RAW' });

const rendered = (input: JsonObject) => ({
  majorDimension: 'ROWS',
  valueRenderOption: textAt(input, 'values') ?? 'UNFORMATTED_VALUE',
  dateTimeRenderOption: 'FORMATTED_STRING',
});

const ROW_OUTPUT = record('Row', 'Cells by the names in the first row.', { item: 'pen', price: 2 });

export const cells: readonly HttpAction[] = [
  asks('read_range', 'Read cells', 'Rows of a range, and the same by the names in the first row.', {
    needs: { spreadsheet_id: SPREADSHEET, range: RANGE },
    may: {
      values: RENDERED,
      header: flag('First row has names', 'Gives `records`: each row by those names.', { default: false }),
    },
    output: outputOf(
      {
        range: text('Range', 'Which cells they are.'),
        rows: list({ type: 'array', title: 'Row', description: 'Its cells.' }, 'Rows', 'Each a list of cells.'),
        records: list(ROW_OUTPUT, 'Records', 'Each row but the first by the names there.'),
        count: integer('Rows', 'How many rows there are.'),
      },
      ['rows', 'count'],
    ),
    request: (input) => ({ method: 'GET', url: valuesOf(input), query: rendered(input) }),
    read: ({ body }, input) => {
      const rows = cellsOf(listAt(body, 'values'));
      const [header = [], ...rest] = rows;
      return present({
        range: textAt(body, 'range'),
        rows,
        records: input.header === true ? rest.map((row) => named(header, row)) : undefined,
        count: rows.length,
      });
    },
  }),
  asks(
    'lookup_row',
    'Find a row',
    'The first row that has a value in a column; the first row of the range has the names.',
    {
      needs: {
        spreadsheet_id: SPREADSHEET,
        range: RANGE,
        column: text('Column', 'Its name in the first row.', 'email', { minLength: 1, maxLength: 500 }),
        value: anything(
          'Value',
          'What is looked for; texts and numbers that look the same are the same.',
          'ada@example.com',
        ),
      },
      output: outputOf(
        {
          found: flag('Found', 'Whether there is one.'),
          row_number: integer('Row', 'Its number in the sheet.'),
          row: ROW_OUTPUT,
        },
        ['found'],
      ),
      request: (input) => ({ method: 'GET', url: valuesOf(input), query: rendered(input) }),
      read: ({ body }, input) => lookup(cellsOf(listAt(body, 'values')), textAt(body, 'range') ?? '', input),
    },
  ),
  does('append_rows', 'Append rows', 'Writes rows below the last one of a table.', {
    needs: { spreadsheet_id: SPREADSHEET, range: RANGE, rows: ROWS },
    may: { as: ENTERED },
    output: CHANGED,
    request: (input) => ({
      method: 'POST',
      url: at`/v4/spreadsheets/${input.spreadsheet_id}/values/${input.range}:append`,
      query: { ...entered(input), insertDataOption: 'INSERT_ROWS' },
      body: { majorDimension: 'ROWS', values: listAt(input, 'rows') },
    }),
    read: ({ body }) => objectAt(body, 'updates'),
  }),
  settles('update_range', 'Write cells', 'Replaces the cells of a range.', {
    needs: { spreadsheet_id: SPREADSHEET, range: RANGE, rows: ROWS },
    may: { as: ENTERED },
    output: CHANGED,
    request: (input) => ({
      method: 'PUT',
      url: valuesOf(input),
      query: entered(input),
      body: { range: textAt(input, 'range') ?? '', majorDimension: 'ROWS', values: listAt(input, 'rows') },
    }),
    read: ({ body }) => objectAt(body),
  }),
  settles('clear_range', 'Empty cells', 'Takes the values of a range away; their format stays.', {
    needs: { spreadsheet_id: SPREADSHEET, range: RANGE },
    output: outputOf({ clearedRange: text('Range', 'Which cells.') }, ['clearedRange']),
    call: 'POST /v4/spreadsheets/{spreadsheet_id}/values/{range}:clear',
    body: {},
  }),
  settles('replace_row', 'Write one row', 'Replaces the cells of a row from the left, by its number.', {
    needs: {
      spreadsheet_id: SPREADSHEET,
      sheet: text('Sheet', 'Its name.', 'Orders', { minLength: 1, maxLength: 200 }),
      row_number: integer('Row', 'Its number, as finding a row gives it.', 12, { minimum: 1, maximum: 10_000_000 }),
      cells: list(
        anything('Cell', 'A text, a number, true, false or null.', 'pen'),
        'Cells',
        'From the left.',
        ['pen', 2],
        { minItems: 1, maxItems: 18_278 },
      ),
    },
    may: { as: ENTERED },
    output: CHANGED,
    request: (input) => {
      const range = `${quoted(textAt(input, 'sheet') ?? '')}!A${input.row_number}`;
      return {
        method: 'PUT',
        url: at`/v4/spreadsheets/${input.spreadsheet_id}/values/${range}`,
        query: entered(input),
        body: { range, majorDimension: 'ROWS', values: [listAt(input, 'cells')] },
      };
    },
    read: ({ body }) => objectAt(body),
  }),
];

/** The name of a sheet as it stands in a range. */
const quoted = (sheet: string): string => `'${sheet.replaceAll("'", "''")}'`;

function lookup(rows: readonly Json[][], range: string, input: JsonObject): JsonObject {
  const [header = [], ...rest] = rows;
  const column = columnOf(header, textAt(input, 'column') ?? '');
  const wanted = shown(input.value ?? null);
  const index = column < 0 ? -1 : rest.findIndex((row) => shown(row[column] ?? '') === wanted);
  const row = rest[index];
  if (row === undefined) return { found: false };
  return { found: true, row_number: firstRow(range) + 1 + index, row: named(header, row) };
}

const shown = (value: Json): string => (typeof value === 'string' ? value.trim() : JSON.stringify(value));
