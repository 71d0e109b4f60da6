import * as fc from 'fast-check';
import { decode } from '../../../../embedded/bson/decode';
import { encode } from '../../../../embedded/bson/encode';
import type { Doc, Value } from '../../../../embedded/bson/value';
import { elements, elementValue, locate, validateBson } from '../../../../embedded/store/raw-bson';
import { anyValue } from './values';

const document = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c', '\u00e9', '__proto__'), anyValue), { maxLength: 4 })
  .map((members): Doc => new Map(members));

const nested = (levels: number): Doc => {
  let value: Doc = new Map();
  for (let i = 1; i < levels; i++) value = new Map<string, Value>([['a', value]]);
  return value;
};

describe('validateBson', () => {
  test('accepts the output of the encoder', () => {
    fc.assert(fc.property(document, (doc) => validateBson(encode(doc))));
  });

  test('answers code 22 or passes for any damaged byte, and never fails otherwise', () => {
    fc.assert(
      fc.property(document, fc.nat(), fc.nat(255), (doc, position, byte) => {
        const bytes = encode(doc);
        bytes[position % bytes.length] = byte;
        try {
          validateBson(bytes);
        } catch (error) {
          expect([15, 22]).toContain((error as { code: number }).code);
          return;
        }
        // What passed can be walked without leaving the buffer.
        for (const element of elements(bytes)) elementValue(bytes, element);
      }),
      { numRuns: 2_000 },
    );
  });

  test('refuses documents cut short', () => {
    const bytes = encode(
      new Map<string, Value>([
        ['a', 'text'],
        ['b', [1, 2]],
      ]),
    );
    for (let length = 0; length < bytes.length; length++)
      expect(() => validateBson(bytes.subarray(0, length))).toThrow(/invalid BSON/);
  });

  test('accepts 180 levels and rejects 181', () => {
    validateBson(encode(nested(180)));
    expect(() => validateBson(encode(nested(181)))).toThrow(expect.objectContaining({ code: 15 }));
  });
});

test('elements gives each field with its value', () => {
  fc.assert(
    fc.property(document, (doc) => {
      const bytes = encode(doc);
      const found = elements(bytes).map((element) => [element.name, elementValue(bytes, element)]);
      expect(found).toEqual([...decode(bytes)]);
    }),
  );
});

describe('locate', () => {
  const bytes = encode(
    new Map<string, Value>([
      ['a', new Map<string, Value>([['b', 7]])],
      ['list', [new Map([['b', 1]])]],
    ]),
  );
  const at = (path: string): string =>
    locate(
      bytes,
      path.split('.').map((part) => Buffer.from(part)),
      { type: 0, at: 0 },
    );

  test.each([
    ['a', 'value'],
    ['a.b', 'value'],
    ['a.c', 'missing'],
    ['a.b.c', 'missing'],
    ['x', 'missing'],
    ['list', 'array'],
    ['list.b', 'array'],
  ])('%s is a %s', (path, found) => {
    expect(at(path)).toBe(found);
  });
});
