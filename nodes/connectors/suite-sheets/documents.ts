import type { Json, JsonObject } from '../../../lib/json';
import { field } from '../auth';
import type { HttpAction } from '../contract';
import { asks, does } from '../define';
import { at } from '../http/path';
import { integer, list, object, outputOf, text } from '../schemas';
import { listAt, numberAt, objectAt, present, textAt, textsAt } from '../values';
import { SHEETS, SPREADSHEET } from './fields';

const DOCUMENT = outputOf(
  {
    spreadsheet_id: text('Id', 'Id of the spreadsheet.'),
    url: text('Link', 'Where people look at it.'),
    title: text('Title', 'Its name.'),
    sheets: SHEETS,
  },
  ['spreadsheet_id', 'sheets'],
);

const TITLE = text('Title', 'Its name.', 'Orders', { minLength: 1, maxLength: 200 });

export const documents: readonly HttpAction[] = [
  does('create_spreadsheet', 'Create a spreadsheet', 'A new spreadsheet in the drive of the account.', {
    needs: { title: TITLE },
    may: {
      sheets: list(TITLE, 'Sheets', 'Names of its sheets; one of the usual name else.', ['Orders'], { maxItems: 100 }),
    },
    output: DOCUMENT,
    request: (input) => ({
      method: 'POST',
      url: '/v4/spreadsheets',
      body: present({
        properties: { title: textAt(input, 'title') ?? '' },
        sheets: 'sheets' in input ? textsAt(input, 'sheets').map((title) => ({ properties: { title } })) : undefined,
      }),
    }),
    read: ({ body }) => documentOf(body),
  }),
  asks('list_sheets', 'List sheets', 'The sheets of a spreadsheet, and how large they are.', {
    needs: { spreadsheet_id: SPREADSHEET },
    output: DOCUMENT,
    call: 'GET /v4/spreadsheets/{spreadsheet_id}',
    query: { fields: 'spreadsheetId,spreadsheetUrl,properties.title,sheets.properties' },
    read: ({ body }) => documentOf(body),
  }),
  does('add_sheet', 'Add a sheet', 'One more sheet in a spreadsheet.', {
    needs: { spreadsheet_id: SPREADSHEET, title: TITLE },
    output: object(
      { sheet: object({}, 'Sheet', 'As in the list of sheets.', { open: true }) },
      'Sheet',
      'The new sheet.',
      { required: ['sheet'] },
    ),
    request: (input) => ({
      method: 'POST',
      url: at`/v4/spreadsheets/${input.spreadsheet_id}:batchUpdate`,
      body: { requests: [{ addSheet: { properties: { title: textAt(input, 'title') ?? '' } } }] },
    }),
    read: ({ body }) => ({ sheet: sheetOf(objectAt(body, 'replies', '0', 'addSheet', 'properties')) }),
  }),
  asks('check_token', 'Look at the connection', 'What the access token may do, and until when.', {
    output: outputOf(
      {
        scope: text('Scopes', 'What it may do, separated by spaces.'),
        expires_in: integer('Seconds', 'How long it still counts.'),
        email: text('Email address', 'The e-mail address of the owner, where it is visible.'),
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
      present({
        scope: textAt(body, 'scope') ?? '',
        expires_in: Number(textAt(body, 'expires_in') ?? numberAt(body, 'expires_in') ?? 0),
        email: textAt(body, 'email'),
      }),
  }),
];

const sheetOf = (properties: Json): JsonObject =>
  present({
    sheet_id: numberAt(properties, 'sheetId'),
    title: textAt(properties, 'title'),
    index: numberAt(properties, 'index'),
    rows: numberAt(properties, 'gridProperties', 'rowCount'),
    columns: numberAt(properties, 'gridProperties', 'columnCount'),
  });

const documentOf = (body: Json): JsonObject =>
  present({
    spreadsheet_id: textAt(body, 'spreadsheetId'),
    url: textAt(body, 'spreadsheetUrl'),
    title: textAt(body, 'properties', 'title'),
    sheets: listAt(body, 'sheets').map((sheet) => sheetOf(objectAt(sheet, 'properties'))),
  });
