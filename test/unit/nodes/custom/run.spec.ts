import type { Json, JsonObject } from '../../../../lib/json';
import { compileSchema } from '../../../../lib/json-schema';
import { CASE_KEY, CASE_SECRET, type ScriptedAnswer } from '../../../nodes/node-case';
import type { NodeContext, Outcome } from '../../../../nodes/contract';
import { authoringSchema, type CustomNode, customNode, readDefinition } from '../../../../nodes/custom';
import { httpRequestNode as httpRequest } from '../../../../nodes/http/http-request';
import { createContext, type RecordingContext } from '../context';

const URL_OF_IT = 'https://api.example.com/things';

function node(given: JsonObject): CustomNode {
  const found = readDefinition({ name: 'thing', request: { url: URL_OF_IT }, ...given });
  if (found.kind === 'faults') throw new Error(JSON.stringify(found.faults));
  return { ...found.definition, version: 3 };
}

interface Trial {
  input?: JsonObject;
  answer?: ScriptedAnswer;
  run?: Partial<ReturnType<NodeContext['run']>>;
}

async function run(
  given: JsonObject,
  { input = {}, answer = { status: 200 }, run: rest = {} }: Trial = {},
): Promise<{
  outcome: Outcome;
  ctx: RecordingContext;
}> {
  const ctx = createContext(input, [answer], {
    run: () => ({ trigger: {}, steps: {}, loop: null, ...rest }),
    secrets: async (names) => Object.fromEntries(names.map((name) => [name, CASE_SECRET])),
  });
  return { outcome: await customNode(node(given)).run(ctx), ctx };
}

const JSON_ANSWER = (body: Json): ScriptedAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

test('one request is sent, built from the fields, the secrets and the run', async () => {
  const { ctx } = await run(
    {
      config_fields: [{ name: 'city' }, { name: 'days', type: 'number', default: 3 }, { name: 'lang' }],
      request: {
        method: 'POST',
        url: `${URL_OF_IT}/{{ config.city | url_encode }}`,
        headers: { authorization: 'Bearer {{ secret.KEY }}', 'accept-language': '{{ config.lang }}' },
        json: {
          days: '{{ config.days }}',
          user: '{{ trigger.user }}',
          last: '{{ steps.before.n }}',
          item: '{{ loop.item }}',
        },
      },
    },
    {
      input: { city: 'São Paulo' },
      run: { trigger: { user: 'ada' }, steps: { before: { n: 7 } }, loop: { item: 'x', index: 0 } },
    },
  );
  expect(ctx.sent).toHaveLength(1);
  expect(ctx.sent[0]).toMatchObject({
    method: 'POST',
    url: `${URL_OF_IT}/S%C3%A3o%20Paulo`,
    // A field that is not set is null, and null leaves a header out.
    headers: { authorization: `Bearer ${CASE_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify({ days: 3, user: 'ada', last: 7, item: 'x' }),
    idempotencyKey: CASE_KEY,
  });
});

test('values of fields are data: expressions in them are not evaluated', async () => {
  const { ctx } = await run(
    { config_fields: [{ name: 'text' }], request: { url: URL_OF_IT, method: 'POST', body: '{{ config.text }}' } },
    { input: { text: '{{ secret.KEY }}' } },
  );
  expect(ctx.sent[0]).toMatchObject({ body: '{{ secret.KEY }}' });
});

test('outputs are read from the response by their paths; missing ones are null', async () => {
  const outputs: Json = [
    { name: 'first', path: 'body.items[0].id' },
    { name: 'last', path: '$.items[-1].id' },
    { name: 'short', path: 'items' },
    { name: 'status' },
    { name: 'type', path: "headers['content-type']" },
    { name: 'all', path: '$' },
    { name: 'missing', path: 'body.a.b.c' },
    { name: 'inherited', path: 'body.constructor' },
  ];
  const items = [{ id: 1 }, { id: 2 }];
  const { outcome } = await run({ outputs }, { answer: JSON_ANSWER({ items }) });
  expect(outcome).toEqual({
    kind: 'done',
    output: {
      first: 1,
      last: 2,
      short: items,
      status: 200,
      type: 'application/json',
      all: { items },
      missing: null,
      inherited: null,
    },
  });
});

test('without outputs the response is the output', async () => {
  const { outcome } = await run({}, { answer: JSON_ANSWER({ a: 1 }) });
  expect(outcome).toMatchObject({ kind: 'done', output: { status: 200, body: { a: 1 } } });
});

test.each([
  [404, false],
  [429, true],
  [503, true],
])('status %d fails the step like that of an http_request, retryable: %s', async (status, retryable) => {
  const { outcome } = await run({ outputs: [{ name: 'a' }] }, { answer: { status } });
  expect(outcome).toMatchObject({ kind: 'fail', error: { code: 'http_status' }, retryable });
});

test('every status completes the step if the definition allows it', async () => {
  const { outcome } = await run(
    { outputs: [{ name: 'status' }], request: { url: URL_OF_IT, fail_on_status: false } },
    { answer: { status: 404 } },
  );
  expect(outcome).toEqual({ kind: 'done', output: { status: 404 } });
});

test.each<[string, JsonObject, string, string]>([
  [
    'what is missing',
    { url: `${URL_OF_IT}/{{ steps.before.n }}` },
    'expression',
    'The request of custom-thing cannot be made',
  ],
  [
    'what is no header',
    { url: URL_OF_IT, headers: { a: '{{ steps }}' } },
    'invalid_config',
    'request.headers.a has none of the allowed forms',
  ],
])('%s fails the step permanently, and nothing is sent', async (_, request, code, message) => {
  const { outcome, ctx } = await run({ request });
  expect(outcome).toMatchObject({
    kind: 'fail',
    error: { code, message: expect.stringContaining(message) },
    retryable: false,
  });
  expect(ctx.sent).toEqual([]);
});

test('no error contains a secret', async () => {
  const request = { url: `https://{{ secret.HOST }}.example/`, headers: { a: '{{ secret.KEY + steps.missing.x }}' } };
  const { outcome } = await run({ request });
  expect(JSON.stringify(outcome)).not.toContain(CASE_SECRET);
  const failing = await run(
    { request: { url: 'https://{{ secret.HOST }}.example/' } },
    { answer: { status: 500, body: CASE_SECRET } },
  );
  expect(JSON.stringify(failing.outcome)).not.toContain(CASE_SECRET);
  expect(failing.outcome).toMatchObject({ kind: 'fail' });
});

describe('the type of a definition', () => {
  const FIELDS: Json = [
    { name: 'city', label: 'City', description: 'Where', required: true },
    { name: 'key', type: 'secret', required: true },
    { name: 'units', type: 'select', options: ['m', { value: 'i', label: 'Imperial' }], default: 'm', required: true },
  ];
  const type = customNode(node({ label: 'Thing', description: 'Gets a thing', config_fields: FIELDS }));
  const check = (schema: unknown, value: Json): string[] => {
    const compiled = compileSchema(schema);
    return (compiled.kind === 'refused' ? compiled.faults : compiled.check(value)).map(
      ({ path, message }) => `${path} ${message}`,
    );
  };

  test('reads or writes by its method, and lists its secrets', () => {
    const made = (request: JsonObject) => customNode(node({ request: { url: URL_OF_IT, ...request } }));
    expect([made({}).effect, made({ method: 'HEAD' }).effect, made({ method: 'DELETE' }).effect]).toEqual([
      'read',
      'read',
      'write',
    ]);
    expect(made({ headers: { a: '{{ secret.B }}{{ secret.A }}' } }).secrets).toEqual(['A', 'B']);
    expect(type).toMatchObject({
      version: 3,
      title: 'Thing',
      description: 'Gets a thing',
      onInterrupted: 'retry',
      secrets: [],
    });
  });

  test('accepts the fields of the definition and former ones', () => {
    expect(check(type.input, { city: 'x', key: 'k', gone: 1 })).toEqual([]);
    expect(check(type.input, { key: 'k' })).toEqual(['city is required']);
    expect(check(type.input, { city: 'x', key: 'k', units: 'f' })).toEqual(['units must be one of "m", "i"']);
  });

  test('is saved without unknown fields and plain secrets', () => {
    const schema = authoringSchema(node({ config_fields: FIELDS }).config_fields);
    expect(check(schema, { city: 'x', key: '{{ secret.NAME }}' })).toEqual([]);
    expect(check(schema, { city: 'x', key: 'hunter2', gone: 1 })).toEqual([
      'key must match "\\\\{\\\\{ *secret\\\\.NAME *\\\\}\\\\}"',
      'gone is not known here; known are city, key, units',
    ]);
    expect(schema.properties).toMatchObject({
      city: { title: 'City', description: 'Where' },
      key: { 'x-secret': true },
      units: { enum: ['m', 'i'], 'x-enum-titles': ['m', 'Imperial'], default: 'm' },
    });
  });

  test('is a tool for agents, which set all fields except secrets; a trigger is not a tool', () => {
    expect(type.tool).toMatchObject({ name: 'custom-thing', description: 'Gets a thing' });
    expect(Object.keys(type.tool?.parameters.properties as object)).toEqual(['city', 'units']);
    // Some providers refuse words that they do not know.
    expect(JSON.stringify(type.tool)).not.toContain('x-');
    expect(customNode(node({ kind: 'trigger' })).tool).toBeUndefined();
  });
});

test('values can be validated against the schema of requests', () => {
  expect(compileSchema(httpRequest.input)).toMatchObject({ kind: 'usable' });
});
