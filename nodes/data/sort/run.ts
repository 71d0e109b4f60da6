import { compareValues } from '../../../dsl';
import type { Json } from '../../../lib/json';
import { Budget } from '../budget';
import { computed } from '../computed';
import { fieldReader } from '../field';

/** The input as its schema promises it. */
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
export const run = computed((input) => {
  // The runtime has checked the input against the manifest's schema.
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
