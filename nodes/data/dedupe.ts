import type { ConfigFinding } from '../../dsl';
import { canonicalJson, type Json, type JsonObject } from '../../lib/json';
import { defineNode } from '../contract/define';
import { choice, integer, list, objectSchema } from '../schema';
import { Budget } from './budget';
import { computed } from './computed';
import { fieldReader, fieldSchema } from './field';
import { ITEMS_OUTPUT, itemsSchema } from './items';
import { faultsIn, fieldsIn } from './readings';

/** Fields that are no paths. */
const check = ({ by }: JsonObject): ConfigFinding[] => faultsIn(fieldsIn(by, 'by'));

/** The input, validated by the schema. */
interface DedupeInput {
  items: Json[];
  by?: string[];
  keep?: 'first' | 'last';
}

/** Keeps one item of each kind, in their order. */
const run = computed('dedupe', (input) => {
  // The runtime has checked the input against the input schema.
  const { items, by, keep = 'first' } = input as unknown as DedupeInput;
  const readers = by === undefined ? [fieldReader(undefined)] : by.map(fieldReader);
  new Budget().spend(items.length * (1 + readers.length) * 2);
  const kept = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const kind = canonicalJson(readers.map((read) => read(item)));
    if (keep === 'last' || !kept.has(kind)) kept.set(kind, index);
  }
  const places = new Set(kept.values());
  const chosen = items.filter((_item, index) => places.has(index));
  return { items: chosen, count: chosen.length, dropped: items.length - chosen.length };
});

export const dedupeNode = defineNode({
  type: 'dedupe',
  title: 'Remove duplicates',
  description: 'Removes items of a list that are equal, or equal in some fields.',
  category: 'Data',
  effect: 'pure',
  input: objectSchema(
    {
      items: itemsSchema('The list with duplicates.'),
      by: list(
        fieldSchema('Field', 'A field of each item.'),
        'Fields to compare. Default: the whole item. Values are not converted, and the order of keys does not matter.',
        ['email'],
        { title: 'Compare by', minItems: 1, maxItems: 10 },
      ),
      keep: choice(['first', 'last'], 'Which of several equal items to keep.', { default: 'first' }),
    },
    ['items'],
  ),
  output: objectSchema(
    {
      ...ITEMS_OUTPUT,
      dropped: integer('Number of removed duplicates.'),
    },
    ['items', 'count', 'dropped'],
  ),
  check,
  run,
});
