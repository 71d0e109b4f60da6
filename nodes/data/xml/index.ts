import { defineNode } from '../../contract/define';
import { objectSchema, requiredWhen } from '../../schema';
import { run } from './run';

export const xmlNode = defineNode({
  type: 'xml',
  title: 'XML',
  description:
    'Reads and writes XML as objects: attributes are keys that begin with @, text beside them is the key #text, elements of one name are a list.',
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
        description: 'The XML to read, at most 512 KiB. A document that declares entities of its own is refused.',
        examples: ['<order id="7"><item>Pen</item></order>'],
      },
      lists: {
        type: 'array',
        title: 'Lists',
        description: 'Names of elements that are a list even where there is only one.',
        items: { type: 'string' },
        maxItems: 200,
        examples: [['item']],
      },
      trim: {
        type: 'boolean',
        title: 'Trim',
        description: 'Leaves out white space around texts.',
        default: true,
      },
      value: {
        type: 'object',
        title: 'Value',
        description: 'What to write: an object with one member, the root element.',
        examples: [{ order: { '@id': 7, item: ['Pen', 'Ink'] } }],
      },
      declaration: {
        type: 'boolean',
        title: 'Declaration',
        description: 'Begins with <?xml version="1.0" encoding="UTF-8"?>.',
        default: true,
      },
      indent: {
        type: 'integer',
        title: 'Indent',
        description: 'Spaces for each level; 0 writes everything on one line.',
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
      description: 'What was read: an object with one member, the root element. All values are text.',
    },
    text: { type: 'string', title: 'Text', description: 'What was written.' },
  }),
  run,
});
