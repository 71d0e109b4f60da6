import type { NodeManifest } from '../../manifest';
import { objectSchema } from '../../schema';
import { fieldSchema } from '../field';
import { ITEMS_OUTPUT, itemsSchema } from '../items';

export const manifest: NodeManifest = {
  type: 'dedupe',
  version: 1,
  title: 'Remove duplicates',
  description: 'Keeps one of the items of a list that are equal, or equal in some fields.',
  category: 'Data',
  effect: 'pure',
  onInterrupted: 'retry',
  immediate: true,
  input: objectSchema(
    {
      items: itemsSchema('The list with duplicates.'),
      by: {
        type: 'array',
        title: 'Compare by',
        description:
          'Fields in which items have to agree; without them, in everything. Values are never converted, and the order of keys does not count.',
        items: fieldSchema('Field', 'A field of each item.'),
        minItems: 1,
        maxItems: 10,
        examples: [['email']],
      },
      keep: {
        type: 'string',
        title: 'Keep',
        description: 'Which of several equal items stays.',
        enum: ['first', 'last'],
        default: 'first',
      },
    },
    ['items'],
  ),
  output: objectSchema(
    {
      ...ITEMS_OUTPUT,
      dropped: { type: 'integer', title: 'Dropped', description: 'How many duplicates there were.' },
    },
    ['items', 'count', 'dropped'],
  ),
};
