import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, createClient, EverstepError, type ServerEvent } from '../../../clients/typescript/src';

type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void;

const dsl = { id: 'd', steps: [] };
const FAST = { attempts: 3, firstMs: 1, longestMs: 5_000 };
let server: Server;
let baseUrl: string;
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
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  client = createClient({ baseUrl, token: () => 'evs_key', retry: FAST });
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

test('a file keeps the slashes of its path and is returned as the response itself', async () => {
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

test('a temporary failure is retried after the time that the server asks for, with the same key', async () => {
  answers = [refusal(503, 'unavailable'), (response) => void response.destroy(), json(201, { id: 'w' })];
  await client.workflows.create({ body: { name: 'a', dsl } });
  const keys = seen.map(({ headers }) => headers['idempotency-key']);
  expect([keys.length, new Set(keys).size, typeof keys[0]]).toEqual([3, 1, 'string']);
});

test('a request without a key that may have taken effect is not repeated', async () => {
  answers = [refusal(503, 'unavailable')];
  expect(await faultOf(client.workflows.disable({ id: 'w' }))).toMatchObject({ code: 'unavailable' });
  answers = [refusal(429, 'rate_limited', { 'retry-after': '0' }), json(200, { id: 'w' })];
  await client.workflows.disable({ id: 'w' });
  expect(seen).toHaveLength(3);
});

test('a wait that is too long, or the last attempt, ends with the error', async () => {
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

test('a redirect that a browser hides is a failure', async () => {
  answers = [(response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()];
  // What fetch answers in a browser for a redirect that is not followed.
  const inBrowser: typeof fetch = async (...asked) => {
    const { status } = await fetch(...asked);
    const opaque = { status: { value: 0 }, ok: { value: false }, type: { value: 'opaqueredirect' } };
    return status === 302 ? Object.defineProperties(new Response(null), opaque) : Response.error();
  };
  const browser = createClient({ baseUrl, retry: FAST, fetch: inBrowser });
  const fault = await faultOf(browser.workflows.list());
  expect(fault).toMatchObject({ status: 0, code: 'unknown', message: expect.stringContaining('redirect') });
});

test('a stream resumes after a lost connection, until its end', async () => {
  answers = [
    events(': hello\n\nid: 1\nevent: status\ndata: {"a":\ndata: 1}\n\nid: 2\nevent: st', false),
    events('id: 2\r\nevent: step\r\ndata: {}\r\n\r\n', true),
    events('id: 3\nevent: end\ndata: {}\n\n', false),
  ];
  const received: ServerEvent[] = [];
  for await (const event of client.executions.stream({ id: 'e' })) received.push(event);
  expect(received.map(({ id, event }) => `${id} ${event}`)).toEqual(['1 status', '2 step', '3 end']);
  expect(received[0]?.data).toEqual({ a: 1 });
  expect(seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1', '2']);
});

test('lines of a stream end at CR, LF and CR LF, and at no other character', async () => {
  const text = 'line\u2028paragraph\u2029next\u0085tab\u000bform\u000cend';
  const body = [
    ': comment\r\rid: 1\revent: status\rdata: ',
    `${JSON.stringify({ text })}\r\r`,
    'id: 2\nevent:step\ndata:{"a":\ndata:1}\n\n',
    'id: 3\r\nevent: end\r\ndata: {}\r',
    '\n\r\n',
  ];
  answers = [
    async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // Byte by byte, so that every character and line end is cut somewhere.
      for (const byte of Buffer.from(body.join('')))
        if (!response.write(Buffer.of(byte))) await once(response, 'drain');
      response.end();
    },
  ];
  const received: ServerEvent[] = [];
  for await (const event of client.executions.stream({ id: 'e' })) received.push(event);
  expect(received).toEqual([
    { id: '1', event: 'status', data: { text } },
    { id: '2', event: 'step', data: { a: 1 } },
    { id: '3', event: 'end', data: {} },
  ]);
});

test('a stream that breaks without an event is retried after growing pauses', async () => {
  const pauses: number[] = [];
  let before = 0;
  const alive: Answer = (response, request, body) => {
    const now = performance.now();
    if (before > 0) pauses.push(now - before);
    before = now;
    events(': alive\n\n', true)(response, request, body);
  };
  answers = [alive, alive, alive, alive, alive, alive, events('id: 1\nevent: end\ndata: {}\n\n', true)];
  const patient = createClient({ baseUrl, retry: { attempts: 2, firstMs: 5, longestMs: 40 } });
  for await (const { event } of patient.executions.stream({ id: 'e' })) expect(event).toBe('end');
  // Never shorter than asked for: 5, 10, 20, 40, 40.
  for (const [index, least] of [5, 10, 20, 40, 40].entries()) expect(pauses[index]).toBeGreaterThanOrEqual(least - 1);
});

test('a stream that sends nothing, is refused, or is not JSON ends with an error', async () => {
  answers = [events('', true), events('', true), events('', true), events('', true)];
  const drained = async (): Promise<void> => {
    for await (const _event of client.executions.stream({ id: 'e' })) continue;
  };
  const asked = seen.length;
  const fault = await faultOf(drained());
  expect([fault.code, seen.length - asked]).toEqual(['unreachable', FAST.attempts]);
  answers = [events('id: 1\nevent: status\ndata: {}\n\n', false), refusal(404, 'not_found')];
  expect(await faultOf(drained())).toMatchObject({ code: 'not_found' });
  answers = [events('id: 1\nevent: status\ndata: {"a"\n\n', true)];
  expect(await faultOf(drained())).toMatchObject({ code: 'unknown', message: expect.stringContaining('JSON') });
  expect(answers).toEqual([]);
});

test('a finished stream ends, and an aborted one stops', async () => {
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
