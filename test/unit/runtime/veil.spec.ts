import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../lib/json';
import { disguises } from '../../../runtime/rules/disguises';
import { hideMarks, Veil } from '../../../runtime/rules/veil';

const CODE = 'c0dec0dec0dec0de';

function veil(secrets: Record<string, string>): Veil {
  const made = new Veil(() => CODE);
  made.learn(new Map(Object.entries(secrets)));
  return made;
}

const secret = fc.string({ minLength: 3, maxLength: 24, unit: 'grapheme' }).filter((text) => text.trim().length >= 3);

/** JSON in which the given texts stand anywhere: alone, inside texts, as keys, in disguise, as numbers. */
const jsonWith = (values: readonly string[]): fc.Arbitrary<Json> => {
  const forms = values.flatMap((value) => [value, ...disguises(value)]);
  const text = fc
    .array(fc.oneof(fc.constantFrom(...forms), fc.string()), { maxLength: 4 })
    .map((parts) => parts.join(''));
  const numbers = values.map(Number).filter((number) => Number.isFinite(number));
  const leaf = fc.oneof(
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    ...(numbers.length > 0 ? [fc.constantFrom(...numbers)] : []),
  );
  return fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(text, tie('json'), { maxKeys: 3 }),
    ),
  })).json;
};

describe('a veil', () => {
  it('gives back what it sealed, wherever secrets stood', () => {
    const cases = fc
      .array(fc.oneof(secret, fc.integer({ min: 1_000 }).map(String)), { minLength: 1, maxLength: 4 })
      .chain((values) => fc.tuple(fc.constant(values), jsonWith(values)));
    fc.assert(
      fc.property(cases, ([values, json]) => {
        const made = veil(Object.fromEntries(values.map((value, index) => [`S${index}`, value])));
        expect(made.open(made.seal(json))).toEqual(json);
      }),
      { numRuns: 1_000 },
    );
  });

  it('leaves no value and no form of it, sealed or masked', () => {
    const cases = fc
      .array(
        secret.filter((text) => !/[s3cret:n.0-9⟦⟧*]/i.test(text)),
        { minLength: 1, maxLength: 3 },
      )
      .chain((values) => fc.tuple(fc.constant(values), jsonWith(values)));
    fc.assert(
      fc.property(cases, ([values, json]) => {
        // Names that hold no letter of a value, so that a mark itself is no find.
        const made = veil(Object.fromEntries(values.map((value, index) => [`S${index}`, value])));
        const texts = [
          ...textsOf(made.seal(json)),
          ...textsOf(made.mask(json)),
          ...textsOf(made.mask(made.seal(json))),
        ];
        for (const text of texts) for (const value of values) expect(text.includes(value)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  const SECRET = 'p@ss wörd/+"1';

  it.each([
    ['as it is', SECRET],
    ['percent-encoded', encodeURIComponent(SECRET)],
    ['percent-encoded in lower case', encodeURIComponent(SECRET).toLowerCase()],
    ['in a form', new URLSearchParams({ v: SECRET }).toString().slice(2)],
    ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
  ])('masks a value %s', (_, form) => {
    const made = veil({ KEY: SECRET });
    expect(made.maskText(`<${form}>`)).toBe('<***>');
    expect(JSON.stringify(made.seal({ v: `<${form}>` }))).not.toContain(form);
    expect(made.open(made.seal({ v: `<${form}>` }))).toEqual({ v: `<${form}>` });
  });

  it('takes a value for the secret that has it now, not for one that had it once', () => {
    const made = veil({ KEY: 'old-value' });
    made.learn(
      new Map([
        ['KEY', 'new-value'],
        ['OTHER', 'old-value'],
      ]),
    );
    expect(made.open(made.seal('old-value'))).toBe('old-value');
  });

  it.each(['user:', 'u:', 'us:', ''])('masks a value in base64 after "%s"', (before) => {
    const made = veil({ KEY: 'correct-horse-battery' });
    for (const encoding of ['base64', 'base64url'] as const) {
      const header = `Basic ${Buffer.from(`${before}correct-horse-battery`).toString(encoding)}`;
      const masked = made.maskText(header);
      expect(masked).toContain('***');
      const left = Buffer.from(masked.slice(6).replace('***', ''), encoding).toString();
      expect(left).not.toContain('orse');
      expect(made.open(made.seal(header))).toBe(header);
    }
  });

  it('takes the newest value after a change, and still covers the old one', () => {
    const made = veil({ KEY: 'old-value' });
    const sealed = made.seal({ auth: 'Bearer old-value' });
    made.learn(new Map([['KEY', 'new-value']]));
    expect(made.open(sealed)).toEqual({ auth: 'Bearer new-value' });
    expect(made.maskText('old-value new-value')).toBe('*** ***');
  });

  it('opens marks without having sealed: the code is the run, not the object', () => {
    const sealed = veil({ KEY: 'hunter22' }).seal({ v: 'hunter22', n: 1 });
    expect(veil({ KEY: 'hunter22' }).open(sealed)).toEqual({ v: 'hunter22', n: 1 });
    expect(new Veil(() => CODE).open(sealed)).toEqual(sealed);
    expect(veil({ OTHER: 'x-x-x-x' }).open(sealed)).toEqual(sealed);
  });

  it('is not fooled by text that looks like a mark', () => {
    const made = veil({ KEY: 'hunter22' });
    const forged = ['⟦secret:KEY:0000⟧', '⟦secret:KEY⟧', `⟦secret:NONE:${CODE}⟧`, `⟦secret:KEY.99:${CODE}⟧`];
    for (const text of forged) expect(made.open(text)).toBe(text);
  });

  it('hides marks of any run from whoever knows no values', () => {
    const sealed = veil({ KEY: 'hunter22', PIN: '471147' }).seal({
      a: 'x hunter22',
      b: 471147,
      hunter22: [encodeURIComponent('hunter22')],
    });
    expect(hideMarks(sealed)).toEqual({ a: 'x ***', b: '***', '***': ['***'] });
    expect(new Veil(() => 'another').maskText('⟦secret:KEY:abc⟧')).toBe('***');
  });

  it('masks numbers and keys, and leaves short values alone', () => {
    const made = veil({ PIN: '471147', AB: 'ab' });
    expect(made.mask({ pin: 471147, 'k-471147': 1, ab: 'ab' })).toEqual({ pin: '***', 'k-***': 1, ab: 'ab' });
  });

  it('keeps what has nothing to hide as it is, and keys that are dangerous elsewhere', () => {
    const made = veil({ KEY: 'hunter22' });
    const plain: JsonObject = { a: [1, { b: 'c' }] };
    expect(made.seal(plain)).toBe(plain);
    const odd = JSON.parse('{"__proto__": "hunter22", "constructor": "hunter22"}') as JsonObject;
    const opened = made.open(made.seal(odd));
    expect(Object.keys(opened as JsonObject)).toEqual(['__proto__', 'constructor']);
    expect(JSON.stringify(opened)).toBe(JSON.stringify(odd));
  });

  it('covers values as long, and as many, as the vault takes', () => {
    const long = Array.from({ length: 4 }, () => randomBytes(32 * 1024).toString('hex'));
    const many = Array.from({ length: 3_000 }, () => randomBytes(16).toString('hex'));
    const values = [...long, ...many];
    const made = veil(Object.fromEntries(values.map((value, index) => [`S${index}`, value])));
    expect(made.maskText(values.join(' '))).toBe(values.map(() => '***').join(' '));
    const text = values.map((value) => `user:${Buffer.from(value).toString('base64')}`).join(' ');
    expect(made.open(made.seal(text))).toBe(text);
  });

  it('without any secret changes nothing but marks', () => {
    const made = new Veil(() => CODE);
    expect(made.seal({ a: 1 })).toEqual({ a: 1 });
    expect(made.mask({ a: 'b' })).toEqual({ a: 'b' });
    made.learn(new Map([['EMPTY', '']]));
    expect(made.seal('x')).toBe('x');
  });
});

function textsOf(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Array.isArray(value)
    ? value.flatMap(textsOf)
    : Object.entries(value).flatMap(([key, member]) => [key, ...textsOf(member)]);
}
