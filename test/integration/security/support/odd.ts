import fc from 'fast-check';

/** Texts that have broken programs before. */
const texts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '\ufeff',
  '\u202e',
  '\u2028',
  '💩',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '$where',
  'a.b',
  '..',
  '../../etc/passwd',
  '%00',
  '%2e%2e%2f',
  '{{ trigger }}',
  '{{ secret.ATTICUS_TOKEN }}',
  '{{',
  "' or 1=1 --",
  '<script>alert(1)</script>',
  '\r\nx-evil: 1',
  '=cmd()',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e999',
  '9'.repeat(400),
  'x'.repeat(70_000),
  'http://127.0.0.2/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  '2026-13-45T99:99:99Z',
  '+275761-01-01T00:00:00Z',
];

export const oddText = fc.oneof(fc.constantFrom(...texts), fc.string({ unit: 'binary', maxLength: 20 }));

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let n = 0; n < depth; n++) value = n % 2 === 0 ? [value] : { a: value };
  return value;
};

/** JSON values of every kind, most of them of the wrong one. Objects are made from text, so that each key is an own one. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    -0,
    0.1,
    1e308,
    2 ** 53,
    -(2 ** 63),
    {},
    [],
    [null],
    ['x', 'x'],
    [[[[]]]],
    { $gt: '' },
    { $ne: null },
    { $where: 'sleep(1000)' },
    { $set: { role: 'owner' } },
    { _bsontype: 'ObjectId', id: 'x' },
    { toJSON: 1, toString: 2, valueOf: 3 },
    JSON.parse('{"then":"x","length":1000000000}'),
    nested(30),
    nested(63),
    nested(200),
    Array.from({ length: 2_000 }, (_, n) => n),
    JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(oddText, oddText, { maxKeys: 3 }),
);

/** A change of a body: where (counted over all its members), and what is there afterwards. */
export type Edit = { readonly at: number } & (
  | { readonly kind: 'put'; readonly value: unknown }
  | { readonly kind: 'add'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'drop' }
  | { readonly kind: 'wrap' }
);

/** Names of fields that some action takes, or that an attacker might try. */
const KEYS = [
  ...[
    'id',
    'name',
    'tenant_id',
    'user_id',
    'role',
    'principal',
    'token',
    'address',
    'origin',
    'email',
    'password',
    'dsl',
  ],
  ...['limit', 'offset', 'cursor', 'status', 'output', 'path', 'execution_id', 'from_step', 'input', 'idempotency_key'],
  ...['__proto__', 'constructor', '$where', 'a.b', '', 'toString'],
];

const at = fc.nat(200);
export const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('put'), at, value: oddValue }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('add'), at, key: fc.constantFrom(...KEYS), value: oddValue }) },
  fc.record({ kind: fc.constant('drop'), at }),
  fc.record({ kind: fc.constant('wrap'), at }),
);

/** The value with an edit made; lists and objects are counted depth first. */
export function edited(root: unknown, change: Edit): unknown {
  let place = change.at % Math.max(1, membersIn(root));
  const walk = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const pairs = Object.entries(value).flatMap(([key, member]): [string, unknown][] =>
      place-- === 0 ? madeOf(key, member, change) : [[key, walk(member)]],
    );
    return Array.isArray(value) ? pairs.map(([, member]) => member) : Object.fromEntries(pairs);
  };
  return membersIn(root) === 0 ? Object.fromEntries(madeOf('a', 1, change)) : walk(root);
}

function madeOf(key: string, member: unknown, change: Edit): [string, unknown][] {
  switch (change.kind) {
    case 'put':
      return [[key, change.value]];
    case 'add':
      return [
        [key, member],
        [change.key, change.value],
      ];
    case 'drop':
      return [];
    case 'wrap':
      return [[key, [member]]];
  }
}

const membersIn = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.values(value).reduce<number>((sum, member) => sum + 1 + membersIn(member), 0);
