import type { JsonSchema } from '../contract';
import { integer } from '../schema';

/** Most items of a list that a node of this family goes through, as in a foreach. */
const MAX_ITEMS = 100_000;

/** The list that a node works on. */
export const itemsSchema = (description: string): JsonSchema => ({
  type: 'array',
  title: 'Items',
  description: `${description} At most 100,000 items.`,
  maxItems: MAX_ITEMS,
  examples: [[{ name: 'Ada', total: 120 }]],
});

/** The outputs that nodes with a list have in common. */
export const ITEMS_OUTPUT: Readonly<Record<string, JsonSchema>> = {
  items: { type: 'array', title: 'Items', description: 'Resulting items.' },
  count: integer('Number of resulting items.'),
};
