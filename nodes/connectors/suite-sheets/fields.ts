import { anyValue, choice, filledText, integer, list, object, outputOf, text } from '../../schema';

export const SPREADSHEET = filledText(
  'Its id: the part of its address behind /d/.',
  '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgVE2upms',
  { maxLength: 200 },
);

export const RANGE = filledText('Cells in A1 notation; the name of a sheet alone for all of it.', 'Orders!A1:D50', {
  maxLength: 500,
});

const CELL = anyValue('A text, a number, true, false, or null for "leave it as it is".', 'pen');

export const ROWS = list(
  { type: 'array', items: CELL, maxItems: 18_278, title: 'Row', description: 'Its cells, from the left.' },
  'Each a list of cells.',
  [['pen', 2]],
  { minItems: 1, maxItems: 50_000 },
);

/** As they are, unless the author says otherwise: untrusted text must not become a formula. */
export const ENTERED = choice(
  ['RAW', 'USER_ENTERED'],
  'Just as they are; or as if typed, so that `=A1+1` is a formula and `2026-03-01` a date.',
  { default: 'RAW' },
);

export const RENDERED = choice(
  ['FORMATTED_VALUE', 'UNFORMATTED_VALUE', 'FORMULA'],
  'As people see them, as they are, or the formulas.',
  { default: 'UNFORMATTED_VALUE' },
);

export const CHANGED = outputOf(
  {
    updatedRange: text('Which cells.'),
    updatedRows: integer('In how many rows.'),
    updatedColumns: integer('In how many columns.'),
    updatedCells: integer('How many cells.'),
  },
  ['updatedRange'],
);

export const SHEETS = list(
  object(
    {
      sheet_id: integer('Id of the sheet.'),
      title: text('Its name, for ranges.'),
      index: integer('From the left, beginning with 0.'),
      rows: integer('How many.'),
      columns: integer('How many.'),
    },
    'A sheet.',
  ),
  'The sheets in it.',
);
