import fc from 'fast-check';

/** Strings that have broken programs before. */
export const oddText = fc.oneof(
  fc.constantFrom(
    '',
    '\u0000',
    'a\u0000b',
    '\ud800',
    'x\udfff',
    '\ufeff',
    '\u202e',
    '💩',
    '__proto__',
    'constructor',
    'toString',
    '$where',
    '$set',
    'a.b',
    '..',
    '{{',
    '{{ }}',
    '{{ steps }}',
    '{{ secret.TOKEN }}',
    "'; --",
    '<script>',
    '\r\nx-evil: 1',
    'null',
    '1e999',
    '9'.repeat(400),
    'x'.repeat(70_000),
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

export const oddValue = fc.oneof(
  { depthSize: 'small' },
  oddText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(null, true, -1, 0, 1e308, 2 ** 53, {}, [], { $ne: null }, [[[[[]]]]], { __proto__: null }),
  fc.dictionary(oddText, oddText, { maxKeys: 3 }),
);

const FIELDS = {
  id: oddText,
  tenant_slug: oddText,
  tenant_name: oddText,
  email: oddText,
  password: oddText,
  name: oddText,
  value: oddText,
  description: oddText,
  env: oddText,
  key: oddText,
  signal: fc.oneof(oddText, fc.constantFrom('go', 'approve-ask', 'approve-')),
  data: oddValue,
  rating: oddText,
  comment: oddText,
  from_step: oddText,
  input: oddValue,
  use_latest: oddValue,
  require_approval: oddValue,
  webhook_api_key: oddText,
  workflow: oddValue,
  format: oddText,
  dsl: oddValue,
  body: oddValue,
  ['__proto__']: oddValue,
};

/** The text of a body: mostly an object of known fields with odd values; sometimes broken. */
export const oddBody = fc.oneof(
  { weight: 6, arbitrary: fc.record(FIELDS, { requiredKeys: [] }).map((fields) => JSON.stringify(fields)) },
  { weight: 1, arbitrary: oddValue.map((value) => JSON.stringify(value)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '{',
      '{"__proto__":{"a":1}}',
      '{"a":1e999}',
      '['.repeat(5_000),
      '\ufeff{}',
      '{"a":1,"a":2}',
    ),
  },
);

const EXPRESSIONS = [
  '{{ trigger }}',
  '{{ trigger.body }}',
  '{{ steps.a }}',
  '{{ execution.id | upper }}',
  '{{ range(10000) }}',
  '{{ range(10000) | join | base64 }}',
  '{{ pad("x", 1000000) }}',
  '{{ match("aaaaaaaaaaaaaaaaaaaaaaaa!", "(a+)+$") }}',
  '{{ parse_json("[1,") }}',
  '{{ date("nonsense") }}',
  '{{ 1 / 0 }}',
  '{{ trigger.__proto__ }}',
  '{{ keys(trigger) | first }}',
  '{{ env }}',
];
const setting = fc.oneof(fc.constantFrom(...EXPRESSIONS), oddValue);
const settings = (names: string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, setting])), { requiredKeys: [] });

const CONFIGS: readonly (readonly [type: string, config: fc.Arbitrary<object>])[] = [
  ['set', settings(['x', 'y'])],
  ['set', fc.dictionary(oddText, setting, { maxKeys: 3 })],
  ['log', fc.record({ message: setting, data: setting })],
  ['fail', fc.record({ message: setting, code: setting }, { requiredKeys: ['message'] })],
  ['stop', fc.oneof(settings(['output']), settings(['error']))],
  ['webhook_response', settings(['status', 'body'])],
  ['webhook_response', fc.record({ headers: fc.dictionary(oddText, setting, { maxKeys: 3 }), body: setting })],
  ['http_request', fc.record({ url: setting, headers: fc.dictionary(oddText, setting, { maxKeys: 2 }) })],
  ['wait', fc.record({ until: setting })],
];
const step = (id: string) =>
  fc.constantFrom(...CONFIGS).chain(([type, config]) =>
    fc.record(
      {
        id: fc.oneof({ weight: 19, arbitrary: fc.constant(id) }, oddText),
        type: fc.constant(type),
        config,
        if: fc.constantFrom('{{ trigger.body }}', '{{ exists(trigger.body.x) }}', true),
        on_error: fc.constant('continue'),
      },
      { requiredKeys: ['id', 'type', 'config'] },
    ),
  );

/** Documents that are often valid, of a few steps with odd settings. */
export const oddDocument = fc
  .tuple(step('a'), step('b'), step('c'))
  .map((steps) => ({ id: 'odd', trigger: { type: 'http' }, steps }));
