import { defineNode } from '../../contract/define';
import { objectSchema, requiredWhen } from '../../schema';
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
      operation: {
        type: 'string',
        title: 'Operation',
        description: '`parse` reads `text`; `stringify` writes `rows`.',
        enum: ['parse', 'stringify'],
        examples: ['parse'],
      },
      text: {
        type: 'string',
        title: 'Text',
        description: 'Text to parse. Blank lines are ignored.',
        examples: ['name,total\nAda,12\n'],
      },
      rows: {
        type: 'array',
        title: 'Rows',
        description:
          'Rows to write: objects, or lists of cells. null is an empty cell; lists and objects in cells are written as JSON.',
        examples: [[{ name: 'Ada', total: 12 }]],
      },
      header: {
        type: 'boolean',
        title: 'Header',
        description:
          'The first line has the column names. False: there is no header, and rows are lists unless `columns` names them.',
        default: true,
      },
      columns: {
        type: 'array',
        title: 'Columns',
        description:
          'Column names: for parsing, instead of those in the header; for writing, the keys to write in this order.',
        items: { type: 'string' },
        maxItems: MAX_COLUMNS,
        examples: [['name', 'total']],
      },
      numbers: {
        type: 'array',
        title: 'Numbers',
        description: 'Columns to parse as numbers. All other cells remain text.',
        items: { type: 'string' },
        maxItems: MAX_COLUMNS,
        examples: [['total']],
      },
      ragged: {
        type: 'boolean',
        title: 'Uneven rows',
        description: 'Allows rows with fewer or more cells than columns. False: such rows are an error.',
        default: false,
      },
      delimiter: {
        type: 'string',
        title: 'Delimiter',
        description: 'Character between cells.',
        pattern: '^[\\t -~]$',
        default: ',',
        examples: [';', '\t'],
      },
      quote: {
        type: 'string',
        title: 'Quote',
        description: 'Character around cells that contain delimiters or line breaks.',
        enum: ['"', "'"],
        default: '"',
      },
      line_end: {
        type: 'string',
        title: 'Line end',
        description: 'Line ending.',
        enum: ['lf', 'crlf'],
        default: 'lf',
      },
      escape_formulas: {
        type: 'boolean',
        title: 'Escape formulas',
        description:
          "Prefixes text that a spreadsheet would interpret as a formula with '. Recommended for untrusted data that people open in a spreadsheet.",
        default: false,
      },
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
      text: { type: 'string', title: 'Text', description: 'Resulting text.' },
      count: { type: 'integer', title: 'Count', description: 'Number of rows without the header.' },
    },
    ['count'],
  ),
  run,
});
