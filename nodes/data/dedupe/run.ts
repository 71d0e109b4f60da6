import { canonicalJson, type Json } from '../../../lib/json';
import { Budget } from '../budget';
import { computed } from '../computed';
import { fieldReader } from '../field';

/** The input as its schema promises it. */
interface DedupeInput {
  items: Json[];
  by?: string[];
  keep?: 'first' | 'last';
}

/** Keeps one item of each kind, in their order. */
export const run = computed((input) => {
  // The runtime has checked the input against the manifest's schema.
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
