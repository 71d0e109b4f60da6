import fc from 'fast-check';
import { hashJson, type Json } from '../../../../lib/json';
import { hashJsonSliced } from '../../../../lib/json/hash-sliced';
import { faultOffset } from '../../../../lib/json/json-fault';
import { JsonError, type JsonLimits } from '../../../../lib/json/limits';
import { parseInParts, parseJsonNow, parseJsonSliced } from '../../../../lib/json/parse-sliced';
import { jsonParts, stringifyJsonSliced } from '../../../../lib/json/stringify-sliced';

const NO_LIMITS: JsonLimits = { depth: 100_000, values: 1e9, members: 1e9, unicode: false };
const MIB = 1024 * 1024;

async function refusalOf(work: Promise<unknown>) {
  try {
    await work;
  } catch (fault) {
    if (fault instanceof JsonError) return fault.refusal;
    throw fault;
  }
  throw new Error('It was taken');
}

/** Key order and prototypes count as well. */
function expectSame(value: unknown, wanted: unknown): void {
  expect(JSON.stringify(value)).toBe(JSON.stringify(wanted));
  expect(value).toEqual(wanted);
}

const key = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'a', 'b', '0', '7', '10', '4294967295', '', '"\\', 'ü', '😀'),
  fc.string({ maxLength: 12 }),
);
const scalar = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.double().map((number) => (Number.isFinite(number) ? number : 0)),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
/** Values with the text of numbers and blanks as people may write them, and names that occur twice. */
const jsonText = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar.map((value) => JSON.stringify(value)),
    fc.constantFrom(
      '1E400',
      '-0',
      '0.1e-7',
      '123456789012345678901234567890',
      '"\\u0061\\ud83d\\ude00\\/"',
      '"\\ud800"',
    ),
    fc.array(tie('value')).map((items) => `[${items.join(' ,\n')}]`),
    fc
      .array(fc.tuple(key, tie('value')))
      .map((members) => `{ ${members.map(([name, text]) => `${JSON.stringify(name)}\t: ${text}`).join(',')}}`),
  ),
})).value;
const partLength = fc.constantFrom(1, 2, 7, 40, 1_000);

describe('JSON parsed in parts', () => {
  it('equals the result of JSON.parse, for any parts', async () => {
    await fc.assert(
      fc.asyncProperty(jsonText, partLength, async (text, length) => {
        expectSame(await parseInParts(text, NO_LIMITS, length), JSON.parse(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is refused if JSON.parse refuses it, with the offset of the fault', async () => {
    const damaged = fc
      .tuple(
        jsonText,
        fc.nat(),
        fc.nat(3),
        fc.constantFrom('', ',', '[', '}', ']', '{', ':', '"', '\\', 'x', '1', ' ', '\n', 'null'),
      )
      .map(([text, at, cut, extra]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + extra + text.slice(place + cut);
      });
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(damaged, partLength, async (text, length) => {
        let wanted: unknown;
        try {
          wanted = JSON.parse(text);
        } catch {
          refused += 1;
          expect(await refusalOf(parseInParts(text, NO_LIMITS, length))).toMatchObject({
            kind: 'syntax',
            offset: faultOffset(text),
          });
          return;
        }
        expectSame(await parseInParts(text, NO_LIMITS, length), wanted);
      }),
      { numRuns: 2_000 },
    );
    expect(refused).toBeGreaterThan(200);
  });

  it.each([
    [
      'small objects',
      `[${Array.from({ length: 60_000 }, (_, n) => `{"id":${n},"name":"n${n}","tags":["a","b"]}`).join(',')}]`,
    ],
    ['one object of many members', `{${Array.from({ length: 60_000 }, (_, n) => `"key${n}":${n}`).join(',')}}`],
    ['a long string', JSON.stringify({ a: 'x"\\\n'.repeat(MIB / 4), b: [1] })],
    ['a long string of escapes', `["${'\\u00e4\\ud83d\\ude00'.repeat(MIB / 18)}"]`],
    ['a long string of backslashes', JSON.stringify('\\'.repeat(MIB))],
    ['a long name', `{"${'k'.repeat(MIB)}":{"a":"${'v'.repeat(MIB)}"}}`],
    ['a long number', `[${'1'.repeat(MIB)}]`],
    ['blanks', `${' '.repeat(MIB)}[${'\n'.repeat(MIB)}1]${'\t'.repeat(MIB)}`],
    ['nesting', `${`[{"b":"${'b'.repeat(100)}","a":`.repeat(1_000)}1${'}]'.repeat(1_000)}`],
    [
      'names that occur twice',
      `{"a":[${'1,'.repeat(50_000)}1],"b":1,"a":[${'2,'.repeat(50_000)}2],"__proto__":[${'3,'.repeat(50_000)}3]}`,
    ],
    ['text of several bytes a character', JSON.stringify(Array.from({ length: 20_000 }, () => 'Grüße 😀 一二三'))],
  ])('accepts %s of more than a part', async (_, text) => {
    const bytes = Buffer.from(text);
    const value = await parseJsonSliced(bytes, NO_LIMITS);
    expect(JSON.stringify(value) === JSON.stringify(JSON.parse(text))).toBe(true);
    expect(Object.getPrototypeOf(value)).toBe(Object.getPrototypeOf(JSON.parse(text)));
  });

  it.each([
    ['['.repeat(6 * MIB), { kind: 'depth', limit: 64 }],
    ['{"a":'.repeat(MIB), { kind: 'depth', limit: 64 }],
    [`[${'0,'.repeat(1_000_000)}0]`, { kind: 'values', limit: 1_000_000 }],
    [`[${'[],'.repeat(1_000_000)}0]`, { kind: 'values', limit: 1_000_000 }],
    [`{${Array.from({ length: 400_000 }, (_, n) => `"k${n}":${n}`).join(',')}}`, { kind: 'members', limit: 30_000 }],
    [`["\\ud83d${' '.repeat(MIB)}"]`, { kind: 'unicode' }],
    [`["\\ude00\\ud83d"]`, { kind: 'unicode' }],
    [`[${'1,'.repeat(100_000)}\n oops]`, { kind: 'syntax', offset: 200_003, line: 2, column: 2 }],
  ])('refuses %.20s by its limits', async (text, refusal) => {
    const limits = { depth: 64, values: 1_000_000, members: 30_000, unicode: true };
    expect(await refusalOf(parseJsonSliced(text, limits))).toEqual(refusal);
    expect(() => parseJsonNow(text, limits)).toThrow(JsonError);
  });

  it('counts the members of all arrays and objects, empty ones as none', async () => {
    const limits = { ...NO_LIMITS, values: 4 };
    for (const text of ['[[],[],{},[]]', '[1,[2,3]]', '{"a":{},"b":[[1]]}', '5'])
      expect(parseJsonNow(text, limits)).toEqual(JSON.parse(text));
    for (const text of ['[[],[],{},[],[]]', '[1,[2,3,4]]', '{"a":{},"b":[[1]],"c":[]}'])
      expect(() => parseJsonNow(text, limits)).toThrow(JsonError);
  });

  it('accepts surrogate pairs, and refuses bytes that are not UTF-8', async () => {
    const limits = { ...NO_LIMITS, unicode: true };
    expect(parseJsonNow('["\\ud83d\\ude00","\\\\ud83d","\\u00e4"]', limits)).toEqual(['😀', '\\ud83d', 'ä']);
    expect(await refusalOf(parseJsonSliced(Buffer.from([0x22, 0xff, 0x22]), limits))).toEqual({ kind: 'encoding' });
    expect(await parseJsonSliced(Buffer.from('\ufeff{"a":1}'), limits)).toEqual({ a: 1 });
  });
});

describe('JSON written in parts', () => {
  it('equals the result of JSON.stringify, for any parts', async () => {
    const value = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.constantFrom('\ud83d', '\ude00x', '😀😀😀😀'),
        fc.double(),
        fc.constantFrom(
          null,
          true,
          undefined,
          () => 1,
          Symbol('s'),
          new Date(0),
          new Date(Number.NaN),
          Object(1),
          Object('s'),
        ),
        fc.array(tie('value')),
        fc.dictionary(key, tie('value')),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(value, partLength, async (given, length) => {
        expect(await stringifyJsonSliced(given, length)).toBe(JSON.stringify(given));
      }),
      { numRuns: 1_000 },
    );
  });

  it('has parts of limited size, and refuses circular values', async () => {
    const value = {
      list: Array.from({ length: 50_000 }, (_, n) => ({ n, text: 'ü'.repeat(20) })),
      long: '😀'.repeat(MIB),
    };
    let longest = 0;
    let text = '';
    for await (const part of jsonParts(value)) {
      longest = Math.max(longest, part.length);
      text += part;
    }
    expect(text === JSON.stringify(value)).toBe(true);
    expect(longest).toBeLessThan(200_000);
    const circle: unknown[] = [];
    circle.push([circle]);
    await expect(stringifyJsonSliced(circle)).rejects.toThrow(TypeError);
  });
});

test('a hash in slices equals that of the whole', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      expect(await hashJsonSliced(value as Json)).toBe(hashJson(value as Json));
    }),
  );
  const large = Array.from({ length: 30_000 }, (_, n) => ({ b: n, a: [`x${n}`, {}, []], __proto__x: null }));
  expect(await hashJsonSliced(large)).toBe(hashJson(large));
});
