import type { JsonObject } from '../../../lib/json';
import type { HttpAction } from '../contract';
import { filledText, integer, list, object, outputOf, SCALAR, text } from '../../schema';
import { idempotentWrite, readAction, writeAction } from '../define';
import { urlPath } from '../http/path';
import { textAt } from '../values';
import { DRIVE_ID, ITEM_ID, itemAt } from './files';
import { graphPages, literal } from './graph';

const WORKBOOK = { item_id: { ...ITEM_ID, title: 'Workbook', description: 'ID of the Excel file.' } };
const SHEET = filledText('Name or ID of the worksheet.', 'Sheet1', { maxLength: 255 });
const TABLE = filledText('Name or ID of the table.', 'Orders', { maxLength: 255 });
const ADDRESS = filledText('Range of cells.', 'A1:C10', {
  maxLength: 50,
  pattern: '^\\$?[A-Za-z]{1,3}\\$?\\d{1,7}(?::\\$?[A-Za-z]{1,3}\\$?\\d{1,7})?$',
});
const ROWS = list(list(SCALAR, 'A row.', ['pen', 2]), 'Rows of cells, from the left.', [['pen', 2]], {
  minItems: 1,
  maxItems: 5_000,
});
const RANGE = outputOf(
  {
    address: text('Range of cells.', 'Sheet1!A1:C10'),
    values: list(list({}, 'A row.'), 'Rows of cells.'),
    rowCount: integer('Number of rows.'),
    columnCount: integer('Number of columns.'),
  },
  ['values'],
);
const RANGE_FIELDS = { $select: 'address,values,rowCount,columnCount' };

const workbookAt = (input: JsonObject): string => `${itemAt(input)}/workbook`;
const sheetAt = (input: JsonObject): string => workbookAt(input) + urlPath`/worksheets/${input.sheet}`;
const tableAt = (input: JsonObject): string => workbookAt(input) + urlPath`/tables/${input.table}`;
const rangeAt = (input: JsonObject): string =>
  `${sheetAt(input)}/range(address=${encodeURIComponent(literal(textAt(input, 'range') ?? ''))})`;

/** Excel files in OneDrive and SharePoint. */
export const excel: readonly HttpAction[] = [
  readAction('list_sheets', 'Lists the worksheets of an Excel file.', {
    required: WORKBOOK,
    optional: { drive_id: DRIVE_ID },
    item: outputOf({ id: text('ID of the worksheet.'), name: text('Name.'), position: integer('Position from 0.') }, [
      'id',
    ]),
    request: (input) => ({ method: 'GET', url: `${workbookAt(input)}/worksheets` }),
    pages: graphPages,
  }),
  readAction('read_range', 'Returns the cells of a range; without one, those in use.', {
    required: { ...WORKBOOK, sheet: SHEET },
    optional: { range: ADDRESS, drive_id: DRIVE_ID },
    output: RANGE,
    request: (input) => ({
      method: 'GET',
      url: input.range === undefined ? `${sheetAt(input)}/usedRange(valuesOnly=true)` : rangeAt(input),
      query: RANGE_FIELDS,
    }),
  }),
  idempotentWrite('write_range', 'Writes the cells of a range.', {
    required: { ...WORKBOOK, sheet: SHEET, range: ADDRESS, values: ROWS },
    optional: { drive_id: DRIVE_ID },
    output: RANGE,
    request: (input) => ({
      method: 'PATCH',
      url: rangeAt(input),
      query: RANGE_FIELDS,
      body: { values: input.values ?? [] },
    }),
  }),
  readAction('list_tables', 'Lists the tables of an Excel file.', {
    required: WORKBOOK,
    optional: { drive_id: DRIVE_ID },
    item: outputOf({ id: text('ID of the table.'), name: text('Name.') }, ['id']),
    request: (input) => ({ method: 'GET', url: `${workbookAt(input)}/tables`, query: { $select: 'id,name' } }),
    pages: graphPages,
  }),
  readAction('list_rows', 'Lists the rows of a table.', {
    required: { ...WORKBOOK, table: TABLE },
    optional: { drive_id: DRIVE_ID },
    item: object(
      { index: integer('Position from 0.'), values: list(list({}, 'The row.'), 'A list with the row.') },
      'A row.',
      { open: true },
    ),
    request: (input) => ({ method: 'GET', url: `${tableAt(input)}/rows`, query: { $top: 500 } }),
    pages: graphPages,
  }),
  writeAction('add_rows', 'Adds rows at the end of a table.', {
    required: { ...WORKBOOK, table: TABLE, values: ROWS },
    optional: { drive_id: DRIVE_ID },
    output: outputOf({ index: integer('Position of the first added row, from 0.') }),
    request: (input) => ({
      method: 'POST',
      url: `${tableAt(input)}/rows`,
      body: { index: null, values: input.values ?? [] },
    }),
  }),
];
