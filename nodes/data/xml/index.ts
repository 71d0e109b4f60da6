import { defineNode } from '../../contract/define';
import { objectSchema, requiredWhen } from '../../schema';
import { run } from './run';

export const xmlNode = defineNode({
  type: 'xml',
  title: 'XML',
  description:
    'Converts XML to objects and back: attributes are keys with @, text beside them is #text, repeated elements are a list.',
  category: 'Data',
  effect: 'pure',
  input: objectSchema(
    {
      operation: {
        type: 'string',
        title: 'Operation',
        description: '`parse` reads `text`; `build` writes `value`.',
        enum: ['parse', 'build'],
        examples: ['parse'],
      },
      text: {
        type: 'string',
        title: 'Text',
        description: 'XML to parse, at most 512 KiB. Documents that declare entities are refused.',
        examples: ['<order id="7"><item>Pen</item></order>'],
      },
      lists: {
        type: 'array',
        title: 'Lists',
        description: 'Names of elements that are always a list.',
        items: { type: 'string' },
        maxItems: 200,
        examples: [['item']],
      },
      trim: {
        type: 'boolean',
        title: 'Trim',
        description: 'Trims white space around texts.',
        default: true,
      },
      value: {
        type: 'object',
        title: 'Value',
        description: 'Object to write, with one root element.',
        examples: [{ order: { '@id': 7, item: ['Pen', 'Ink'] } }],
      },
      declaration: {
        type: 'boolean',
        title: 'Declaration',
        description: 'Writes the declaration <?xml version="1.0" encoding="UTF-8"?>.',
        default: true,
      },
      indent: {
        type: 'integer',
        title: 'Indent',
        description: 'Spaces per level; 0: one line.',
        minimum: 0,
        maximum: 8,
        default: 0,
      },
    },
    ['operation'],
    requiredWhen('operation', { parse: ['text'], build: ['value'] }),
  ),
  output: objectSchema({
    value: {
      type: 'object',
      title: 'Value',
      description: 'Parsed object with one root element. All values are text.',
    },
    text: { type: 'string', title: 'Text', description: 'Resulting text.' },
  }),
  run,
});
