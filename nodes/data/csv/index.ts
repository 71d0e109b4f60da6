import { defineNode } from '../../contract/define';
import { choice, flag, integer, list, objectSchema, requiredWhen, text } from '../../schema';
import { MAX_COLUMNS } from './table';
import { run } from './run';

export const csvNode = defineNode({
  type: 'csv',
  title: 'CSV',
  description: 'Reads and writes tables as delimited text (RFC 4180).',
  category: 'Data',
  effect: 'pure',
  input: objectSchema(
    {
      operation: choice(['parse', 'stringify'], '`parse` reads `text`; `stringify` writes `rows`.', {
        examples: ['parse'],
      }),
      text: text('Text to parse. Blank lines are ignored.', 'name,total\nAda,12\n'),
      rows: {
        type: 'array',
        title: 'Rows',
        description:
          'Rows to write: objects, or lists of cells. null is an empty cell; lists and objects in cells are written as JSON.',
        examples: [[{ name: 'Ada', total: 12 }]],
      },
      header: flag(
        'The first line has the column names. False: there is no header, and rows are lists unless `columns` names them.',
        { default: true },
      ),
      columns: list(
        { type: 'string' },
        'Column names: for parsing, instead of those in the header; for writing, the keys to write in this order.',
        ['name', 'total'],
        { maxItems: MAX_COLUMNS },
      ),
      numbers: list({ type: 'string' }, 'Columns to parse as numbers. All other cells remain text.', ['total'], {
        maxItems: MAX_COLUMNS,
      }),
      ragged: flag('Allows rows with fewer or more cells than columns. False: such rows are an error.', {
        title: 'Uneven rows',
        default: false,
      }),
      delimiter: text('Character between cells.', { pattern: '^[\\t -~]$', default: ',', examples: [';', '\t'] }),
      quote: choice(['"', "'"], 'Character around cells that contain delimiters or line breaks.', { default: '"' }),
      line_end: choice(['lf', 'crlf'], 'Line ending.', { default: 'lf' }),
      escape_formulas: flag(
        "Prefixes text that a spreadsheet would interpret as a formula with '. Recommended for untrusted data that people open in a spreadsheet.",
        { default: false },
      ),
    },
    ['operation'],
    requiredWhen('operation', { parse: ['text'], stringify: ['rows'] }),
  ),
  output: objectSchema(
    {
      columns: { type: 'array', title: 'Columns', description: 'Names of the columns that were parsed.' },
      rows: {
        type: 'array',
        title: 'Rows',
        description:
          'Parsed rows: objects, or lists without a header. Columns without a name are called `column_3`, duplicate names `name_2`.',
      },
      text: text('Resulting text.'),
      count: integer('Number of rows without the header.'),
    },
    ['count'],
  ),
  run,
});
