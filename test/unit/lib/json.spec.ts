import { type Json, jsonSize } from '../../../lib/json';

const large: Json[] = [
  'x'.repeat(1_000),
  Array.from({ length: 1_000 }, (_, index) => 1_000 + index),
  Array.from({ length: 1_000 }, () => ({ name: 'Ann', active: true, note: null })),
  { a: { b: { c: ['x'.repeat(500), 'y'.repeat(500)] } } },
];

it.each(large)('the size of a value is about the length of its text (case %#)', (value) => {
  const { length } = JSON.stringify(value);
  expect(jsonSize(value)).toBeGreaterThan(length * 0.8);
  expect(jsonSize(value)).toBeLessThan(length * 1.25);
});
