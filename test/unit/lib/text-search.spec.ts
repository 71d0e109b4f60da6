import fc from 'fast-check';
import { includesText, splitText } from '../../../lib/text-search';

/** Texts of few letters, so that long needles are found, and nearly found, often. */
const text = (maxLength: number): fc.Arbitrary<string> => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength });
const repetitive = fc.tuple(text(3), fc.nat(200), text(3)).map(([unit, times, end]) => unit.repeat(times) + end);
const some = fc.oneof(text(400), repetitive);

test('a text is found as by `includes` and `split`', () => {
  fc.assert(
    fc.property(some, some, (whole, find) => {
      expect(includesText(whole, find)).toBe(whole.includes(find));
      expect(splitText(whole, find)).toEqual(whole.split(find));
    }),
    { numRuns: 2_000 },
  );
});

test('long needles are found at their positions', () => {
  fc.assert(
    fc.property(fc.array(text(80), { maxLength: 5 }), text(80), (parts, end) => {
      const find = `${'ab'.repeat(40)}${end}`;
      const whole = parts.join(find);
      expect(includesText(whole, find)).toBe(whole.includes(find));
      expect(splitText(whole, find)).toEqual(whole.split(find));
    }),
  );
});

test('the worst needle takes linear time', () => {
  const whole = 'a'.repeat(500_000);
  const find = `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`;
  const began = performance.now();
  expect(includesText(whole, find)).toBe(false);
  expect(splitText(whole, find)).toEqual([whole]);
  // The engine's own search takes half a minute.
  expect(performance.now() - began).toBeLessThan(3_000);
});
