import type { Json } from '../../../lib/json';
import { Budget } from '../budget';
import { computed } from '../computed';
import { type Condition, conditionTest } from './condition';

/** The input as its schema promises it. */
interface FilterInput {
  items: Json[];
  conditions: Condition[];
  match?: 'all' | 'any';
}

/** Keeps the items that pass, in their order. */
export const run = computed((input) => {
  // The runtime has checked the input against the manifest's schema.
  const { items, conditions, match = 'all' } = input as unknown as FilterInput;
  const budget = new Budget();
  const tests = conditions.map((condition) => conditionTest(condition, budget));
  const kept = items.filter((item) =>
    match === 'all' ? tests.every((test) => test(item)) : tests.some((test) => test(item)),
  );
  return { items: kept, count: kept.length, dropped: items.length - kept.length };
});
