import { suiteConnector } from '../suite/connector';
import { cells } from './cells';
import { documents } from './documents';

/** The API of Google Sheets, version 4. Without a spreadsheet nothing can be read: the connection test checks the token. */
export const suiteSheets = suiteConnector(
  {
    name: 'suite-sheets',
    aliases: ['google_sheets', 'gsheets'],
    title: 'Google Sheets',
    description: 'Read and write cells, rows and sheets in Google Sheets.',
    category: 'Productivity',
    docs: 'https://developers.google.com/workspace/sheets/api/reference/rest',
    connectionTest: { action: 'check_token', input: {} },
    actions: [...cells, ...documents],
  },
  'https://sheets.googleapis.com',
  ['spreadsheets'],
);
