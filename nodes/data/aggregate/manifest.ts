import type { NodeManifest } from '../../manifest';
import { objectSchema } from '../../schema';
import { fieldSchema } from '../field';
import { itemsSchema } from '../items';
import { OPERATIONS } from './operation';

const values = {
  type: 'object',
  title: 'Values',
  description: 'The result of each operation, by its name.',
} as const;

const operation = objectSchema(
  {
    name: { type: 'string', title: 'Name', description: 'What the result is called.', minLength: 1, maxLength: 100 },
    operation: {
      type: 'string',
      title: 'Operation',
      description:
        'What is made of the values. null does not count; `sum` and `avg` take numbers only. Of nothing, `sum` is 0, and `avg`, `min` and `max` are null.',
      enum: [...OPERATIONS],
    },
    field: fieldSchema('Field', 'The field of each item; without it, the item itself.'),
    separator: {
      type: 'string',
      title: 'Separator',
      description: 'What `join` puts between the texts.',
      maxLength: 100,
      default: ', ',
    },
  },
  ['name', 'operation'],
);

export const manifest: NodeManifest = {
  type: 'aggregate',
  version: 1,
  title: 'Aggregate',
  description: 'Counts, sums and gathers the items of a list, as a whole or in groups.',
  category: 'Data',
  effect: 'pure',
  onInterrupted: 'retry',
  immediate: true,
  input: objectSchema(
    {
      items: itemsSchema('The list to look at.'),
      operations: {
        type: 'array',
        title: 'Operations',
        description: 'What to find out.',
        items: operation,
        minItems: 1,
        maxItems: 50,
        examples: [
          [
            { name: 'orders', operation: 'count' },
            { name: 'turnover', operation: 'sum', field: 'total' },
          ],
        ],
      },
      group_by: {
        type: 'array',
        title: 'Group by',
        description: 'Items that agree in these fields make a group; without it, all are looked at together.',
        items: fieldSchema('Field', 'A field of each item.'),
        minItems: 1,
        maxItems: 10,
        examples: [['country']],
      },
    },
    ['items', 'operations'],
  ),
  output: objectSchema(
    {
      count: { type: 'integer', title: 'Count', description: 'How many items there are.' },
      values,
      groups: {
        type: 'array',
        title: 'Groups',
        description: 'In the order in which they appear; only with `group_by`, and then instead of `values`.',
        items: objectSchema(
          {
            key: { type: 'object', title: 'Key', description: 'The fields of the group, by their paths.' },
            count: { type: 'integer', title: 'Count', description: 'How many items the group has.' },
            values,
          },
          ['key', 'count', 'values'],
        ),
      },
    },
    ['count'],
  ),
};
