import * as fc from 'fast-check';
import {
  Binary,
  dateOf,
  type Doc,
  double,
  MAX_KEY,
  MIN_KEY,
  ObjectId,
  Regex,
  Timestamp,
  type Value,
} from '../../../../embedded/bson/value';
import { decimal } from '../semantics/bridge';

const text = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom('', 'a', 'a\0', 'a\0b', 'ab', '\u00e9', '\ud83d\ude00', '\uffff'),
);

const decimals = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 34n - 1n }), fc.integer({ min: -400, max: 400 }))
  .map(([negative, digits, exponent]) => decimal(`${negative ? '-' : ''}${digits}E${exponent}`));

const near = fc.constantFrom<bigint>(0n, 1n, -1n, 2n ** 53n, -(2n ** 53n), 2n ** 62n, -(2n ** 63n) + 4n, 10n ** 15n);

/** Numbers of all four types that lie close together, where doubles alone cannot tell them apart. */
const numbers: fc.Arbitrary<Value> = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer(),
  fc.double().map(double),
  fc.integer({ min: -3, max: 3 }).map(double),
  fc.tuple(near, fc.integer({ min: -3, max: 3 })).map(([base, offset]) => base + BigInt(offset)),
  fc.tuple(near, fc.integer({ min: -3, max: 3 })).map(([base, offset]) => double(Number(base) + offset)),
  fc.tuple(near, fc.integer({ min: -9, max: 9 }), fc.integer({ min: -3, max: 0 })).map(([base, digit, exponent]) => {
    const value = base * 1000n + BigInt(digit);
    return decimal(`${value}E${exponent}`);
  }),
  fc.constantFrom(0.1, 0.2, 0.3, -0.1).map(double),
  fc.constantFrom(1n, 2n, 3n).map((digit) => decimal(`${digit}E-1`)),
  decimals,
);

const scalars: fc.Arbitrary<Value> = fc.oneof(
  { weight: 4, arbitrary: numbers },
  { weight: 4, arbitrary: text },
  fc.constantFrom<Value>(null, true, false, MIN_KEY, MAX_KEY),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(dateOf),
  fc.date({ noInvalidDate: true }),
  fc
    .constantFrom('000000000000000000000000', '0123456789abcdef01234567', 'ffffffffffffffffffffffff')
    .map((hex) => new ObjectId(hex)),
  fc
    .tuple(fc.uint8Array({ maxLength: 4 }), fc.constantFrom(0, 4, 128))
    .map(([bytes, subtype]) => new Binary(bytes, subtype)),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => new Timestamp(value)),
  fc
    .tuple(fc.constantFrom('a', 'ab', ''), fc.constantFrom('', 'i'))
    .map(([pattern, options]) => new Regex(pattern, options)),
);

const names = fc.constantFrom('a', 'b', 'ab', '');

/** Any BSON value, nested up to three levels. */
export const { value: anyValue } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 6, arbitrary: scalars },
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 3 }).map((members): Doc => new Map(members)),
  ),
}));
