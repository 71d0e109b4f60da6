import type { NodeManifest } from '../../manifest';
import { objectSchema } from '../../schema';
import { fieldSchema } from '../field';
import { ITEMS_OUTPUT, itemsSchema } from '../items';

const key = objectSchema({
  field: fieldSchema('Field', 'The field to sort by; without it, the item itself.'),
  direction: {
    type: 'string',
    title: 'Direction',
    description: 'Smallest first, or greatest first.',
    enum: ['asc', 'desc'],
    default: 'asc',
  },
  numeric: {
    type: 'boolean',
    title: 'Text as numbers',
    description: 'Text that is a number is sorted as one, so that "9" comes before "10".',
    default: false,
  },
});

export const manifest: NodeManifest = {
  type: 'sort',
  version: 1,
  title: 'Sort',
  description:
    'Sorts a list. Equal items keep their order. null comes before false, true, numbers, text (by code unit), and the rest.',
  category: 'Data',
  effect: 'pure',
  onInterrupted: 'retry',
  immediate: true,
  input: objectSchema(
    {
      items: itemsSchema('The list to sort.'),
      by: {
        type: 'array',
        title: 'Sort by',
        description: 'What decides, and what decides among equals; without it, the items themselves.',
        items: key,
        minItems: 1,
        maxItems: 10,
        examples: [[{ field: 'total', direction: 'desc' }, { field: 'name' }]],
      },
    },
    ['items'],
  ),
  output: objectSchema(ITEMS_OUTPUT, ['items', 'count']),
};
