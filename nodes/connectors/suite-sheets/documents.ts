import type { Json, JsonObject } from '../../../lib/json';
import { field } from '../auth';
import type { HttpAction } from '../contract';
import { urlPath } from '../http/path';
import { filledText, integer, list, object, outputOf, text } from '../../schema';
import { listAt, numberAt, objectAt, withoutUndefined, textAt, textsAt } from '../values';
import { SHEETS, SPREADSHEET } from './fields';
import { readAction, writeAction } from '../define';

const DOCUMENT = outputOf(
  {
    spreadsheet_id: text('ID of the spreadsheet.'),
    url: text('URL in the web app.'),
    title: text('Name of the field.'),
    sheets: SHEETS,
  },
  ['spreadsheet_id', 'sheets'],
);

const TITLE = filledText('Name of the field.', 'Orders', { maxLength: 200 });

export const documents: readonly HttpAction[] = [
  writeAction('create_spreadsheet', 'Creates a spreadsheet.', {
    required: { title: TITLE },
    optional: { sheets: list(TITLE, 'Names of the sheets. Default: one sheet.', ['Orders'], { maxItems: 100 }) },
    output: DOCUMENT,
    request: (input) => ({
      method: 'POST',
      url: '/v4/spreadsheets',
      body: withoutUndefined({
        properties: { title: textAt(input, 'title') ?? '' },
        sheets: 'sheets' in input ? textsAt(input, 'sheets').map((title) => ({ properties: { title } })) : undefined,
      }),
    }),
    read: ({ body }) => documentOf(body),
  }),
  readAction('list_sheets', 'Lists the sheets of a spreadsheet with their sizes.', {
    required: { spreadsheet_id: SPREADSHEET },
    output: DOCUMENT,
    call: 'GET /v4/spreadsheets/{spreadsheet_id}',
    query: { fields: 'spreadsheetId,spreadsheetUrl,properties.title,sheets.properties' },
    read: ({ body }) => documentOf(body),
  }),
  writeAction('add_sheet', 'Adds a sheet to a spreadsheet.', {
    required: { spreadsheet_id: SPREADSHEET, title: TITLE },
    output: object({ sheet: object({}, 'A sheet, as in the list of sheets.', { open: true }) }, 'The new sheet.', {
      required: ['sheet'],
    }),
    request: (input) => ({
      method: 'POST',
      url: urlPath`/v4/spreadsheets/${input.spreadsheet_id}:batchUpdate`,
      body: { requests: [{ addSheet: { properties: { title: textAt(input, 'title') ?? '' } } }] },
    }),
    read: ({ body }) => ({ sheet: sheetOf(objectAt(body, 'replies', '0', 'addSheet', 'properties')) }),
  }),
  readAction('check_token', 'Returns the scopes and expiry of the access token.', {
    output: outputOf(
      {
        scope: text('Scopes, separated by spaces.'),
        expires_in: integer('Seconds until the token expires.'),
        email: text('Email address of the owner, if visible.'),
      },
      ['scope'],
    ),
    // In the body, for addresses are written into logs on the way.
    request: (_input, account) => ({
      method: 'POST',
      url: 'https://oauth2.googleapis.com/tokeninfo',
      form: true,
      body: { access_token: field(account, 'access_token') },
    }),
    read: ({ body }) =>
      withoutUndefined({
        scope: textAt(body, 'scope') ?? '',
        expires_in: Number(textAt(body, 'expires_in') ?? numberAt(body, 'expires_in') ?? 0),
        email: textAt(body, 'email'),
      }),
  }),
];

const sheetOf = (properties: Json): JsonObject =>
  withoutUndefined({
    sheet_id: numberAt(properties, 'sheetId'),
    title: textAt(properties, 'title'),
    index: numberAt(properties, 'index'),
    rows: numberAt(properties, 'gridProperties', 'rowCount'),
    columns: numberAt(properties, 'gridProperties', 'columnCount'),
  });

const documentOf = (body: Json): JsonObject =>
  withoutUndefined({
    spreadsheet_id: textAt(body, 'spreadsheetId'),
    url: textAt(body, 'spreadsheetUrl'),
    title: textAt(body, 'properties', 'title'),
    sheets: listAt(body, 'sheets').map((sheet) => sheetOf(objectAt(sheet, 'properties'))),
  });
