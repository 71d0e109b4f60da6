import * as fc from 'fast-check';
import { encode } from '../../../../embedded/bson/encode';
import { compare } from '../../../../embedded/bson/compare';
import { double, type Value } from '../../../../embedded/bson/value';
import { invert } from '../../../../embedded/store/byte-writer';
import { encodeKey, KeyWriter, successor } from '../../../../embedded/store/key-encoding';
import { locate } from '../../../../embedded/store/raw-bson';
import { anyValue } from './values';

const RUNS = 3_000;

const sign = (order: number): number => (order > 0 ? 1 : order < 0 ? -1 : 0);

const rawKey = (value: Value): Buffer => {
  const bytes = encode(new Map([['f', value]]));
  const out = { type: 0, at: 0 };
  if (locate(bytes, [Buffer.from('f')], out) !== 'value') return encodeKey(value);
  const writer = new KeyWriter();
  writer.raw(bytes, out.type, out.at);
  return writer.take();
};

const field = (value: Value, limit: number, descending = false): { key: Buffer; shortened: boolean } => {
  const writer = new KeyWriter();
  writer.value(value);
  writer.endField(0, limit, descending);
  return { key: writer.take(), shortened: writer.shortened };
};

describe('encoded keys', () => {
  test('sort as the values compare', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        expect(sign(Buffer.compare(encodeKey(a), encodeKey(b)))).toBe(sign(compare(a, b)));
      }),
      { numRuns: RUNS },
    );
  });

  test('are the same when read from a stored document', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(rawKey(value)).toEqual(encodeKey(value));
      }),
      { numRuns: RUNS },
    );
  });

  test('are prefix-free', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        const [left, right] = [encodeKey(a), encodeKey(b)];
        if (!left.equals(right)) expect(right.subarray(0, left.length).equals(left)).toBe(false);
      }),
      { numRuns: RUNS },
    );
  });

  test('sort the other way round when inverted', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        const [left, right] = [encodeKey(a), encodeKey(b)];
        invert(left);
        invert(right);
        expect(sign(Buffer.compare(left, right))).toBe(sign(compare(b, a)));
      }),
      { numRuns: RUNS },
    );
  });

  test.each([
    [2n ** 53n, double(2 ** 53), 0],
    [2n ** 53n + 1n, double(2 ** 53), 1],
    [-(2n ** 53n) - 1n, double(-(2 ** 53)), -1],
    [5, double(5), 0],
    [0, -0, 0],
    [Number.NaN, Number.NEGATIVE_INFINITY, -1],
  ])('%p against %p gives %p', (a, b, order) => {
    expect(sign(Buffer.compare(encodeKey(a), encodeKey(b)))).toBe(order);
  });
});

describe('fields above the limit', () => {
  test('keep their length bounded and still tell values apart', () => {
    const [a, b] = [field(`${'x'.repeat(3000)}a`, 500), field(`${'x'.repeat(3000)}b`, 500)];
    expect(a.shortened).toBe(true);
    expect(a.key.length).toBe(500);
    expect(a.key.equals(b.key)).toBe(false);
    expect(field(`${'x'.repeat(3000)}a`, 500).key).toEqual(a.key);
  });

  test('short fields are left alone', () => {
    expect(field('short', 500)).toEqual({ key: encodeKey('short'), shortened: false });
  });
});

test('the successor of a prefix sorts above everything that begins with it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 5 }), fc.uint8Array({ maxLength: 5 }), (prefix, rest) => {
      fc.pre(prefix.some((byte) => byte !== 0xff));
      const next = successor(prefix);
      expect(Buffer.compare(next, Buffer.concat([prefix, rest]))).toBe(1);
      expect(Buffer.compare(next, prefix)).toBe(1);
    }),
  );
});
