import { compileSchema, type CompiledSchema, SCHEMA_LIMITS } from '../../../../lib/json-schema';
import type { Json, JsonObject } from '../../../../lib/json';

/** Of the processor: far above what the slowest takes, far below what any of them would take unbounded. */
const BOUND_MS = 10_000;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const checked = (schema: unknown, value: Json): string[] => {
  const compiled = compileSchema(schema);
  return (compiled.kind === 'refused' ? compiled.faults : compiled.check(value)).map(({ message }) => message);
};
const messages = (compiled: CompiledSchema): string[] =>
  compiled.kind === 'refused' ? compiled.faults.map(({ message }) => message) : [];

const nested = (depth: number, inner: Json, wrap: (inner: Json) => Json): Json => {
  let value = inner;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
};
/** Schemas of which each applies the next one twice: as text they are small, applied they are 2^60. */
const doubling = (keyword: 'allOf' | 'anyOf' | 'oneOf'): JsonObject => ({
  $defs: Object.fromEntries([
    ...Array.from({ length: 60 }, (_, n) => [
      `s${n}`,
      { [keyword]: [{ $ref: `#/$defs/s${n + 1}` }, { $ref: `#/$defs/s${n + 1}` }] },
    ]),
    ['s60', { type: 'null' }],
  ]) as JsonObject,
  $ref: '#/$defs/s0',
});

const TOO_LONG = 'takes too long to check; use a simpler schema, or a smaller value';
const TOO_DEEP = 'is nested too deeply to be checked';
const deepList = nested(200_000, 1, (inner) => [inner]);

test.each<[string, unknown, Json, string]>([
  ['a pattern that makes others backtrack', { pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`, 'must match "^(a+)+$"'],
  ['one with nested alternatives', { pattern: '^(a|aa|a*)*b$' }, 'a'.repeat(20_000), 'must match "^(a|aa|a*)*b$"'],
  ['a large pattern on a large text', { pattern: '^(?:[a-z]{0,200}x){1,4}$' }, 'a'.repeat(1_000_000), TOO_LONG],
  [
    'patterns of names on many names',
    { patternProperties: { '^(x|y)*z{900}$': true } },
    Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`member ${n}`, n])),
    TOO_LONG,
  ],
  ['all of a power of two', doubling('allOf'), null, TOO_LONG],
  ['any of a power of two', doubling('anyOf'), 1, TOO_LONG],
  ['one of a power of two', doubling('oneOf'), null, TOO_LONG],
  ['recursion without an end in the value', { items: { $ref: '#' } }, deepList, TOO_DEEP],
  ['comparing what is nested without end', { uniqueItems: true }, [deepList], TOO_DEEP],
  [
    'comparing the large again and again',
    { items: { not: { enum: Array.from({ length: 50 }, (_, n) => [n]) } } },
    Array.from({ length: 200 }, () => Array.from({ length: 50_000 }, () => 1)),
    TOO_LONG,
  ],
  ['equal items among many', { uniqueItems: true }, Array.from({ length: 1_000_000 }, (_, n) => n), TOO_LONG],
  [
    'many conditions on many items',
    { allOf: Array.from({ length: 50 }, () => ({ contains: { contains: { contains: { const: 1 } } } })) },
    Array.from({ length: 300 }, () => Array.from({ length: 100 }, () => Array.from({ length: 50 }, () => 0))),
    TOO_LONG,
  ],
])('a check is bounded: %s', (_, schema, value, expected) => {
  const began = cpuMs();
  expect(checked(schema, value)).toContain(expected);
  expect(cpuMs() - began).toBeLessThan(BOUND_MS);
});

test.each<[string, unknown, string]>([
  ['a deep one', nested(SCHEMA_LIMITS.depth + 1, {}, (inner) => ({ items: inner })), 'is nested deeper than 64'],
  ['an endless one', nested(200_000, {}, (inner) => ({ items: inner })), 'is nested deeper than 64'],
  ['a large one', { description: 'x'.repeat(SCHEMA_LIMITS.text) }, 'is larger than 64 KiB'],
  ['many options', { enum: Array.from({ length: 100_000 }, (_, n) => n) }, 'is larger than 64 KiB'],
  ['many schemas', { allOf: Array.from({ length: 2_001 }, () => ({})) }, 'has more than 2000 schemas'],
  ['a long pattern', { pattern: 'a'.repeat(1_001) }, 'is longer than 1000 characters'],
  [
    'many patterns',
    { allOf: Array.from({ length: 100 }, (_, n) => ({ pattern: `a{900}${n}` })) },
    'has too many, or too large, regular expressions',
  ],
  [
    'a long chain to itself',
    {
      $defs: Object.fromEntries(
        Array.from({ length: 1_500 }, (_, n) => [`s${n}`, { $ref: `#/$defs/s${(n + 1) % 1_500}` }]),
      ),
      $ref: '#/$defs/s0',
    },
    'refers to itself for the same value',
  ],
])('a schema is bounded: %s', (_, schema, expected) => {
  const began = cpuMs();
  expect(messages(compileSchema(schema))).toContain(expected);
  expect(cpuMs() - began).toBeLessThan(BOUND_MS);
});

test('long names of members do not multiply', () => {
  const schema = { properties: { ['k'.repeat(50_000)]: { allOf: Array.from({ length: 1_900 }, () => ({})) } } };
  const began = cpuMs();
  expect(compileSchema(schema).kind).toBe('usable');
  expect(cpuMs() - began).toBeLessThan(BOUND_MS);
});

test('a long chain of references is followed', () => {
  const links = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`s${n}`, { $ref: `#/$defs/s${n + 1}` }]));
  const schema = { $defs: { ...links, s900: { type: 'null' } }, $ref: '#/$defs/s0' };
  expect(checked(schema, null)).toEqual([]);
  expect(checked(schema, 1)).toEqual(['must be null, not number']);
});

const PARSED = (text: string): Json => JSON.parse(text) as Json;

test('names of Object.prototype are ordinary names', () => {
  const schema = PARSED(
    '{"properties":{"__proto__":{"type":"null"},"constructor":{"type":"null"}},"required":["toString"]}',
  );
  expect(checked(schema, {})).toEqual(['is required']);
  expect(checked(schema, PARSED('{"__proto__":1,"constructor":1,"toString":1}'))).toEqual([
    'must be null, not number',
    'must be null, not number',
  ]);
  expect(checked(PARSED('{"$ref":"#/__proto__"}'), 1)).toEqual(['must name a place in this schema, as "#/$defs/name"']);
  expect(checked(PARSED('{"$ref":"#/constructor"}'), 1)).toEqual([
    'must name a place in this schema, as "#/$defs/name"',
  ]);
  expect(checked(PARSED('{"type":"constructor"}'), 1)[0]).toContain('must be one or several of');
  expect(checked(PARSED('{"format":"constructor"}'), 'a')).toEqual([]);
  expect(checked(PARSED('{"dependentRequired":{"__proto__":["x"]}}'), {})).toEqual([]);
  expect(checked(PARSED('{"additionalProperties":false}'), PARSED('{"__proto__":1}'))).toEqual(['is not known here']);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test.each([
  '"); process.exit(1); ("',
  '${process.exit(1)}',
  "'+process.exit(1)+'",
  '\u2028process.exit(1)',
  '`;throw 1;`',
])('text of a schema is not executed: %s', (text) => {
  const schema = {
    title: text,
    description: text,
    default: text,
    enum: [text],
    const: text,
    pattern: '^.*$',
    format: text,
    properties: { [text]: { const: text } },
    required: [text],
    dependentRequired: { [text]: [text] },
    $defs: { [text]: { const: text } },
  };
  expect(checked(schema, text)).toEqual([]);
});

test('no value makes it throw', () => {
  const schemas = [{ multipleOf: 1e-300 }, { enum: [null] }, { format: 'date' }, { maxLength: 1 }, { items: false }];
  const values: Json[] = [1e308, -0, 5e-324, '\ud800', '\ud83d\ude00', '', [], {}, [[]], null, '9999-99-99'];
  for (const schema of schemas) for (const value of values) expect(Array.isArray(checked(schema, value))).toBe(true);
  expect(checked({ maxLength: 1 }, '\ud83d\ude00')).toEqual([]);
});
