import { compileSchema, type SchemaCheck } from '../../../../lib/json-schema';
import type { Json } from '../../../../lib/json';

const checkOf = (schema: unknown): SchemaCheck => {
  const compiled = compileSchema(schema);
  if (compiled.kind === 'refused') throw new Error(JSON.stringify(compiled.faults));
  return compiled.check;
};
const faults = (schema: unknown, value: Json): string[] =>
  checkOf(schema)(value).map(({ path, message }) => `${path}: ${message}`);

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2 },
    'e-mail': { format: 'email' },
    tags: { items: { type: 'string' } },
  },
  required: ['name'],
  additionalProperties: false,
};

// oxlint-disable-next-line unicorn/no-thenable -- the keyword's name
const conditional = { if: { required: ['a'] }, then: { required: ['b'] }, else: false };

test.each<[string, unknown, Json, string[]]>([
  ['a type', { type: 'string' }, 3, [': must be string, not number']],
  ['several types', { type: ['string', 'null'] }, [], [': must be string or null, not array']],
  ['a whole number', { type: 'integer' }, 1.5, [': must be integer, not number']],
  ['a missing member', person, {}, ['name: is required']],
  [
    'a member that is not known',
    person,
    { name: 'Ada', age: 3 },
    ['age: is not known here; known are name, e-mail, tags'],
  ],
  [
    'several at once, each with its place',
    person,
    { name: 'A', 'e-mail': 'no', tags: ['a', 1] },
    [
      'name: must have at least 2 characters',
      '["e-mail"]: must be an e-mail address',
      'tags[1]: must be string, not number',
    ],
  ],
  ['options', { enum: ['a', 2, { b: [1] }] }, 'c', [': must be one of "a", 2, {"b":[1]}']],
  [
    'many options, of which some are shown',
    { enum: Array.from({ length: 30 }, (_, n) => n) },
    99,
    [`: must be one of ${Array.from({ length: 20 }, (_, n) => n).join(', ')} and 10 more`],
  ],
  ['a constant', { const: { a: 1 } }, { a: 2 }, [': must be {"a":1}']],
  ['bounds', { minimum: 3, exclusiveMaximum: 5 }, 5, [': must be below 5']],
  ['multiples, decimal fractions too', { multipleOf: 0.1 }, 0.35, [': must be a multiple of 0.1']],
  ['a pattern', { pattern: '^a+$' }, 'ab', [': must match "^a+$"']],
  [
    'alternatives',
    { anyOf: [{ type: 'null' }, { minimum: 3 }] },
    2,
    [': has none of the allowed forms: null, or another form'],
  ],
  [
    'one alternative too many',
    { oneOf: [true, { minimum: 1 }] },
    2,
    [': has 2 of the allowed forms, and must have one'],
  ],
  ['what is forbidden', { not: { type: 'null' } }, null, [': has a form that is not allowed']],
  ['a condition', conditional, { a: 1 }, ['b: is required']],
  ['its other branch', conditional, {}, [': is not allowed']],
  ['members that go together', { dependentRequired: { a: ['b'] } }, { a: 1 }, ['b: is required with a']],
  ['names of members', { propertyNames: { pattern: '^[a-z]+$' } }, { A: 1 }, ['A: has a name that is not allowed']],
  [
    'equal items',
    { uniqueItems: true },
    [{ a: 1, b: 2 }, 3, { b: 2, a: 1 }],
    [': must have no two equal items; 0 and 2 are equal'],
  ],
  [
    'items that must be there',
    { contains: { type: 'null' }, minContains: 2 },
    [1, null],
    [': must have at least 2 items of the form that "contains" asks for'],
  ],
  [
    'items by their place',
    { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
    [1, 'a'],
    ['[0]: must be string, not number', '[1]: must be number, not string'],
  ],
  [
    'a form by reference',
    { $defs: { 'a/b': { type: 'null' } }, properties: { x: { $ref: '#/$defs/a~1b' } } },
    { x: 1 },
    ['x: must be null, not number'],
  ],
])('reports %s', (_, schema, value, expected) => {
  expect(faults(schema, value)).toEqual(expected);
});

test('a recursive schema checks a tree to its leaves', () => {
  const tree = { type: 'object', properties: { children: { items: { $ref: '#' } } }, required: ['id'] };
  const value = { id: 1, children: [{ id: 2, children: [{ children: [] }] }] };
  expect(faults(tree, value)).toEqual(['children[0].children[0].id: is required']);
});

test.each<[string, string, string]>([
  ['date-time', '2026-02-28T23:59:60.5+01:00', '2026-02-29T00:00:00Z'],
  ['date', '2028-02-29', '2026-02-29'],
  ['time', '00:00:00Z', '24:00:00Z'],
  ['email', 'a@b.example', 'a b@c'],
  ['hostname', 'a-b.example', '-a.example'],
  ['ipv4', '127.0.0.1', '127.0.0.256'],
  ['ipv6', '::1', '::g'],
  ['uri', 'https://a.example/b?c#d', '/b?c'],
  ['uuid', '2eb8aa08-aa98-11ea-b4aa-73b441d16380', '2eb8aa08-aa98-11ea-b4aa73b441d16380'],
])('the format %s is checked', (format, right, wrong) => {
  expect(faults({ format }, right)).toEqual([]);
  expect(faults({ format }, wrong)).toEqual([expect.stringContaining(': must be a')]);
  expect(faults({ format }, 3)).toEqual([]);
});

test('an unknown format is an annotation', () => {
  expect(faults({ format: 'iban' }, 'x')).toEqual([]);
});

test('paths begin with the root that the caller names', () => {
  expect(checkOf(person)({ name: 'Ada', x: 1 }, 'trigger.body')[0]?.path).toBe('trigger.body.x');
  expect(checkOf(person)([], 'trigger.body')[0]?.path).toBe('trigger.body');
});

test('at most twenty faults are reported', () => {
  expect(
    faults(
      { items: { type: 'null' } },
      Array.from({ length: 100 }, () => 1),
    ),
  ).toHaveLength(20);
});

test.each<[string, unknown, string]>([
  ['no schema', 3, ': a schema must be an object, not number'],
  [
    'a schema that is none, inside',
    { properties: { a: 'string' } },
    'properties.a: a schema must be an object, true or false, not string',
  ],
  [
    'a type that is none',
    { items: { type: 'text' } },
    'items.type: must be one or several of null, boolean, string, number, integer, array, object',
  ],
  [
    'a misspelt word',
    { requierd: ['a'] },
    'requierd: is not a supported keyword of JSON Schema; custom keywords begin with x-',
  ],
  [
    'a word that would be wrong to ignore',
    { unevaluatedProperties: false },
    'unevaluatedProperties: unevaluatedProperties is not available here',
  ],
  ['a list of names that is none', { required: 'a' }, 'required: must be a list of texts'],
  ['a count that is none', { minItems: -1 }, 'minItems: must be a whole number from 0'],
  ['no alternatives', { anyOf: [] }, 'anyOf: must be a list of schemas'],
  [
    'a regular expression that RE2 has not',
    { pattern: '(?=a)' },
    'pattern: is not a valid RE2 regular expression (no look-around, no back-references)',
  ],
  [
    'a reference elsewhere',
    { $ref: 'https://example.com/schema' },
    '$ref: must name a place in this schema, as "#/$defs/name"',
  ],
  ['a reference to nothing', { $ref: '#/$defs/a' }, '$ref: must name a place in this schema, as "#/$defs/name"'],
  [
    'a reference to itself',
    { $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } },
    '$defs.a: refers to itself for the same value',
  ],
])('refuses %s', (_, schema, expected) => {
  const compiled = compileSchema(schema);
  const reported = compiled.kind === 'refused' ? compiled.faults.map(({ path, message }) => `${path}: ${message}`) : [];
  expect(reported).toEqual([expected]);
});

test('unknown keywords are ignored in schemas from elsewhere, but unsupported ones are rejected', () => {
  expect(compileSchema({ strict: true, type: 'string' }, 'ignore').kind).toBe('usable');
  expect(compileSchema({ strict: true, type: 'string' }).kind).toBe('refused');
  expect(compileSchema({ $dynamicRef: '#a' }, 'ignore').kind).toBe('refused');
});

test('equal schemas are compiled once', () => {
  const [first, second] = [
    { type: 'string', minLength: 1 },
    { minLength: 1, type: 'string' },
  ];
  expect(compileSchema(first)).toBe(compileSchema(second));
});
