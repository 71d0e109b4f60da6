import { calculateObjectSize, deserialize, EJSON, serialize } from 'bson';
import fc from 'fast-check';
import { decode } from '../../../../embedded/bson/decode';
import { encode } from '../../../../embedded/bson/encode';
import { readField, readPath } from '../../../../embedded/bson/raw';
import { identical } from '../../../../embedded/bson/identical';
import {
  BsonSymbol,
  DBPointer,
  type Doc,
  Double,
  FarDate,
  UNDEFINED,
  type Value,
} from '../../../../embedded/bson/value';
import { anyDoc } from './arbitraries';
import { docOf } from './bridge';

const throughDriver = (bytes: Buffer): Uint8Array =>
  serialize(deserialize(bytes, { promoteValues: false, promoteLongs: false, bsonRegExp: true }));

describe('BSON codec', () => {
  test('decoding an encoded document returns the identical document', () => {
    fc.assert(fc.property(anyDoc, (document) => expect(identical(decode(encode(document)), document)).toBe(true)));
  });

  test('encoding a decoded document returns the identical bytes', () => {
    fc.assert(
      fc.property(anyDoc, (document) => {
        const bytes = encode(document);
        expect(encode(decode(bytes)).equals(bytes)).toBe(true);
      }),
    );
  });

  test('the driver reads the bytes and writes them back the same', () => {
    fc.assert(
      fc.property(anyDoc.filter(driverKeeps), (document) => {
        const bytes = encode(document);
        expect(Buffer.from(throughDriver(bytes)).equals(bytes)).toBe(true);
        expect(calculateObjectSize(deserialize(bytes, { promoteValues: false, bsonRegExp: true }))).toBe(bytes.length);
      }),
    );
  });

  test.each([
    ['int32 stays int32', { v: 5 }, 5],
    [
      'a whole double stays a double',
      { v: EJSON.deserialize({ $numberDouble: '5.0' }, { relaxed: false }) },
      new Double(5),
    ],
    ['minus zero stays a double', { v: -0 }, -0],
    ['a long stays a long', { v: EJSON.deserialize({ $numberLong: '5' }, { relaxed: false }) }, 5n],
    ['a number outside of int32 is a double', { v: 3e9 }, 3e9],
  ])('%s', (_, literal, expected) => {
    expect(docOf(literal).get('v')).toEqual(expected);
  });

  test('names keep their order, even numeric ones and __proto__', () => {
    const document: Doc = new Map<string, Value>([
      ['b', 1],
      ['10', 2],
      ['__proto__', 3],
      ['2', 4],
    ]);
    expect([...decode(encode(document)).keys()]).toEqual(['b', '10', '__proto__', '2']);
  });

  test('a date outside the range of JavaScript keeps its milliseconds', () => {
    const document: Doc = new Map([['v', new FarDate(2n ** 62n)]]);
    expect((decode(encode(document)).get('v') as FarDate).millis).toBe(2n ** 62n);
  });

  test('long and non-ASCII text survives', () => {
    const value = 'é€😀'.repeat(50_000);
    expect(decode(encode(new Map([['v', value]]))).get('v')).toBe(value);
  });
});

describe('malformed BSON', () => {
  const good = encode(
    new Map<string, Value>([
      ['a', 'text'],
      ['b', [1, 2]],
      ['c', new Map([['d', 1n]])],
    ]),
  );

  test('a truncated document is refused with code 22, never read past its end', () => {
    for (let length = 0; length < good.length; length++) {
      expect(() => decode(good.subarray(0, length))).toThrow(expect.objectContaining({ code: 22 }));
    }
  });

  test('any single changed byte either decodes or is refused with a code', () => {
    fc.assert(
      fc.property(fc.nat({ max: good.length - 1 }), fc.nat({ max: 255 }), (at, byte) => {
        const bytes = Buffer.from(good);
        bytes[at] = byte;
        try {
          decode(bytes);
        } catch (error) {
          expect(error).toMatchObject({ code: 22 });
        }
      }),
    );
  });

  test('nesting above 200 levels is rejected in both directions', () => {
    let value: Doc = new Map();
    for (let level = 0; level < 250; level++) value = new Map([['a', value]]);
    expect(() => encode(value)).toThrow(expect.objectContaining({ codeName: 'Overflow' }));
  });

  test('a name with a null byte is refused', () => {
    expect(() => encode(new Map([['a\0b', 1]]))).toThrow(expect.objectContaining({ code: 9 }));
  });
});

describe('reading single values out of raw BSON', () => {
  const bytes = encode(docOf({ a: { b: { c: 'deep' } }, list: [{ x: 1 }], é: 2, a2: null }));

  test('a field is found at any depth and in any script', () => {
    expect(readPath(bytes, 'a.b.c')).toBe('deep');
    expect(readField(bytes, 'é')).toBe(2);
    expect(readField(bytes, 'a2')).toBeNull();
  });

  test('a path that is absent, under a scalar, or across an array is undefined', () => {
    expect(['nope', 'a.nope', 'a2.x', 'list.x', 'a.b.c.d'].map((path) => readPath(bytes, path))).toEqual(
      Array(5).fill(undefined),
    );
  });

  test('every top-level field of any document is read as decoding reads it', () => {
    fc.assert(
      fc.property(anyDoc, (document) => {
        const raw = encode(document);
        for (const [name, value] of document) expect(identical(readField(raw, name), value)).toBe(true);
      }),
    );
  });
});

/**
 * The driver turns symbols, pointers and undefined into other types, cannot hold dates outside of JavaScript's range,
 * and puts numeric names first.
 */
function driverKeeps(value: Value): boolean {
  if (Array.isArray(value)) return value.every(driverKeeps);
  if (!(value instanceof Map)) {
    return !(
      value instanceof FarDate ||
      value instanceof BsonSymbol ||
      value instanceof DBPointer ||
      value === UNDEFINED
    );
  }
  return [...value].every(([name, member]) => !/^\d+$|^__proto__$/.test(name) && driverKeeps(member));
}
