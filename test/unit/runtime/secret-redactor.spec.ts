import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../lib/json';
import { encodedForms } from '../../../runtime/core/secrets/encoded-forms';
import { redactPlaceholders, SecretRedactor } from '../../../runtime/core/secrets/secret-redactor';

const CODE = 'c0dec0dec0dec0de';

function createRedactor(secrets: Record<string, string>): SecretRedactor {
  const redactor = new SecretRedactor(() => CODE);
  redactor.register(new Map(Object.entries(secrets)));
  return redactor;
}

const secret = fc.string({ minLength: 4, maxLength: 24, unit: 'grapheme' }).filter((text) => text.trim().length >= 4);

/** JSON with the given texts anywhere: alone, inside texts, as keys, encoded, as numbers. */
const jsonWith = (values: readonly string[]): fc.Arbitrary<Json> => {
  const forms = values.flatMap((value) => [value, ...encodedForms(value)]);
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

describe('a redactor', () => {
  it('restores what it tokenized, with secrets at any place', () => {
    const cases = fc
      .array(fc.oneof(secret, fc.integer({ min: 1_000 }).map(String)), { minLength: 1, maxLength: 4 })
      .chain((values) => fc.tuple(fc.constant(values), jsonWith(values)));
    fc.assert(
      fc.property(cases, ([values, json]) => {
        const redactor = createRedactor(Object.fromEntries(values.map((value, index) => [`S${index}`, value])));
        expect(redactor.detokenize(redactor.tokenize(json))).toEqual(json);
      }),
      { numRuns: 1_000 },
    );
  });

  it('leaves no value and no encoded form of it, tokenized or masked', () => {
    const cases = fc
      .array(
        secret.filter((text) => !/[s3cret:n.0-9⟦⟧*]/i.test(text)),
        { minLength: 1, maxLength: 3 },
      )
      .chain((values) => fc.tuple(fc.constant(values), jsonWith(values)));
    fc.assert(
      fc.property(cases, ([values, json]) => {
        // Names without letters of a value, so that a placeholder itself does not match.
        const redactor = createRedactor(Object.fromEntries(values.map((value, index) => [`S${index}`, value])));
        const texts = [
          ...textsOf(redactor.tokenize(json)),
          ...textsOf(redactor.redact(json)),
          ...textsOf(redactor.redact(redactor.tokenize(json))),
        ];
        for (const text of texts) for (const value of values) expect(text.includes(value)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('masks values of four characters and more, and no shorter ones', () => {
    const redactor = createRedactor({ LONG: 'abcd', SHORT: 'xyz' });
    expect(redactor.redact({ long: '<abcd>', short: '<xyz>' })).toEqual({ long: '<***>', short: '<xyz>' });
    expect(redactor.tokenize('xyz')).toBe('xyz');
  });

  it('keeps texts that equal a short secret by chance in outgoing data, tokenized or not', () => {
    const cases = fc
      .array(fc.oneof(fc.stringMatching(/^[a-z]{4,7}$/), fc.integer({ min: 1_000, max: 9_999 }).map(String)), {
        minLength: 1,
        maxLength: 3,
      })
      .chain((values) => fc.tuple(fc.constant(values), fc.array(fc.constantFrom(...values, '-11-23', 'at '))));
    fc.assert(
      fc.property(cases, ([values, parts]) => {
        const redactor = createRedactor(Object.fromEntries(values.map((value, index) => [`S${index}`, value])));
        // Encodings are not there by chance, except that of 3333 in 33333333.
        fc.pre(values.every((value) => !parts.join('').includes(Buffer.from(value).toString('hex'))));
        const data = { text: parts.join(''), [parts.join('')]: parts.map((part) => Number(part) || part) };
        expect(redactor.redactOutgoing(data)).toEqual(data);
        expect(redactor.redactOutgoing(redactor.tokenize(data))).toEqual(data);
      }),
      { numRuns: 300 },
    );
  });

  it('masks values and forms of eight characters and more in outgoing data, in slices too', async () => {
    const redactor = createRedactor({ YEAR: '2026', PIN: '12345678', KEY: 'hunter2-hunter2' });
    const form = Buffer.from('2026').toString('hex');
    const data = { date: '2026-11-23', pin: 12_345_678, auth: 'Bearer hunter2-hunter2', form };
    const masked = { date: '2026-11-23', pin: '***', auth: 'Bearer ***', form: '***' };
    for (const given of [data, redactor.tokenize(data)]) {
      expect(redactor.redactOutgoing(given)).toEqual(masked);
      const long = { given, filler: 'x 2026 hunter2-hunter2'.repeat(4_000) };
      expect(await redactor.redactOutgoingSliced(long)).toEqual({ given: masked, filler: 'x 2026 ***'.repeat(4_000) });
    }
  });

  it('redacts placeholders of unknown secrets in outgoing data', () => {
    const tokenized = createRedactor({ YEAR: '2026' }).tokenize({ date: '2026-11-23', year: 2026 });
    const hidden = { date: '***-11-23', year: '***' };
    expect(new SecretRedactor(() => CODE).redactOutgoing(tokenized)).toEqual(hidden);
    const deleted = createRedactor({ YEAR: '2026' });
    deleted.register(new Map(), ['YEAR']);
    expect(deleted.redactOutgoing(tokenized)).toEqual(hidden);
    const foreign = new SecretRedactor(() => 'another');
    foreign.register(new Map([['YEAR', '2026']]));
    expect(foreign.redactOutgoing(tokenized)).toEqual(hidden);
  });

  const SECRET = 'p@ss wörd/+"1';

  it.each([
    ['as it is', SECRET],
    ['percent-encoded', encodeURIComponent(SECRET)],
    ['percent-encoded in lower case', encodeURIComponent(SECRET).toLowerCase()],
    ['in a form', new URLSearchParams({ v: SECRET }).toString().slice(2)],
    ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
  ])('masks a value %s', (_, form) => {
    const redactor = createRedactor({ KEY: SECRET });
    expect(redactor.redactText(`<${form}>`)).toBe('<***>');
    expect(JSON.stringify(redactor.tokenize({ v: `<${form}>` }))).not.toContain(form);
    expect(redactor.detokenize(redactor.tokenize({ v: `<${form}>` }))).toEqual({ v: `<${form}>` });
  });

  it.each(['correct-horse-battery', 'CORRECT-HORSE-BATTERY'])('masks a value in another case: %s', (form) => {
    const redactor = createRedactor({ KEY: 'Correct-Horse-Battery', PIN: 'Pass' });
    expect(redactor.redactText(`<${form}> pass PASS`)).toBe('<***> pass PASS');
    expect(redactor.redactOutgoing({ v: form })).toEqual({ v: '***' });
    expect(redactor.detokenize(redactor.tokenize({ v: `<${form}>` }))).toEqual({ v: `<${form}>` });
  });

  it('assigns a value to the secret that has it now, not to one that had it before', () => {
    const redactor = createRedactor({ KEY: 'old-value' });
    redactor.register(
      new Map([
        ['KEY', 'new-value'],
        ['OTHER', 'old-value'],
      ]),
    );
    expect(redactor.detokenize(redactor.tokenize('old-value'))).toBe('old-value');
  });

  it.each(['user:', 'u:', 'us:', ''])('masks a value in base64 after "%s"', (before) => {
    const redactor = createRedactor({ KEY: 'correct-horse-battery' });
    for (const encoding of ['base64', 'base64url'] as const) {
      const header = `Basic ${Buffer.from(`${before}correct-horse-battery`).toString(encoding)}`;
      const masked = redactor.redactText(header);
      expect(masked).toContain('***');
      const left = Buffer.from(masked.slice(6).replace('***', ''), encoding).toString();
      expect(left).not.toContain('orse');
      expect(redactor.detokenize(redactor.tokenize(header))).toBe(header);
    }
  });

  it('uses the newest value after a change, and still redacts the old one', () => {
    const redactor = createRedactor({ KEY: 'old-value' });
    const tokenized = redactor.tokenize({ auth: 'Bearer old-value' });
    redactor.register(new Map([['KEY', 'new-value']]));
    expect(redactor.detokenize(tokenized)).toEqual({ auth: 'Bearer new-value' });
    expect(redactor.redactText('old-value new-value')).toBe('*** ***');
  });

  it('restores no placeholder of a deleted secret, until one of its name exists again', () => {
    const redactor = createRedactor({ KEY: 'hunter22', PIN: '471147' });
    const tokenized = redactor.tokenize({ auth: 'Bearer hunter22' });
    redactor.register(new Map([['PIN', '471147']]), ['KEY', 'PIN']);
    expect(() => redactor.detokenize(tokenized)).toThrow('There is no secret named KEY');
    expect(redactor.redactText('hunter22')).toBe('***');
    expect(redactor.detokenize(redactor.tokenize(471147))).toBe(471147);
    redactor.register(new Map([['KEY', 'newer-one']]), ['KEY']);
    expect(redactor.detokenize(tokenized)).toEqual({ auth: 'Bearer newer-one' });
  });

  it('restores placeholders of another instance with the same code', () => {
    const tokenized = createRedactor({ KEY: 'hunter22' }).tokenize({ v: 'hunter22', n: 1 });
    expect(createRedactor({ KEY: 'hunter22' }).detokenize(tokenized)).toEqual({ v: 'hunter22', n: 1 });
    expect(new SecretRedactor(() => CODE).detokenize(tokenized)).toEqual(tokenized);
    expect(createRedactor({ OTHER: 'x-x-x-x' }).detokenize(tokenized)).toEqual(tokenized);
  });

  it('ignores text that looks like a placeholder', () => {
    const redactor = createRedactor({ KEY: 'hunter22' });
    const forged = ['⟦secret:KEY:0000⟧', '⟦secret:KEY⟧', `⟦secret:NONE:${CODE}⟧`, `⟦secret:KEY.99:${CODE}⟧`];
    for (const text of forged) expect(redactor.detokenize(text)).toBe(text);
  });

  it('redacts placeholders of any run without knowing values', () => {
    const tokenized = createRedactor({ KEY: 'hunter22', PIN: '471147' }).tokenize({
      a: 'x hunter22',
      b: 471147,
      hunter22: [encodeURIComponent('hunter22')],
    });
    expect(redactPlaceholders(tokenized)).toEqual({ a: 'x ***', b: '***', '***': ['***'] });
    expect(new SecretRedactor(() => 'another').redactText('⟦secret:KEY:abc⟧')).toBe('***');
  });

  it('masks numbers and keys, but not short values', () => {
    const redactor = createRedactor({ PIN: '471147', AB: 'ab' });
    expect(redactor.redact({ pin: 471147, 'k-471147': 1, ab: 'ab' })).toEqual({ pin: '***', 'k-***': 1, ab: 'ab' });
  });

  it('keeps values without secrets, and keys like __proto__', () => {
    const redactor = createRedactor({ KEY: 'hunter22' });
    const plain: JsonObject = { a: [1, { b: 'c' }] };
    expect(redactor.tokenize(plain)).toBe(plain);
    const odd = JSON.parse('{"__proto__": "hunter22", "constructor": "hunter22"}') as JsonObject;
    const opened = redactor.detokenize(redactor.tokenize(odd));
    expect(Object.keys(opened as JsonObject)).toEqual(['__proto__', 'constructor']);
    expect(JSON.stringify(opened)).toBe(JSON.stringify(odd));
  });

  it('redacts values of the maximum length and number', () => {
    const long = Array.from({ length: 4 }, () => randomBytes(32 * 1024).toString('hex'));
    const many = Array.from({ length: 3_000 }, () => randomBytes(16).toString('hex'));
    const values = [...long, ...many];
    const redactor = createRedactor(Object.fromEntries(values.map((value, index) => [`S${index}`, value])));
    expect(redactor.redactText(values.join(' '))).toBe(values.map(() => '***').join(' '));
    const text = values.map((value) => `user:${Buffer.from(value).toString('base64')}`).join(' ');
    expect(redactor.detokenize(redactor.tokenize(text))).toBe(text);
  });

  it('without secrets changes only placeholders', () => {
    const redactor = new SecretRedactor(() => CODE);
    expect(redactor.tokenize({ a: 1 })).toEqual({ a: 1 });
    expect(redactor.redact({ a: 'b' })).toEqual({ a: 'b' });
    redactor.register(new Map([['EMPTY', '']]));
    expect(redactor.tokenize('x')).toBe('x');
  });
});

function textsOf(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Array.isArray(value)
    ? value.flatMap(textsOf)
    : Object.entries(value).flatMap(([key, member]) => [key, ...textsOf(member)]);
}
