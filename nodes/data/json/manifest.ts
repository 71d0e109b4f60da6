import type { NodeManifest } from '../../manifest';
import { objectSchema, requiredWhen } from '../../schema';
import { fieldSchema } from '../field';

const NEEDS = {
  parse: ['text'],
  stringify: ['value'],
  get: ['value', 'path'],
  pick: ['value', 'fields'],
  omit: ['value', 'fields'],
  merge: ['values'],
};

export const manifest: NodeManifest = {
  type: 'json',
  version: 1,
  title: 'JSON',
  description: 'Reads and writes JSON text, and takes values apart and together.',
  category: 'Data',
  effect: 'pure',
  onInterrupted: 'retry',
  immediate: true,
  input: objectSchema(
    {
      operation: {
        type: 'string',
        title: 'Operation',
        description:
          '`parse` reads `text`; `stringify` writes `value` as text; `get` finds what is at `path`; `pick` keeps and `omit` leaves out `fields` of an object; `merge` makes one object of several.',
        enum: Object.keys(NEEDS),
        examples: ['parse'],
      },
      text: { type: 'string', title: 'Text', description: 'JSON text, for `parse`.', examples: ['{"total": 12}'] },
      value: {
        title: 'Value',
        description: 'The value to work on; an object for `pick` and `omit`.',
        examples: [{ id: 7, customer: { name: 'Ada' } }],
      },
      path: fieldSchema('Path', 'Where to look, for `get`.'),
      default: { title: 'Default', description: 'What `get` gives when there is nothing, or null; null without it.' },
      fields: {
        type: 'array',
        title: 'Fields',
        description: 'Members of the object, and of objects inside it.',
        items: fieldSchema('Field', 'A member.'),
        minItems: 1,
        maxItems: 200,
        examples: [['id', 'customer.name']],
      },
      values: {
        type: 'array',
        title: 'Values',
        description: 'The objects to merge; later ones win.',
        maxItems: 100,
        examples: [[{ a: 1 }, { b: 2 }]],
      },
      deep: {
        type: 'boolean',
        title: 'Merge deeply',
        description: 'Objects inside objects are merged too; lists are replaced.',
        default: false,
      },
      indent: {
        type: 'integer',
        title: 'Indent',
        description: 'Spaces for each level, for `stringify`.',
        minimum: 0,
        maximum: 10,
        default: 0,
      },
      sort_keys: {
        type: 'boolean',
        title: 'Sort keys',
        description: 'Writes the keys of objects in order, so that equal values give equal text.',
        default: false,
      },
    },
    ['operation'],
    requiredWhen('operation', NEEDS),
  ),
  output: objectSchema({
    value: { title: 'Value', description: 'The result of every operation but `stringify`.' },
    text: { type: 'string', title: 'Text', description: 'The result of `stringify`.' },
  }),
};
