import { anything, choice, integer, list, object, outputOf, text } from '../schemas';

export const SPREADSHEET = text(
  'Spreadsheet',
  'Its id: the part of its address behind /d/.',
  '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgVE2upms',
  { minLength: 1, maxLength: 200 },
);

export const RANGE = text('Range', 'Cells in A1 notation; the name of a sheet alone for all of it.', 'Orders!A1:D50', {
  minLength: 1,
  maxLength: 500,
});

const CELL = anything('Cell', 'A text, a number, true, false, or null for "leave it as it is".', 'pen');

export const ROWS = list(
  { type: 'array', items: CELL, maxItems: 18_278, title: 'Row', description: 'Its cells, from the left.' },
  'Rows',
  'Each a list of cells.',
  [['pen', 2]],
  { minItems: 1, maxItems: 50_000 },
);

/** As they are, unless the author says otherwise: untrusted text must not become a formula. */
export const ENTERED = choice(
  ['RAW', 'USER_ENTERED'],
  'As',
  'Just as they are; or as if typed, so that `=A1+1` is a formula and `2026-03-01` a date.',
  { default: 'RAW' },
);

export const RENDERED = choice(
  ['FORMATTED_VALUE', 'UNFORMATTED_VALUE', 'FORMULA'],
  'Values',
  'As people see them, as they are, or the formulas.',
  { default: 'UNFORMATTED_VALUE' },
);

export const CHANGED = outputOf(
  {
    updatedRange: text('Range', 'Which cells.'),
    updatedRows: integer('Rows', 'In how many rows.'),
    updatedColumns: integer('Columns', 'In how many columns.'),
    updatedCells: integer('Cells', 'How many cells.'),
  },
  ['updatedRange'],
);

export const SHEETS = list(
  object(
    {
      sheet_id: integer('Id', 'Id of the sheet.'),
      title: text('Title', 'Its name, for ranges.'),
      index: integer('Place', 'From the left, beginning with 0.'),
      rows: integer('Rows', 'How many.'),
      columns: integer('Columns', 'How many.'),
    },
    'Sheet',
    'A sheet.',
  ),
  'Sheets',
  'The sheets in it.',
);
