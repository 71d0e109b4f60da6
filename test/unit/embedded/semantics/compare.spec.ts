import fc from 'fast-check';
import { compare, compareStrings, equals } from '../../../../embedded/bson/compare';
import { decode } from '../../../../embedded/bson/decode';
import { encode } from '../../../../embedded/bson/encode';
import {
  BsonSymbol,
  double,
  MAX_KEY,
  MIN_KEY,
  ObjectId,
  Regex,
  Timestamp,
  UNDEFINED,
  type Value,
} from '../../../../embedded/bson/value';
import { hashValue, ValueSet } from '../../../../embedded/bson/valueset';
import { anyValue, numeric } from './arbitraries';
import { decimal, docOf } from './bridge';

const some = fc.oneof(anyValue, numeric);

describe('comparison order', () => {
  test('is antisymmetric: swapping turns the sign', () => {
    fc.assert(
      fc.property(some, some, (a, b) => expect(Math.sign(compare(a, b)) + Math.sign(compare(b, a))).toBe(0)),
      { numRuns: 1000 },
    );
  });

  test('is transitive', () => {
    fc.assert(
      fc.property(some, some, some, (a, b, c) => {
        const [min, middle, max] = [a, b, c].sort(compare) as [Value, Value, Value];
        expect(compare(min, middle)).toBeLessThanOrEqual(0);
        expect(compare(middle, max)).toBeLessThanOrEqual(0);
        expect(compare(min, max)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 1000 },
    );
  });

  test('survives the codec', () => {
    fc.assert(
      fc.property(some, (value) => expect(compare(decode(encode(new Map([['v', value]]))).get('v'), value)).toBe(0)),
    );
  });

  test('equal values have equal hashes', () => {
    fc.assert(
      fc.property(some, some, (a, b) => {
        if (equals(a, b)) expect(hashValue(a)).toEqual(hashValue(b));
      }),
      { numRuns: 2000, examples: [['', new BsonSymbol('')]] },
    );
    const ones = new ValueSet([1, double(1), 1n, decimal('1.00')]);
    expect(ones.size).toBe(1);
  });

  test('puts the types in the order of MongoDB', () => {
    const ordered: (Value | undefined)[] = [
      MIN_KEY,
      UNDEFINED,
      null,
      Number.NaN,
      -1,
      '',
      new Map(),
      [],
      docOf({ v: Buffer.from('x') }).get('v'),
      new ObjectId('000000000000000000000001'),
      false,
      true,
      new Date(0),
      new Timestamp(1n),
      new Regex('a', ''),
      MAX_KEY,
    ];
    for (let index = 1; index < ordered.length; index++)
      expect(compare(ordered[index - 1], ordered[index])).toBeLessThan(0);
  });
});

describe('numbers compare by exact value', () => {
  test.each<[Value, Value, number]>([
    [2 ** 53, 2n ** 53n + 1n, -1],
    [double(2 ** 63), 2n ** 63n - 1n, 1],
    [decimal('0.1'), 0.1, -1],
    [decimal('1.50'), 1.5, 0],
    [decimal('9007199254740993'), 2n ** 53n + 1n, 0],
    [decimal('9007199254740993'), 2 ** 53, 1],
    [decimal('1E+6000'), Number.POSITIVE_INFINITY, -1],
    [decimal('Infinity'), Number.POSITIVE_INFINITY, 0],
    [decimal('NaN'), Number.NaN, 0],
    [Number.NaN, -(2n ** 63n), -1],
    [-0, 0, 0],
    [decimal('-0'), 0n, 0],
    [decimal('1E-6176'), 5e-324, -1],
  ])('%s and %s', (a, b, expected) => {
    expect(Math.sign(compare(a, b))).toBe(expected);
    expect(Math.sign(compare(b, a)) + expected).toBe(0);
  });
});

describe('strings', () => {
  test('compare by UTF-8 bytes, not by UTF-16 units', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(Math.sign(compareStrings(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
    expect(compareStrings('\uffff', '😀')).toBeLessThan(0);
  });
});

describe('decimal text', () => {
  test.each([
    '0',
    '-0',
    '1',
    '1.50',
    '0.001',
    '1E+3',
    '1.5E+10',
    '1E-7',
    '-1.234567890123456789012345678901234E+6144',
    '9.999E-6143',
    'NaN',
    'Infinity',
    '-Infinity',
  ])('%s is written as it was read', (text) => {
    expect(String(decimal(text))).toBe(text);
  });

  test('agrees with the driver on any text', () => {
    const { Decimal128: Reference } = jest.requireActual<typeof import('bson')>('bson');
    const spelled = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.bigInt({ min: 0n, max: 10n ** 34n - 1n }),
        fc.integer({ min: -6176, max: 6111 }),
      )
      .map(([sign, digits, exponent]) => `${sign}${digits}E${exponent}`);
    fc.assert(
      fc.property(spelled, (text) => {
        expect(String(decimal(text))).toBe(String(Reference.fromString(text)));
      }),
    );
  });
});
