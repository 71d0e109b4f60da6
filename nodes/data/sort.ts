import { compareValues, type ConfigFinding } from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';
import { defineNode } from '../contract/define';
import { choice, flag, list, objectSchema } from '../schema';
import { Budget } from './budget';
import { computed } from './computed';
import { fieldReader, fieldSchema } from './field';
import { ITEMS_OUTPUT, itemsSchema } from './items';
import { faultsIn, fieldsOfEach } from './readings';

/** Fields that are no paths. */
const check = ({ by }: JsonObject): ConfigFinding[] => faultsIn(fieldsOfEach(by, 'by'));

/** The input, validated by the schema. */
interface SortInput {
  items: Json[];
  by?: SortKey[];
}

interface SortKey {
  field?: string;
  direction?: 'asc' | 'desc';
  numeric?: boolean;
}

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?\s*$/;

/** Sorts by the first key, equals by the next, and so on. Stable, and the same in every locale. */
const run = computed('sort', (input) => {
  // The runtime has checked the input against the input schema.
  const { items, by = [{}] } = input as unknown as SortInput;
  new Budget().spend(Math.ceil((items.length * by.length * Math.log2(items.length + 1)) / 2));
  const readers = by.map(keyReader);
  const signs = by.map(({ direction }) => (direction === 'desc' ? -1 : 1));
  const sorted = items
    .map((item) => ({ item, keys: readers.map((read) => read(item)) }))
    .sort((a, b) => {
      for (const [index, sign] of signs.entries()) {
        const order = compareValues(a.keys[index] as Json, b.keys[index] as Json);
        if (order !== 0) return sign * order;
      }
      return 0;
    });
  return { items: sorted.map(({ item }) => item), count: items.length };
});

function keyReader({ field, numeric = false }: SortKey): (item: Json) => Json {
  const read = fieldReader(field);
  if (!numeric) return read;
  return (item) => {
    const key = read(item);
    return typeof key === 'string' && key.length < 100 && NUMBER.test(key) ? Number(key) : key;
  };
}

const key = objectSchema({
  field: fieldSchema('Field', 'The field to sort by; without it, the item itself.'),
  direction: choice(['asc', 'desc'], 'Ascending or descending.', { default: 'asc' }),
  numeric: flag('Sorts text with numbers numerically, so that "9" comes before "10".', {
    title: 'Text as numbers',
    default: false,
  }),
});

export const sortNode = defineNode({
  type: 'sort',
  title: 'Sort',
  description:
    'Sorts a list. The sort is stable. null comes before false, true, numbers, text (by code unit), and other values.',
  category: 'Data',
  effect: 'pure',
  input: objectSchema(
    {
      items: itemsSchema('The list to sort.'),
      by: list(
        key,
        'Sort keys in order of priority. Default: the items themselves.',
        [{ field: 'total', direction: 'desc' }, { field: 'name' }],
        { title: 'Sort by', minItems: 1, maxItems: 10 },
      ),
    },
    ['items'],
  ),
  output: objectSchema(ITEMS_OUTPUT, ['items', 'count']),
  check,
  run,
});
