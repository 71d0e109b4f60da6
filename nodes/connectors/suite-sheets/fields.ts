import { anyValue, choice, filledText, integer, list, object, outputOf, text } from '../../schema';

export const SPREADSHEET = filledText(
  'ID of the spreadsheet: the part of its URL after /d/.',
  '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgVE2upms',
  { maxLength: 200 },
);

export const RANGE = filledText('Range in A1 notation; a sheet name alone: the whole sheet.', 'Orders!A1:D50', {
  maxLength: 500,
});

const CELL = anyValue('Text, number, true, false, or null to leave the cell unchanged.', 'pen');

export const ROWS = list(
  list(CELL, 'Cells from the left.', { maxItems: 18_278, title: 'Row' }),
  'Rows, each a list of cells.',
  [['pen', 2]],
  { minItems: 1, maxItems: 50_000 },
);

/** Unchanged by default: untrusted text must not become a formula. */
export const ENTERED = choice(
  ['RAW', 'USER_ENTERED'],
  'Raw values, or as if typed by a user: `=A1+1` is a formula and `2026-03-01` a date.',
  { default: 'RAW' },
);

export const RENDERED = choice(
  ['FORMATTED_VALUE', 'UNFORMATTED_VALUE', 'FORMULA'],
  'Formatted values, raw values or formulas.',
  { default: 'UNFORMATTED_VALUE' },
);

export const CHANGED = outputOf(
  {
    updatedRange: text('Range.'),
    updatedRows: integer('Number of updated rows.'),
    updatedColumns: integer('Number of updated columns.'),
    updatedCells: integer('Number of updated cells.'),
  },
  ['updatedRange'],
);

export const SHEETS = list(
  object(
    {
      sheet_id: integer('ID of the sheet.'),
      title: text('Name, used in ranges.'),
      index: integer('Position, starting at 0.'),
      rows: integer('Number of units.'),
      columns: integer('Number of units.'),
    },
    'A sheet.',
  ),
  'Sheets of the spreadsheet.',
);
