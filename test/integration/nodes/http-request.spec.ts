import { gzipSync } from 'node:zlib';
import { createEgress, parseEgressAllow } from '../../../lib/egress';
import type { JsonObject } from '../../../lib/json';
import type { NodeContext, Outcome } from '../../../nodes/contract';
import { httpRequestNode } from '../../../nodes/http/http-request';
import { createContext } from '../../unit/nodes/context';
import { type Answer, startServer, type TestServer } from './server';

let server: TestServer;
let answer: Answer;
const open = createEgress({ allow: parseEgressAllow('127.0.0.1') });
const shut = createEgress({ allow: [] });

beforeAll(async () => {
  server = await startServer((request, response) => answer(request, response));
});
afterAll(() => Promise.all([server.close(), open.close(), shut.close()]));
beforeEach(() => {
  server.seen.length = 0;
  answer = (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
});

/** Runs the node against the real client; `path` is relative to the server. */
async function request(input: JsonObject, overrides: Partial<NodeContext> = {}): Promise<Outcome> {
  const ctx = createContext({ url: `${server.url}/`, ...input }, [], { http: open, ...overrides });
  return await httpRequestNode.run(ctx);
}

const replying =
  (status: number, headers: Record<string, string>, body: string | Buffer): Answer =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);

describe('http_request over the wire', () => {
  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s arrives and JSON comes back', async (method) => {
    const input: JsonObject = method === 'GET' || method === 'OPTIONS' ? { method } : { method, body: { a: 1 } };
    expect(await request(input)).toMatchObject({ kind: 'done', output: { status: 200, body: { ok: true } } });
    const [seen] = server.seen;
    expect([seen?.method, seen?.body]).toEqual([method, input.body === undefined ? '' : '{"a":1}']);
    expect(seen?.headers['idempotency-key']).toBe(method === 'GET' ? undefined : 'case-key');
  });

  test('HEAD has headers and no body', async () => {
    answer = replying(200, { 'content-type': 'text/plain', 'content-length': '5' }, '');
    const outcome = await request({ method: 'HEAD' });
    expect(outcome).toMatchObject({
      kind: 'done',
      output: { status: 200, body: '', headers: { 'content-length': '5' } },
    });
  });

  test('its own idempotency key wins', async () => {
    await request({ method: 'POST', body: 'x', headers: { 'idempotency-key': 'mine' } });
    expect(server.seen[0]?.headers['idempotency-key']).toBe('mine');
  });

  test('text of every script survives both ways', async () => {
    answer = (seen, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(seen.body);
    const outcome = await request({ method: 'POST', body: 'grüße 你好 🚀' });
    expect(outcome).toMatchObject({ output: { body: 'grüße 你好 🚀' } });
  });

  test('bytes come in base64', async () => {
    const bytes = Buffer.from([0, 255, 128, 13, 10]);
    answer = replying(200, { 'content-type': 'application/octet-stream' }, bytes);
    expect(await request({})).toMatchObject({ output: { body: bytes.toString('base64') } });
  });

  test('a packed answer is unpacked', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    answer = replying(200, headers, gzipSync('{"packed":1}'));
    expect(await request({})).toMatchObject({ output: { body: { packed: 1 } } });
  });

  test('repeated headers are joined, cookies listed', async () => {
    answer = (_request, response) =>
      response.setHeader('Via', ['a', 'b']).setHeader('Set-Cookie', ['c=1', 'd=2']).end();
    expect(await request({})).toMatchObject({ output: { headers: { via: 'a, b', 'set-cookie': ['c=1', 'd=2'] } } });
  });

  test('a redirect is followed unless that is disabled', async () => {
    answer = (seen, response) =>
      seen.url === '/' ? response.writeHead(302, { location: '/next' }).end() : response.end('there');
    expect(await request({})).toMatchObject({ output: { status: 200, body: 'there' } });
    expect(await request({ follow_redirects: false })).toMatchObject({ output: { status: 302 } });
  });

  test.each([
    [404, false],
    [422, false],
    [429, true],
    [503, true],
  ])('%i fails the step, retryable: %s', async (status, retryable) => {
    answer = replying(status, { 'retry-after': '2', 'content-type': 'text/plain' }, 'the reason');
    expect(await request({})).toEqual({
      kind: 'fail',
      error: { code: 'http_status', message: `GET ${server.url}/ answered ${status}: the reason` },
      retryable,
      ...(retryable ? { retryAfterMs: 2_000 } : {}),
    });
  });

  test('a slow server is a retryable time-out', async () => {
    answer = () => {};
    expect(await request({ timeout: '40ms' })).toMatchObject({ error: { code: 'http_timeout' }, retryable: true });
  });

  test('a reset connection is retryable', async () => {
    answer = (_request, response) => response.socket?.resetAndDestroy();
    expect(await request({})).toMatchObject({ error: { code: 'http_connect' }, retryable: true });
  });

  test('an answer over 10 MiB is a final failure', async () => {
    answer = replying(200, {}, Buffer.alloc(10 * 1024 * 1024 + 1));
    expect(await request({})).toMatchObject({ error: { code: 'http_too_large' }, retryable: false });
  });

  test('an answer of just 10 MiB passes', async () => {
    answer = replying(200, { 'content-type': 'text/plain' }, Buffer.alloc(10 * 1024 * 1024, 'x'));
    const outcome = await request({});
    expect(outcome.kind === 'done' && (outcome.output.body as string).length).toBe(10 * 1024 * 1024);
  });

  test('the signal ends it within a second', async () => {
    const stop = new AbortController();
    let before = 0;
    answer = () => {
      before = performance.now();
      stop.abort();
    };
    expect(await request({}, { signal: stop.signal })).toMatchObject({ error: { code: 'http_aborted' } });
    expect(performance.now() - before).toBeLessThan(1_000);
  });

  test('without a rule the loopback is refused and receives nothing', async () => {
    expect(await request({}, { http: shut })).toMatchObject({ error: { code: 'http_blocked' }, retryable: false });
    expect(server.seen).toHaveLength(0);
  });

  test.each<JsonObject>([
    { headers: { 'x-a': '1\r\nx-b: 2' } },
    { headers: { host: 'other.example' } },
    { url: 'http://127.0.0.1/\r\nx: y' },
    { url: 'ftp://127.0.0.1/' },
    { url: 'http://user:pass@127.0.0.1/' },
  ])('%j is refused unsent', async (input) => {
    expect(await request(input)).toMatchObject({ error: { code: 'http_protocol' }, retryable: false });
    expect(server.seen).toHaveLength(0);
  });
});
