import type { JsonObject } from '../../../lib/json';
import { auditService } from '../../../services/audit/audit.service';
import { connectionsService } from '../../../services/connections/connections.service';
import { startApp, type TestApp } from '../../support/app';
import { startProvider, type Provider } from '../../support/connectors/provider';
import { type Ask, executor, frontServices, newTenant, run, workflowOf } from '../custom-nodes/house';

const FEED = `<rss version="2.0"><channel><title>News</title><item><title>One</title><guid>1</guid></item></channel></rss>`;

let app: TestApp;
let shop: Provider;
let ann: Ask;
let member: Ask;
let bob: Ask;

beforeAll(async () => {
  app = await startApp({
    services: [...frontServices, executor, auditService, connectionsService],
    env: { EGRESS_ALLOW: '127.0.0.1' },
  });
  shop = await startProvider(({ url, method, headers, text }) => {
    if (url === '/feed') return { text: FEED, headers: { 'content-type': 'application/rss+xml' } };
    if (url === '/openapi.json') return { json: document() };
    return {
      json: { url, method, key: headers['x-key'] ?? null, sent: text === '' ? null : (JSON.parse(text) as JsonObject) },
    };
  });
  ({ owner: ann, member } = await newTenant(app));
  ({ owner: bob } = await newTenant(app));
});
afterAll(async () => {
  await app.close();
  await shop.close();
});

const document = (change: JsonObject = {}): JsonObject => ({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: '/api' }],
  paths: {
    '/orders/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'getOrder',
        summary: 'An order',
        parameters: [{ name: 'fields', in: 'query', schema: { type: 'array', items: { type: 'string' } } }],
      },
      put: {
        operationId: 'putOrder',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
        },
      },
    },
  },
  components: {
    schemas: { Order: { type: 'object', required: ['total'], properties: { total: { type: 'number' } } } },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
  },
  ...change,
});

/** A schema with members enough to fill a megabyte by a few hundred of it. */
const wide: JsonObject = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [`member_${n}`, { type: 'string', description: 'x'.repeat(80) }]),
  ),
};

const IMPORT = '/api/v1/connectors/import';
const importShop = (name: string, body: JsonObject = {}) =>
  ann('POST', IMPORT, { name, document: document(), base_url: `${shop.url}/api`, ...body });

test('connectors are listed with their actions, and in full where it is asked for', async () => {
  const { body } = await member('GET', '/api/v1/connectors');
  const rss = (body.data as JsonObject[]).find(({ name }) => name === 'rss') as JsonObject;
  expect(rss).toMatchObject({ auth: { required: false, oauth: null, fields: [] }, custom: false, revision: null });
  expect((rss.actions as JsonObject[])[0]).toMatchObject({ name: 'read', type: 'rss.read', effect: 'read' });
  expect((rss.actions as JsonObject[])[0]).not.toHaveProperty('input');
  const full = await member('GET', '/api/v1/connectors?include=schemas');
  expect(JSON.stringify(full.body)).toContain('"input":{"type":"object"');
  const one = await member('GET', '/api/v1/connectors/rss');
  expect((one.body.actions as JsonObject[])[0]).toMatchObject({
    input: { required: ['url'] },
    output: { type: 'object' },
  });
  expect((await member('GET', '/api/v1/connectors/unknown')).status).toBe(404);
});

test('an action is tried for real', async () => {
  const tried = await member('POST', '/api/v1/connectors/rss/actions/read/test', {
    input: { url: `${shop.url}/feed` },
  });
  expect(tried).toMatchObject({ status: 200, body: { status: 'completed', output: { title: 'News', count: 1 } } });
  expect(tried.body.duration_ms).toEqual(expect.any(Number));
  const failed = await member('POST', '/api/v1/connectors/rss/actions/read/test', {
    input: { url: `${shop.url}/other` },
  });
  expect(failed).toMatchObject({ status: 200, body: { status: 'failed', error: { code: 'invalid_response' } } });
});

test('an input that does not fit is refused with its path, an unknown action is not found', async () => {
  const wrong = await member('POST', '/api/v1/connectors/rss/actions/read/test', { input: { ulr: 'x' } });
  expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'input.url' }, { path: 'input.ulr' }] } });
  for (const path of ['rss/actions/burn', 'unknown/actions/read', '__proto__/actions/x'])
    expect((await member('POST', `/api/v1/connectors/${path}/test`, { input: {} })).status).toBe(404);
});

describe('the description of an API', () => {
  test('becomes a connector whose actions are steps', async () => {
    const made = await importShop('shop');
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'custom-shop', title: 'Shop', custom: true, revision: 1, left: [], base_url: `${shop.url}/api` },
    });
    const id = await workflowOf(ann, [
      { id: 'get', type: 'custom-shop.get_order', config: { id: 'a/../b?c', fields: ['x', 'y'] } },
      { id: 'put', type: 'custom-shop.put_order', config: { id: '7', body: { total: 3 } } },
    ]);
    const ended = await run(ann, id);
    expect(ended).toMatchObject({ status: 'completed' });
    const { body } = await ann('GET', `/api/v1/executions/${String(ended.id)}/detail`);
    expect((body.steps as JsonObject[]).map(({ output }) => output)).toEqual([
      { url: '/api/orders/a%2F..%2Fb%3Fc?fields=x&fields=y', method: 'GET', key: null, sent: null },
      { url: '/api/orders/7', method: 'PUT', key: null, sent: { total: 3 } },
    ]);
    const rows = await ann('GET', '/api/v1/node-types');
    expect((rows.body.data as JsonObject[]).map(({ type }) => type)).toContain('custom-shop.get_order');
  });

  test('is shown before it is stored', async () => {
    const body = { name: 'seen', document: document(), base_url: `${shop.url}/api` };
    const preview = await ann('POST', `${IMPORT}/preview`, body);
    expect(preview).toMatchObject({ status: 200, body: { name: 'custom-seen', revision: 1, left: [] } });
    expect((await ann('GET', '/api/v1/connectors/custom-seen')).status).toBe(404);
    expect((await member('POST', `${IMPORT}/preview`, body)).status).toBe(403);
    const { body: stored } = await importShop('seen');
    expect({ ...preview.body, request_id: null }).toEqual({ ...stored, request_id: null });
    expect(await ann('POST', `${IMPORT}/preview`, body)).toMatchObject({ status: 200, body: { revision: 2 } });
    expect(await ann('POST', `${IMPORT}/preview`, { name: 'seen' })).toMatchObject({ status: 400 });
  });

  test('gets credentials by a connection, which no record shows', async () => {
    await importShop('keyed');
    const key = 'k-0123456789abcdef';
    const made = await ann('POST', '/api/v1/connections', {
      connector: 'custom-keyed',
      name: 'keyed',
      credentials: { key },
    });
    expect(made).toMatchObject({ status: 201, body: { connector: 'custom-keyed', status: 'active' } });
    const step = { id: 'get', type: 'custom-keyed.get_order', config: { id: '7', connection: 'keyed' } };
    const ended = await run(ann, await workflowOf(ann, [step]));
    expect(shop.seen.at(-1)?.headers['x-key']).toBe(key);
    const { body } = await ann('GET', `/api/v1/executions/${String(ended.id)}/detail`);
    expect((body.steps as JsonObject[])[0]).toMatchObject({ status: 'completed', output: { key: '***' } });
    expect(JSON.stringify(body)).not.toContain(key);
    const nobodys = { ...step, config: { id: '7', connection: 'nobodys' } };
    expect(await run(ann, await workflowOf(ann, [nobodys]))).toMatchObject({ error: { code: 'unknown_connection' } });
  });

  test('gives agents tools', async () => {
    await importShop('tools');
    const { body } = await ann('GET', '/api/v1/node-types');
    const row = (body.data as JsonObject[]).find(({ type }) => type === 'custom-tools.get_order');
    expect(row).toMatchObject({
      custom: true,
      effect: 'read',
      tool: { name: 'custom_tools_get_order', parameters: { required: ['id'] } },
    });
  });

  test('is got from its address, against which its server is read', async () => {
    const made = await ann('POST', IMPORT, { name: 'got', url: `${shop.url}/openapi.json` });
    expect(made).toMatchObject({ status: 201, body: { base_url: `${shop.url}/api` } });
  });

  test('may be YAML', async () => {
    const text =
      'openapi: 3.1.0\ninfo: {title: T}\nservers: [{url: "https://api.example.com/v1"}]\npaths:\n  /ping:\n    get: {operationId: ping}\n';
    const made = await ann('POST', IMPORT, { name: 'yaml', document: text });
    expect(made).toMatchObject({
      status: 201,
      body: { base_url: 'https://api.example.com/v1', actions: [{ name: 'ping' }] },
    });
  });

  test('replaces the one of its name, for steps too', async () => {
    await importShop('twice');
    const id = await workflowOf(ann, [{ id: 'get', type: 'custom-twice.get_order', config: { id: '7' } }]);
    expect(await run(ann, id)).toMatchObject({ output: { url: '/api/orders/7' } });
    const again = await importShop('twice', { base_url: `${shop.url}/v2` });
    expect(again.body).toMatchObject({ revision: 2 });
    expect(await run(ann, id)).toMatchObject({ output: { url: '/v2/orders/7' } });
  });

  test('is forgotten; its steps fail, and cannot be saved', async () => {
    await importShop('brief');
    const steps = [{ id: 'get', type: 'custom-brief.get_order', config: { id: '7' } }];
    const id = await workflowOf(ann, steps);
    expect((await ann('DELETE', '/api/v1/connectors/custom-brief')).status).toBe(204);
    expect((await ann('DELETE', '/api/v1/connectors/custom-brief')).status).toBe(404);
    expect(await run(ann, id)).toMatchObject({ status: 'failed', error: { code: 'unknown_type' } });
    await expect(workflowOf(ann, steps)).rejects.toThrow('unknown step type');
  });

  test('belongs to its tenant alone', async () => {
    await importShop('private');
    expect((await bob('GET', '/api/v1/connectors/custom-private')).status).toBe(404);
    expect((await bob('DELETE', '/api/v1/connectors/custom-private')).status).toBe(404);
    expect(JSON.stringify((await bob('GET', '/api/v1/connectors')).body)).not.toContain('custom-private');
    const tried = await bob('POST', '/api/v1/connectors/custom-private/actions/get_order/test', { input: { id: '7' } });
    expect(tried.status).toBe(404);
    await expect(workflowOf(bob, [{ id: 'a', type: 'custom-private.get_order', config: { id: '7' } }])).rejects.toThrow(
      'unknown step type',
    );
  });

  test('is imported by admins alone, and on record', async () => {
    expect((await member('POST', IMPORT, { name: 'no', document: document() })).status).toBe(403);
    await importShop('audited');
    const { body } = await ann('GET', '/api/v1/audit?action=connector.import&limit=1');
    expect((body.data as JsonObject[])[0]).toMatchObject({
      action: 'connector.import',
      target: { name: 'custom-audited' },
    });
  });

  test.each<[string, JsonObject, string]>([
    ['neither url nor document', { document: null as never }, 'Send either'],
    ['both', { url: 'https://example.com' }, 'Send either'],
    ['no description of an API', { document: { a: 1 } }, 'is no description of an API'],
    ['text that is nothing', { document: '%: [' }, 'is neither JSON nor YAML'],
    ['a base that is no URL', { base_url: 'ftp://x' }, 'base_url'],
    ['a name that is taken by the built-in form', { name: 'custom-x' }, "'name'"],
  ])('%s is refused in words', async (_, change, words) => {
    const { status, body } = await importShop('refused', change);
    expect(status).toBe(400);
    expect(body.error).toContain(words);
  });

  test('has its place among those of its tenant, and no more than that', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [
        `/p${n}`,
        {
          post: { description: 'd'.repeat(1_000), requestBody: { content: { 'application/json': { schema: wide } } } },
        },
      ]),
    );
    const statuses: number[] = [];
    for (let n = 0; n < 12 && statuses.at(-1) !== 409; n += 1)
      statuses.push((await importShop(`large-${n}`, { document: document({ paths }) })).status);
    expect(statuses.at(-1)).toBe(409);
    // What is there already can be replaced all the same.
    expect((await importShop('large-0', { document: document({ paths }) })).status).toBe(201);
    for (let n = 0; n < statuses.length; n += 1) await ann('DELETE', `/api/v1/connectors/custom-large-${n}`);
  });

  test('at a blocked address is not fetched', async () => {
    const { status, body } = await ann('POST', IMPORT, { name: 'inside', url: 'http://127.0.0.2/openapi.json' });
    expect({ status, error: body.error }).toEqual({
      status: 400,
      error: expect.stringContaining('is not a public address'),
    });
  });

  test('whose server is at a blocked address has steps that fail', async () => {
    await importShop('metadata', { base_url: 'http://127.0.0.2' });
    const tried = await ann('POST', '/api/v1/connectors/custom-metadata/actions/get_order/test', {
      input: { id: 'x' },
    });
    expect(tried.body).toMatchObject({ status: 'failed', error: { code: 'connector_blocked' } });
  });
});
