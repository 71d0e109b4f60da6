import { Writable } from 'node:stream';
import type { Json, JsonObject } from '../../../lib/json';
import { connectionsService } from '../../../services/connections/connections.service';
import { startApp, type TestApp } from '../../support/app';
import { until } from '../../support/until';
import { type Ask, asking, executor, frontServices, newTenant, run, workflowOf } from '../custom-nodes/house';
import { startServer, type TestServer } from '../nodes/server';

/** Each in a place of its own, so that a leak says where it is. */
const marks: string[] = [];
const mark = (place: string): string => {
  const made = `Xq9${place}Zk7`;
  marks.push(made);
  return made;
};

let app: TestApp;
let server: TestServer;
let ann: Ask;
const written: string[] = [];

beforeAll(async () => {
  server = await startServer((request, response) => {
    // As servers do that tell their callers what they have sent.
    response.statusCode = 401;
    response.end(JSON.stringify({ error: 'Wrong key', got: request.headers }));
  });
  app = await startApp({
    services: [...frontServices, connectionsService, executor],
    env: { EGRESS_ALLOW: '127.0.0.1', LOG_LEVEL: 'trace' },
    logTo: new Writable({
      write(line, _encoding, done) {
        written.push(String(line));
        done();
      },
    }),
  });
  ({ owner: ann } = await newTenant(app));
});
afterAll(async () => {
  await app?.close();
  await server?.close();
});

const post = (path: string, body: Json, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

test('no line of any level holds a credential, whatever was done with it', async () => {
  // Accounts.
  const account = { tenant_slug: 'acme', tenant_name: 'Acme', email: 'ann@example.com' };
  const registered = (await (
    await post('/api/v1/auth/register', { ...account, password: mark('Password') })
  ).json()) as JsonObject;
  marks.push(String(registered.token));
  await post('/api/v1/auth/login', { ...account, password: mark('WrongPassword') });
  const forged = `eyJhbGciOiJIUzI1NiJ9.${mark('Forged')}.${mark('Signature')}`;
  await post('/api/v1/secrets', { name: 'A', value: mark('RefusedSecret') }, { authorization: `Bearer ${forged}` });
  const { body: key } = await ann('POST', '/api/v1/api-keys', { name: 'k' });
  marks.push(String(key.key));
  await asking(app.url, String(key.key))('GET', '/api/v1/tenant');
  await asking(app.url, `${String(key.key)}x`)('GET', '/api/v1/tenant');
  // The vault, connections, and steps that fail with what they hold.
  await ann('POST', '/api/v1/secrets', { name: 'KEY', value: mark('Vault') });
  const connection = { connector: 'http', credentials: { token: mark('Credential'), password: mark('CredentialToo') } };
  await ann('POST', '/api/v1/connections', connection);
  const steps: Json[] = [
    {
      id: 'echoed',
      type: 'http_request',
      config: {
        url: `${server.url}/?api_key={{ secret.KEY }}`,
        headers: {
          authorization: `Bearer ${mark('Header')}`,
          cookie: `sid=${mark('Cookie')}`,
          'x-key': '{{ secret.KEY }}',
        },
      },
    },
    { id: 'address', type: 'http_request', config: { url: `http://user:${mark('Address')}@127.0.0.1:9/` } },
    {
      id: 'database',
      type: 'database_query',
      config: { driver: 'mysql', connection: `mysql://root:${mark('Database')}@127.0.0.1:9/db`, query: 'SELECT 1' },
    },
    {
      id: 'cache',
      type: 'redis',
      config: { connection: `redis://:${mark('Redis')}@127.0.0.1:9`, command: 'GET', args: ['a'] },
    },
    {
      id: 'first',
      type: 'log',
      config: { message: 'Key {{ secret.KEY }}', level: 'error', data: { key: '{{ secret.KEY }}' } },
    },
    {
      id: 'second',
      type: 'log',
      config: {
        message: `mongodb://root:${mark('Logged')}@db`,
        level: 'debug',
        data: { headers: { Cookie: mark('LoggedCookie') } },
      },
    },
    { id: 'thrown', type: 'code', config: { source: `throw new Error('password=${mark('Code')}')` } },
    { id: 'failed', type: 'fail', config: { message: 'It was {{ secret.KEY }}' } },
  ];
  for (const step of steps) {
    await run(ann, await workflowOf(ann, [step]), { password: mark('Trigger') });
  }
  // The outside.
  const { body: hook } = await ann('POST', '/api/v1/workflows', {
    name: 'Hook',
    dsl: { id: 'h', trigger: { type: 'http', config: {} }, steps: [{ id: 's', type: 'set', config: { x: 1 } }] },
  });
  const headers = {
    authorization: `Basic ${mark('Basic')}`,
    cookie: mark('HookCookie'),
    'x-api-key': mark('HookKey'),
    'x-hub-signature-256': mark('HubSignature'),
  };
  const path = `/webhooks/${String(hook.id)}`;
  await post(`${path}/sync?token=${mark('Query')}`, { password: mark('Body') }, headers);
  await post(`/run/${String(hook.id)}`, {}, { authorization: `Bearer evw_${mark('WorkflowKey')}` });
  await fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"password":"${mark('Broken')}`,
  });
  await post(`/api/v1/oauth/connections/${mark('Path')}/refresh`, {}, { authorization: 'Bearer x' });

  const text = written.join('');
  expect(text.length).toBeGreaterThan(10_000);
  expect(marks.filter((each) => text.includes(each))).toEqual([]);
  expect(marks.length).toBeGreaterThan(25);
});

test('every line is JSON that names its node, and those of a step are found by all its ids', async () => {
  const flow = await workflowOf(ann, [{ id: 'first', type: 'log', config: { message: 'Here I am', level: 'warn' } }]);
  const { id } = await run(ann, flow);
  const lines = await until('the line is written', () => {
    const all = written
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    return all.some(({ msg }) => msg === 'Here I am') ? all : null;
  });
  expect(
    lines.filter(
      ({ level, node, msg }) => typeof level !== 'number' || node !== app.app.nodeId || typeof msg !== 'string',
    ),
  ).toEqual([]);
  expect(lines.find(({ msg }) => msg === 'Here I am')).toMatchObject({
    level: 40,
    execution_id: id,
    workflow_id: flow,
    step_id: 'first',
    tenant_id: expect.any(String),
    request_id: expect.any(String),
  });
});
