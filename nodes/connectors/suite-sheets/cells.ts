import type { Json, JsonObject } from '../../../lib/json';
import type { HttpAction } from '../contract';
import { urlPath } from '../http/path';

import { listAt, objectAt, withoutUndefined, textAt } from '../values';
import { CHANGED, ENTERED, RANGE, RENDERED, ROWS, SPREADSHEET } from './fields';
import { cellsOf, columnOf, firstRow, named } from './table';
import { anyValue, filledText, flag, integer, list, outputOf, record, text } from '../../schema';
import { idempotentWrite, readAction, writeAction } from '../define';

const valuesOf = (input: JsonObject): string => urlPath`/v4/spreadsheets/${input.spreadsheet_id}/values/${input.range}`;

const entered = (input: JsonObject) => ({ valueInputOption: textAt(input, 'as') ?? 'RAW' });

const rendered = (input: JsonObject) => ({
  majorDimension: 'ROWS',
  valueRenderOption: textAt(input, 'values') ?? 'UNFORMATTED_VALUE',
  dateTimeRenderOption: 'FORMATTED_STRING',
});

const ROW_OUTPUT = record('Cells by column name.', { item: 'pen', price: 2 });

export const cells: readonly HttpAction[] = [
  readAction('read_range', 'Returns the rows of a range, and as records by column name.', {
    required: { spreadsheet_id: SPREADSHEET, range: RANGE },
    optional: { values: RENDERED, header: flag('Returns `records`, named by the first row.', { default: false }) },
    output: outputOf(
      {
        range: text('Range of the returned cells.'),
        rows: list({ type: 'array', title: 'Row', description: 'Cells of the row.' }, 'Rows, each a list of cells.'),
        records: list(ROW_OUTPUT, 'Rows after the first, by the names in the first row.'),
        count: integer('Number of rows.'),
      },
      ['rows', 'count'],
    ),
    request: (input) => ({ method: 'GET', url: valuesOf(input), query: rendered(input) }),
    read: ({ body }, input) => {
      const rows = cellsOf(listAt(body, 'values'));
      const [header = [], ...rest] = rows;
      return withoutUndefined({
        range: textAt(body, 'range'),
        rows,
        records: input.header === true ? rest.map((row) => named(header, row)) : undefined,
        count: rows.length,
      });
    },
  }),
  readAction(
    'lookup_row',
    'Finds the first row with a value in a column; the first row of the range has the column names.',
    {
      required: {
        spreadsheet_id: SPREADSHEET,
        range: RANGE,
        column: filledText('Column name in the first row.', 'email', { maxLength: 500 }),
        value: anyValue('Value to find; text and numbers compare by their text.', 'ada@example.com'),
      },
      output: outputOf(
        { found: flag('Whether a row was found.'), row_number: integer('Row number in the sheet.'), row: ROW_OUTPUT },
        ['found'],
      ),
      request: (input) => ({ method: 'GET', url: valuesOf(input), query: rendered(input) }),
      read: ({ body }, input) => lookup(cellsOf(listAt(body, 'values')), textAt(body, 'range') ?? '', input),
    },
  ),
  writeAction('append_rows', 'Appends rows to a table.', {
    required: { spreadsheet_id: SPREADSHEET, range: RANGE, rows: ROWS },
    optional: { as: ENTERED },
    output: CHANGED,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/v4/spreadsheets/${input.spreadsheet_id}/values/${input.range}:append`,
      query: { ...entered(input), insertDataOption: 'INSERT_ROWS' },
      body: { majorDimension: 'ROWS', values: listAt(input, 'rows') },
    }),
    read: ({ body }) => objectAt(body, 'updates'),
  }),
  idempotentWrite('update_range', 'Overwrites the cells of a range.', {
    required: { spreadsheet_id: SPREADSHEET, range: RANGE, rows: ROWS },
    optional: { as: ENTERED },
    output: CHANGED,
    request: (input) => ({
      method: 'PUT',
      url: valuesOf(input),
      query: entered(input),
      body: { range: textAt(input, 'range') ?? '', majorDimension: 'ROWS', values: listAt(input, 'rows') },
    }),
    read: ({ body }) => objectAt(body),
  }),
  idempotentWrite('clear_range', 'Clears the values of a range; formats are kept.', {
    required: { spreadsheet_id: SPREADSHEET, range: RANGE },
    output: outputOf({ clearedRange: text('Range.') }, ['clearedRange']),
    call: 'POST /v4/spreadsheets/{spreadsheet_id}/values/{range}:clear',
    body: {},
  }),
  idempotentWrite('replace_row', 'Overwrites the cells of a row, from the left.', {
    required: {
      spreadsheet_id: SPREADSHEET,
      sheet: filledText('Name of the field.', 'Orders', { maxLength: 200 }),
      row_number: integer('Row number, as returned by a lookup.', 12, { minimum: 1, maximum: 10_000_000 }),
      cells: list(anyValue('Text, number, true, false or null.', 'pen'), 'Cells from the left.', ['pen', 2], {
        minItems: 1,
        maxItems: 18_278,
      }),
    },
    optional: { as: ENTERED },
    output: CHANGED,
    request: (input) => {
      const range = `${quoted(textAt(input, 'sheet') ?? '')}!A${input.row_number}`;
      return {
        method: 'PUT',
        url: urlPath`/v4/spreadsheets/${input.spreadsheet_id}/values/${range}`,
        query: entered(input),
        body: { range, majorDimension: 'ROWS', values: [listAt(input, 'cells')] },
      };
    },
    read: ({ body }) => objectAt(body),
  }),
];

/** The quoted name of a sheet for a range. */
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
