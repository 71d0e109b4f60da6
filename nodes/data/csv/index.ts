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
        description: 'The text to read. Blank lines do not count.',
        examples: ['name,total\nAda,12\n'],
      },
      rows: {
        type: 'array',
        title: 'Rows',
        description:
          'What to write: objects, or lists of cells. null is an empty cell; lists and objects in cells are written as JSON.',
        examples: [[{ name: 'Ada', total: 12 }]],
      },
      header: {
        type: 'boolean',
        title: 'Header',
        description:
          'The first line names the columns. False: there is none, and rows are read as lists unless `columns` names them.',
        default: true,
      },
      columns: {
        type: 'array',
        title: 'Columns',
        description:
          'Names of the columns: instead of those in the header when reading; which keys to write, and in which order, when writing.',
        items: { type: 'string' },
        maxItems: MAX_COLUMNS,
        examples: [['name', 'total']],
      },
      numbers: {
        type: 'array',
        title: 'Numbers',
        description: 'Columns whose text is read as numbers. All other cells stay text.',
        items: { type: 'string' },
        maxItems: MAX_COLUMNS,
        examples: [['total']],
      },
      ragged: {
        type: 'boolean',
        title: 'Uneven rows',
        description: 'Rows may have fewer cells than there are columns, or more. False: they are refused.',
        default: false,
      },
      delimiter: {
        type: 'string',
        title: 'Delimiter',
        description: 'The character between cells.',
        pattern: '^[\\t -~]$',
        default: ',',
        examples: [';', '\t'],
      },
      quote: {
        type: 'string',
        title: 'Quote',
        description: 'The character around cells that hold delimiters or line breaks.',
        enum: ['"', "'"],
        default: '"',
      },
      line_end: {
        type: 'string',
        title: 'Line end',
        description: 'What is written at the end of each line.',
        enum: ['lf', 'crlf'],
        default: 'lf',
      },
      escape_formulas: {
        type: 'boolean',
        title: 'Disarm formulas',
        description:
          "Writes a ' before text that a spreadsheet would take for a formula. Wise when cells come from strangers and a person opens the file.",
        default: false,
      },
    },
    ['operation'],
    requiredWhen('operation', { parse: ['text'], stringify: ['rows'] }),
  ),
  output: objectSchema(
    {
      columns: { type: 'array', title: 'Columns', description: 'Names of the columns that were read.' },
      rows: {
        type: 'array',
        title: 'Rows',
        description:
          'What was read: objects, or lists without a header. Columns without a name are called `column_3`, a second one of a name `name_2`.',
      },
      text: { type: 'string', title: 'Text', description: 'What was written.' },
      count: { type: 'integer', title: 'Count', description: 'How many rows, without the header.' },
    },
    ['count'],
  ),
  run,
});
