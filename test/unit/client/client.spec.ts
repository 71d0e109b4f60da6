import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, createClient, EverstepError, type ServerEvent } from '../../../clients/typescript/src';

type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void;

const dsl = { id: 'd', steps: [] };
let server: Server;
let client: Client;
let answers: Answer[];
const seen: { line: string; headers: IncomingMessage['headers']; body: string }[] = [];

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const refusal = (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  json(status, { error: `refused: ${code}`, code, request_id: 'r1' }, headers);
const events =
  (text: string, ends: boolean): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text, () => {
      // Cut off, or ended as it should be.
      if (ends) response.end();
      else response.destroy();
    });
  };

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      (answers.shift() as Answer)(response, request, body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  client = createClient({ baseUrl, token: () => 'evs_key', retry: { attempts: 3, firstMs: 1, longestMs: 5_000 } });
});
afterAll(() => void server.close());
beforeEach(() => {
  seen.length = 0;
  answers = [];
});

const faultOf = (promise: Promise<unknown>): Promise<EverstepError> =>
  promise.then(
    () => Promise.reject(new Error('It was not refused')),
    (fault: EverstepError) => fault,
  );

test('operations are called by name: path, query, body, credential', async () => {
  answers = [json(200, { data: [] }), json(201, { id: 'w' }), (response) => void response.writeHead(204).end()];
  expect(await client.workflows.list({ limit: 2 })).toEqual({ data: [] });
  expect((await client.workflows.create({ body: { name: 'a', dsl } })).id).toBe('w');
  expect(await client.secrets.remove({ name: 'A/B ?' })).toBeUndefined();
  expect(seen.map(({ line }) => line)).toEqual([
    'GET /api/v1/workflows?limit=2',
    'POST /api/v1/workflows',
    'DELETE /api/v1/secrets/A%2FB%20%3F',
  ]);
  expect(seen[1]?.headers).toMatchObject({ authorization: 'Bearer evs_key', 'content-type': 'application/json' });
  expect(seen[1]?.body).toBe('{"name":"a","dsl":{"id":"d","steps":[]}}');
});

test('a file keeps the slashes of its path, and is given as the answer that it is', async () => {
  answers = [(response) => void response.writeHead(206, { etag: '"x"' }).end('abc')];
  const response = await client.files.download({ exec_id: 'e', path: 'a b/c.txt', Range: 'bytes=0-2' });
  expect([seen[0]?.line, seen[0]?.headers.range]).toEqual([
    'GET /api/v1/workspaces/runs/e/files/a%20b/c.txt',
    'bytes=0-2',
  ]);
  expect([response.headers.get('etag'), await response.text()]).toEqual(['"x"', 'abc']);
});

test('a refusal is thrown with its code, details and request id', async () => {
  answers = [
    json(400, { error: 'wrong', code: 'invalid_dsl', details: [{ path: 'a', message: 'm' }], request_id: 'r7' }),
    (response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<html>'),
  ];
  const fault = await faultOf(client.workflows.create({ body: { name: 'a', dsl } }));
  expect(fault).toBeInstanceOf(EverstepError);
  expect(fault).toMatchObject({ status: 400, code: 'invalid_dsl', message: 'wrong', requestId: 'r7' });
  expect(fault.details).toEqual([{ path: 'a', message: 'm' }]);
  expect(await faultOf(client.workflows.get({ id: 'x' }))).toMatchObject({ status: 404, code: 'unknown' });
  await expect(client.workflows.get({ id: '' })).rejects.toThrow(TypeError);
});

test('what passes is tried again after the time that the server asks for, under the same key', async () => {
  answers = [refusal(503, 'unavailable'), (response) => void response.destroy(), json(201, { id: 'w' })];
  await client.workflows.create({ body: { name: 'a', dsl } });
  const keys = seen.map(({ headers }) => headers['idempotency-key']);
  expect([keys.length, new Set(keys).size, typeof keys[0]]).toEqual([3, 1, 'string']);
});

test('what may have been carried out, and has no key, is not repeated', async () => {
  answers = [refusal(503, 'unavailable')];
  expect(await faultOf(client.workflows.disable({ id: 'w' }))).toMatchObject({ code: 'unavailable' });
  answers = [refusal(429, 'rate_limited', { 'retry-after': '0' }), json(200, { id: 'w' })];
  await client.workflows.disable({ id: 'w' });
  expect(seen).toHaveLength(3);
});

test('a wait that is too long, or one attempt too many, is told', async () => {
  answers = [refusal(429, 'rate_limited', { 'retry-after': '60' })];
  expect(await faultOf(client.workflows.list())).toMatchObject({ code: 'rate_limited', retryAfterMs: 60_000 });
  answers = [refusal(503, 'unavailable'), refusal(503, 'unavailable'), refusal(503, 'unavailable')];
  expect(await faultOf(client.workflows.list())).toMatchObject({ code: 'unavailable' });
  expect(answers).toEqual([]);
  const gone = createClient({ baseUrl: 'http://127.0.0.1:1', retry: { attempts: 1 } });
  expect(await faultOf(gone.health.check_health())).toMatchObject({ status: 0, code: 'unreachable' });
});

test('a redirect is not followed with the credential', async () => {
  answers = [(response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()];
  expect(await faultOf(client.workflows.list())).toMatchObject({ status: 302, code: 'unknown' });
});

test('a stream goes on where it broke, until its end', async () => {
  answers = [
    events(': hello\n\nid: 1\nevent: status\ndata: {"a":\ndata: 1}\n\nid: 2\nevent: st', false),
    events('id: 2\r\nevent: step\r\ndata: {}\r\n\r\n', true),
    events('id: 3\nevent: end\ndata: {}\n\n', false),
  ];
  const heard: ServerEvent[] = [];
  for await (const event of client.executions.stream({ id: 'e' })) heard.push(event);
  expect(heard.map(({ id, event }) => `${id} ${event}`)).toEqual(['1 status', '2 step', '3 end']);
  expect(heard[0]?.data).toEqual({ a: 1 });
  expect(seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1', '2']);
});

test('a stream with nothing more to tell ends, and one that is given up stops', async () => {
  answers = [(response) => void response.writeHead(204).end(), refusal(404, 'not_found')];
  for await (const _event of client.executions.stream({ id: 'e' })) throw new Error('There was an event');
  const given = client.executions.stream({ id: 'none' })[Symbol.asyncIterator]();
  expect(await faultOf(given.next())).toMatchObject({ code: 'not_found' });
  const controller = new AbortController();
  answers = [
    (response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(':\n\n', () => controller.abort(new Error('enough'))),
  ];
  const waiting = client.executions.stream({ id: 'e' }, { signal: controller.signal })[Symbol.asyncIterator]();
  await expect(waiting.next()).rejects.toThrow('enough');
});
