import fc from 'fast-check';
import {
  Binary,
  BsonSymbol,
  Code,
  DBPointer,
  type Doc,
  dateOf,
  double,
  MAX_KEY,
  MIN_KEY,
  ObjectId,
  Regex,
  Timestamp,
  UNDEFINED,
  type Value,
} from '../../../../embedded/bson/value';
import { decimal } from './bridge';

const hex = (digits: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: digits, maxLength: digits }).map((all) => all.join(''));

const name = fc.oneof(fc.constantFrom('a', 'b', 'x', '0', '__proto__', 'constructor', ''), fc.string({ maxLength: 8 }));
const text = fc.string({ unit: 'grapheme', maxLength: 12 });
/** Names and patterns are stored with a zero byte at the end, so they hold none. */
const cstring = name.map((value) => value.replaceAll('\0', ''));

const objectId = hex(24).map((digits) => new ObjectId(digits));

/** Numbers that meet: small integers and halves in all four types, and the edges of each type. */
export const numeric: fc.Arbitrary<Value> = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer(),
  fc.integer({ min: -3, max: 3 }).map((value) => double(value)),
  fc.double().map((value) => double(value)),
  fc
    .constantFrom(-0, 0.5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 2 ** 63, 0.1)
    .map((value) => double(value)),
  fc.bigInt({ min: -3n, max: 3n }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(2n ** 53n + 1n, 2n ** 63n - 1n),
  fc
    .constantFrom(
      '1',
      '1.0',
      '1.5',
      '0.1',
      'NaN',
      'Infinity',
      '-0',
      '9007199254740993',
      '1E+6111',
      '1E-6176',
      '123.456E+20',
    )
    .map((spelled) => decimal(spelled)),
);

const scalar: fc.Arbitrary<Value> = fc.oneof(
  { weight: 4, arbitrary: numeric },
  { weight: 3, arbitrary: text },
  { weight: 2, arbitrary: fc.constantFrom<Value>(null, true, false, 'a', 'b', '') },
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(dateOf),
  fc.date({ noInvalidDate: true }),
  objectId,
  fc
    .tuple(fc.uint8Array({ maxLength: 6 }), fc.constantFrom(0, 2, 4, 128))
    .map(([bytes, subtype]) => new Binary(bytes, subtype)),
  fc.tuple(cstring, fc.constantFrom('', 'i', 'im')).map(([pattern, options]) => new Regex(pattern, options)),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => new Timestamp(value)),
  fc.constantFrom<Value>(MIN_KEY, MAX_KEY, UNDEFINED),
  text.map((code) => new Code(code)),
  text.map((code) => new Code(code, new Map<string, Value>([['scope', 1]]))),
  text.map((value) => new BsonSymbol(value)),
  fc.tuple(text, objectId).map(([namespace, id]) => new DBPointer(namespace, id)),
);

const nested = fc.letrec<{ value: Value; doc: Doc }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 4 }) as fc.Arbitrary<Value> },
    { weight: 1, arbitrary: tie('doc') },
  ),
  doc: fc.array(fc.tuple(cstring, tie('value')), { maxLength: 4 }).map((members) => new Map(members)),
}));

/** Any BSON value. */
export const anyValue: fc.Arbitrary<Value> = nested.value;

/** Any document. */
export const anyDoc: fc.Arbitrary<Doc> = nested.doc;

/** Few values and few names, so that filters and documents meet often. */
const plain: fc.Arbitrary<Value> = fc.constantFrom<Value>(
  null,
  0,
  1,
  2,
  double(1),
  1n,
  1.5,
  Number.NaN,
  'a',
  'b',
  true,
);

const meeting = fc.letrec<{ value: Value; doc: Doc }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    { weight: 3, arbitrary: plain },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }) as fc.Arbitrary<Value> },
    { weight: 2, arbitrary: tie('doc') },
  ),
  doc: fc
    .array(fc.tuple(fc.constantFrom('a', 'b', 'c', '0', '1'), tie('value')), { maxLength: 3 })
    .map((members) => new Map(members)),
}));

export const meetingValue: fc.Arbitrary<Value> = meeting.value;
export const meetingDoc: fc.Arbitrary<Doc> = meeting.doc;

const operatorDoc = (entry: fc.Arbitrary<[string, Value]>): fc.Arbitrary<Doc> =>
  fc.array(entry, { minLength: 1, maxLength: 2 }).map((members) => new Map(members));

const condition: fc.Arbitrary<[string, Value]> = fc.oneof(
  fc.tuple(fc.constantFrom('$eq', '$gt', '$gte', '$lt', '$lte', '$ne'), meetingValue),
  fc.tuple(fc.constantFrom('$in', '$nin', '$all'), fc.array(meetingValue, { maxLength: 3 }) as fc.Arbitrary<Value>),
  fc.tuple(fc.constant('$exists'), fc.boolean()),
  fc.tuple(fc.constant('$size'), fc.integer({ min: 0, max: 3 })),
  fc.tuple(fc.constant('$type'), fc.constantFrom('int', 'array', 'object', 'string', 'null')),
);

const conditions = operatorDoc(condition);
const path = fc.constantFrom('a', 'b', 'a.b', 'a.c', 'a.0', 'a.1', 'a.b.c', 'a.0.b', 'b.a');

/** Filters over the names and values of `meetingDoc`. */
export const anyFilter: fc.Arbitrary<Doc> = fc.letrec<{ filter: Doc }>((tie) => ({
  filter: fc
    .array(
      fc.oneof(
        { depthSize: 'small' },
        { weight: 5, arbitrary: fc.tuple(path, fc.oneof(meetingValue, conditions as fc.Arbitrary<Value>)) },
        {
          weight: 1,
          arbitrary: fc.tuple(
            fc.constantFrom('$and', '$or', '$nor'),
            fc.array(tie('filter'), { minLength: 1, maxLength: 2 }) as fc.Arbitrary<Value>,
          ),
        },
        {
          weight: 1,
          arbitrary: fc.tuple(
            path,
            fc.oneof(conditions, tie('filter')).map((inner): Value => new Map<string, Value>([['$elemMatch', inner]])),
          ),
        },
      ),
      { maxLength: 3 },
    )
    .map((members): Doc => new Map(members)),
})).filter;
