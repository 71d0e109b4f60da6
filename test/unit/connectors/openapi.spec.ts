import fc from 'fast-check';
import type { JsonObject } from '../../../lib/json';
import { compileSchema } from '../../../lib/json-schema';
import { importedConnector } from '../../../nodes/connectors/imported';
import { nodesOf } from '../../../nodes/connectors/node';
import { readOpenApi, type ReadOpenApi } from '../../../services/connectors/openapi/read';

const around = { name: 'shop', title: null, baseUrl: 'https://api.example.com/v1', url: null };
const read = (paths: unknown, more: JsonObject = {}): ReadOpenApi =>
  readOpenApi({ openapi: '3.0.0', info: { title: 'Shop' }, paths, ...more }, around);

function connectorIn(found: ReadOpenApi) {
  if (found.kind !== 'connector') throw new Error(found.message);
  return importedConnector({ ...found.connector, revision: 1 }, found.connector.actions);
}
const request = (found: ReadOpenApi, input: JsonObject) => {
  const [action] = connectorIn(found).actions;
  if (action?.kind !== 'http') throw new Error('no action');
  return action.request(input, { credentials: {} }, { idempotencyKey: 'k', now: 0 });
};
const operation = (parameters: JsonObject[]) => ({ get: { operationId: 'op', parameters } });

test('operations get names of their own, from their ids or their paths', () => {
  const found = read({
    '/a': { get: { operationId: 'listAllPets' }, post: { operationId: 'list-all-pets' }, head: {} },
    '/b/{id}/c': { delete: { parameters: [{ name: 'id', in: 'path', required: true }] } },
    '/c': { get: { operationId: '日本' } },
  });
  expect(connectorIn(found).actions.map(({ name }) => name)).toEqual([
    'list_all_pets',
    'list_all_pets_2',
    'head_a',
    'delete_b_id_c',
    'get_c',
  ]);
});

test('what an operation does follows from its method', () => {
  const found = read({
    '/a': Object.fromEntries(['get', 'post', 'put', 'patch', 'delete'].map((method) => [method, {}])),
  });
  expect(connectorIn(found).actions.map(({ effect, repeatable }) => [effect, repeatable])).toEqual([
    ['read', true],
    ['write', false],
    ['write', true],
    ['write', false],
    ['write', true],
  ]);
});

test.each<[string, JsonObject, unknown, object]>([
  ['a list is repeated', { name: 't', in: 'query' }, ['a', 'b'], { query: { t: ['a', 'b'] } }],
  ['a list is joined', { name: 't', in: 'query', explode: false }, ['a', 'b'], { query: { t: 'a,b' } }],
  ['an object is deep', { name: 'f', in: 'query', style: 'deepObject' }, { a: 1 }, { query: { 'f[a]': '1' } }],
  ['an object is spread', { name: 'f', in: 'query' }, { a: 1 }, { query: { a: '1' } }],
  ['a header is a header', { name: 'X-Page', in: 'header' }, 3, { headers: { 'x-page': '3' } }],
  ['a cookie is a cookie', { name: 's', in: 'cookie' }, 'a b', { headers: { cookie: 's=a%20b' } }],
])('%s', (_, parameter, value, expected) => {
  const found = read({ '/a': operation([parameter]) });
  expect(request(found, { [String(parameter.name).replace('-', '_')]: value as never })).toMatchObject(expected);
});

test.each(['..', '.', ''])('a value of the path cannot be %j', (id) => {
  const found = read({ '/a/{id}/b': operation([{ name: 'id', in: 'path' }]) });
  expect(() => request(found, { id })).toThrow('path');
});

test.each(['../../admin', 'x?y=1#z', 'a/b', '%2e%2e', '\r\nHost: evil'])(
  'a value of the path stays in its part: %j',
  (id) => {
    const { url } = request(read({ '/a/{id}/b': operation([{ name: 'id', in: 'path' }]) }), { id });
    expect(new URL(`https://api.example.com${url}`).pathname.split('/')).toHaveLength(4);
    expect(url).not.toMatch(/[\s?#]/);
  },
);

test.each(['//evil.example/x', '/a/../b', '/a/%2e%2E/b', 'a', '/a b', '/a\\b', '/{a', '/x#y'])(
  'the path %j is left out and reported',
  (path) => {
    const found = read({ [path]: { get: {} }, '/fine': { get: {} } });
    expect(connectorIn(found).actions).toHaveLength(1);
    expect(found.kind === 'connector' && found.left).toHaveLength(1);
  },
);

test.each(['Host', 'Content-Length', 'Authorization', 'Transfer-Encoding', 'Cookie', 'Content-Type', 'X\r\nY'])(
  'a document cannot set the header %j',
  (name) => {
    const found = read({ '/a': operation([{ name, in: 'header' }]) });
    const [action] = connectorIn(found).actions;
    expect(Object.keys(action?.input ?? {})).toEqual([]);
  },
);

test('a value of a header cannot begin another one', () => {
  const found = read({ '/a': operation([{ name: 'X-Page', in: 'header' }]) });
  expect(() => request(found, { X_Page: 'a\r\nHost: evil' })).toThrow('forbidden character');
});

test('schemas that refer to themselves are cut', () => {
  const schemas = {
    Tree: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
      },
    },
    A: { $ref: '#/components/schemas/B' },
    B: { $ref: '#/components/schemas/A' },
  };
  const body = (name: string) => ({
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  });
  const found = read(
    { '/a': { post: { requestBody: body('Tree') }, put: { requestBody: body('A') } } },
    { components: { schemas } },
  );
  for (const node of nodesOf(connectorIn(found))) expect(compileSchema(node.input).kind).toBe('usable');
});

test('a document that expands without end is read partly and quickly', () => {
  // Each schema has two of the next: thirty of them are a thousand million.
  const names = Array.from({ length: 30 }, (_, n) => `S${n}`);
  const both = (n: number) => ({
    allOf: [1, 2].map(() => ({ $ref: `#/components/schemas/S${n + 1}` })),
    type: 'object',
  });
  const schemas = Object.fromEntries(names.map((name, n) => [name, both(n)]));
  const paths = Object.fromEntries(
    Array.from({ length: 400 }, (_, n) => [
      `/p${n}`,
      { post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } } } },
    ]),
  );
  const before = performance.now();
  const found = read(paths, { components: { schemas } });
  expect(performance.now() - before).toBeLessThan(5_000);
  expect(connectorIn(found).actions).toHaveLength(400);
  expect(JSON.stringify(found).length).toBeLessThan(4_000_000);
});

test('aliases of YAML that double each other are bounded', () => {
  const lines = ['openapi: 3.0.0', 'a0: &a0 {type: string}'];
  for (let n = 1; n < 40; n += 1)
    lines.push(`a${n}: &a${n} {type: object, properties: {x: *a${n - 1}, y: *a${n - 1}}}`);
  lines.push(
    'paths:',
    '  /a:',
    '    post:',
    '      requestBody:',
    '        content:',
    '          application/json:',
    '            schema: *a39',
  );
  const before = performance.now();
  const found = readOpenApi(lines.join('\n'), around);
  expect(performance.now() - before).toBeLessThan(5_000);
  expect(['connector', 'fault']).toContain(found.kind);
});

test('of a thousand operations five hundred are imported, and the rest is reported', () => {
  const paths = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`/p${n}`, { get: {} }]));
  const found = read(paths);
  expect(connectorIn(found).actions).toHaveLength(500);
  expect(found.kind === 'connector' && found.left.join()).toContain('500 are the most');
});

test('Swagger 2.0 is read: its host, its bodies, its forms, its keys', () => {
  const found = readOpenApi(
    {
      swagger: '2.0',
      host: 'old.example.com',
      basePath: '/v2',
      schemes: ['https'],
      securityDefinitions: { api_key: { type: 'apiKey', in: 'query', name: 'key' } },
      paths: {
        '/a': {
          post: { operationId: 'body', parameters: [{ name: 'order', in: 'body', schema: { type: 'object' } }] },
          put: { operationId: 'form', parameters: [{ name: 'x', in: 'formData', type: 'string', required: true }] },
        },
        '/b': { post: { parameters: [{ name: 'f', in: 'formData', type: 'file' }] } },
      },
    },
    { ...around, baseUrl: null },
  );
  const connector = connectorIn(found);
  const account = { credentials: { api_key: 'k' } };
  expect(connector.base(account)).toBe('https://old.example.com/v2');
  expect(connector.sign({ method: 'GET', url: '/a' }, account).query).toEqual({ key: 'k' });
  const [body, form] = connector.actions.map((action) =>
    action.kind === 'http' ? action.request({ body: { x: '1' } }, account, { idempotencyKey: 'k', now: 0 }) : null,
  );
  expect(String(body?.body)).toBe('{"x":"1"}');
  expect(form).toMatchObject({ form: true, body: { x: '1' } });
  expect(found.kind === 'connector' && found.left).toEqual(['POST /b: its body is of a kind that cannot be sent']);
});

test('any document can be read, and its connector can be used', () => {
  const words = [
    'openapi',
    'paths',
    'get',
    'post',
    'parameters',
    'name',
    'in',
    'schema',
    '$ref',
    'type',
    'properties',
    'required',
    'requestBody',
    'content',
    'application/json',
    'allOf',
    'enum',
    'items',
    '__proto__',
    'components',
    'securitySchemes',
    '/a',
    '/a/{id}',
  ];
  const values = fc.oneof(
    fc.constantFrom(...words, 'query', 'path', 'object', 'array', '#/paths', '#/components', 'id'),
    fc.jsonValue(),
  );
  const tree = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 6 },
      values,
      fc.dictionary(fc.constantFrom(...words), tie('node'), { maxKeys: 6 }),
      fc.array(tie('node'), { maxLength: 3 }),
    ),
  })).node;
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom('/a', '/a/{id}', '/b'),
        fc.dictionary(fc.constantFrom('get', 'post', 'parameters'), tree),
      ),
      tree,
      (paths, components) => {
        const found = read(paths, { components: components as never });
        if (found.kind === 'fault') return;
        for (const node of nodesOf(connectorIn(found))) expect(compileSchema(node.input).kind).toBe('usable');
      },
    ),
    { numRuns: 200 },
  );
});

describe('an expensive document is read quickly:', () => {
  const many = <T>(length: number, of: (n: number) => T): T[] => Array.from({ length }, (_, n) => of(n));
  const X = { $ref: '#/x' };
  const operations = (more: JsonObject) => Object.fromEntries(many(500, (n) => [`/p${n}`, { post: more }]));
  const asking = (schema: JsonObject) =>
    operations({ parameters: many(100, (n) => ({ name: `p${n}`, in: 'query', schema })) });
  const members = Object.fromEntries(many(50_000, (n) => [`p${n}`, {}]));

  test.each<[string, JsonObject, JsonObject]>([
    ['values', asking(X), { x: { enum: many(200_000, (n) => n) } }],
    ['names of members', asking(X), { x: { properties: { a: {} }, required: many(200_000, () => 'b') } }],
    ['types', asking(X), { x: { type: many(200_000, () => 'string') } }],
    ['forms', asking(X), { x: { anyOf: many(200_000, () => ({})) } }],
    ['parts', asking(X), { x: { allOf: many(200_000, () => ({})) } }],
    ['members', asking(X), { x: { properties: members } }],
    ['blanks', asking(X), { x: { description: ' '.repeat(4_000_000) } }],
    ['a reference', asking({ $ref: `#${'/x'.repeat(1_000_000)}` }), { x: {} }],
    ['kinds of bodies', operations({ requestBody: X }), { x: { content: members } }],
    [
      'fields of a parameter',
      operations({ parameters: many(100, () => X) }),
      { x: { ...members, name: 'a', in: 'query' } },
    ],
    ['operations that cannot be used', Object.fromEntries(many(200_000, (n) => [`${n}`, { get: {}, put: {} }])), {}],
  ])('%s without end', (_what, paths, more) => {
    const before = performance.now();
    expect(['connector', 'fault']).toContain(read(paths, more).kind);
    expect(performance.now() - before).toBeLessThan(20_000);
  });
});

test('variables of a server that refer to each other are replaced once', () => {
  const variables = Object.fromEntries(
    Array.from({ length: 9 }, (_, n) => [`v${n}`, { default: `{v${n + 1}}`.repeat(40) }]),
  );
  const document = {
    openapi: '3.1.0',
    paths: { '/a': { get: {} } },
    servers: [{ url: 'https://a.example.com/{v0}', variables }],
  };
  const found = readOpenApi(document, { ...around, baseUrl: null });
  expect(JSON.stringify(found).length).toBeLessThan(10_000);
});
