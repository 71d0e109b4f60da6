import { defineNode } from '../../contract/define';
import { choice, flag, integer, list, objectSchema, requiredWhen, text } from '../../schema';
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
      operation: choice(['parse', 'build'], '`parse` reads `text`; `build` writes `value`.', { examples: ['parse'] }),
      text: text(
        'XML to parse, at most 512 KiB. Documents that declare entities are refused.',
        '<order id="7"><item>Pen</item></order>',
      ),
      lists: list({ type: 'string' }, 'Names of elements that are always a list.', ['item'], { maxItems: 200 }),
      trim: flag('Trims white space around texts.', { default: true }),
      value: {
        type: 'object',
        title: 'Value',
        description: 'Object to write, with one root element.',
        examples: [{ order: { '@id': 7, item: ['Pen', 'Ink'] } }],
      },
      declaration: flag('Writes the declaration <?xml version="1.0" encoding="UTF-8"?>.', { default: true }),
      indent: integer('Spaces per level; 0: one line.', { minimum: 0, maximum: 8, default: 0 }),
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
    text: text('Resulting text.'),
  }),
  run,
});
