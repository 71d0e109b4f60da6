import fc from 'fast-check';
import { type Json, jsonSize } from '../../../lib/json';
import { beginningOf } from '../../../lib/json/beginning';

const MAX = 1_000;

describe('the beginning of a JSON value', () => {
  it('is the value itself when it fits', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        const value = given as Json;
        expect(beginningOf(value, jsonSize(value))).toEqual({ value, truncated: false });
      }),
    );
  });

  it('has the shape of the value, and about the given number of characters at most', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), fc.integer({ min: 100, max: 2_000 }), (given, max) => {
        const value = given as Json;
        const found = beginningOf(value, max);
        expect(found.truncated).toBe(jsonSize(value) > max);
        expect(jsonSize(found.value)).toBeLessThanOrEqual(max * 2);
        expect(isBeginning(found.value, value)).toBe(true);
      }),
    );
  });

  it('keeps what follows a large member', () => {
    const { value } = beginningOf({ body: 'x'.repeat(100_000), rows: Array(50_000).fill(7), status: 200 }, MAX);
    const { body, rows, status } = value as { body: string; rows: number[]; status: number };
    expect(status).toBe(200);
    expect(body.length).toBeGreaterThan(400);
    expect(rows.length).toBeGreaterThan(40);
  });

  it('does not split characters', () => {
    expect((beginningOf('🙂'.repeat(1_000), 101).value as string).isWellFormed()).toBe(true);
  });

  it('has members that are named like those of prototypes', () => {
    const given = JSON.parse(`{"__proto__": {"a": "${'x'.repeat(2_000)}"}}`) as Json;
    expect(Object.keys(beginningOf(given, MAX).value as object)).toEqual(['__proto__']);
  });
});

function isBeginning(part: Json, whole: Json): boolean {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part);
  if (part === null || typeof part !== 'object') return Object.is(part, whole);
  return Object.entries(part).every(([key, member]) =>
    isBeginning(member as Json, (whole as Record<string, Json>)[key] as Json),
  );
}
