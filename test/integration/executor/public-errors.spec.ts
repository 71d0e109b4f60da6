import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../../lib/json';
import { openSite, type Reply, send, type Site, type User } from './site';

let site: Site;
let ann: User;
let port: number;
let workflow: string;
let key: string;

/** A port of this machine at which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

beforeAll(async () => {
  site = await openSite({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  ann = await site.user();
  port = await closedPort();
  const get: Json = { id: 'get', type: 'http_request', config: { url: `http://127.0.0.1:${port}/` } };
  workflow = await ann.workflow([get]);
  key = String((await ann.request('POST', `/api/v1/workflows/${workflow}/api-keys`, { name: 'k' })).body.key);
  const chat = { slug: 'broken', title: 'Broken' };
  expect((await ann.request('POST', `/api/v1/workflows/${workflow}/chat-deployments`, chat)).status).toBe(201);
});
afterAll(() => site?.close());

const hides = ({ body, status }: Reply): string => {
  expect(JSON.stringify(body)).not.toContain('127.0.0.1');
  expect(JSON.stringify(body)).not.toContain(String(port));
  expect(JSON.stringify(body)).not.toMatch(/connect|refused/i);
  expect(status).toBe(500);
  expect(body).toMatchObject({ code: 'execution_failed', error: 'The run failed', request_id: expect.any(String) });
  return String(body.execution_id);
};

test.each([
  ['a synchronous webhook', () => send(site.t, 'POST', `/webhooks/${workflow}/sync`, {})],
  [
    'a call with a workflow key',
    () => send(site.t, 'POST', `/run/${workflow}?wait=1`, {}, { authorization: `Bearer ${key}` }),
  ],
  ['a chat', () => send(site.t, 'POST', '/public/chat/broken', { message: 'hello' })],
] as const)('%s is answered without the address that a step called; the tenant sees it in the run', async (_, ask) => {
  const run = await ann.get(hides(await ask()));
  expect(run).toMatchObject({ error: { message: expect.stringContaining('127.0.0.1') } });
});

test('the public status and stream of a run have codes and neutral sentences', async () => {
  const id = hides(await send(site.t, 'POST', `/webhooks/${workflow}/sync`, {}));
  const view = await send(site.t, 'GET', `/public/executions/${id}`);
  expect(view.body.error).toEqual({
    code: 'execution_failed',
    message: 'The run failed',
    request_id: expect.any(String),
  });
  const stream = await send(site.t, 'GET', `/public/executions/${id}/stream`);
  expect(stream.body.text).toContain('"code":"step_failed"');
  expect(stream.body.text).toContain('"code":"execution_failed"');
  expect(stream.body.text).not.toContain('127.0.0.1');
});
