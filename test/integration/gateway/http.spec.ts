import { gzipSync } from 'node:zlib';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { startApp, type TestApp } from '../../support/app';
import { ManualClock } from '../../support/manual-clock';
import { rawRequest, statusOf } from '../../support/raw-http';
import { fakes, foreign, roleTokens, type FakeCall } from './support/fakes';

let app: TestApp;
let calls: FakeCall<unknown>[] = [];
const note = (answer: unknown) => (given: FakeCall<unknown>) => {
  calls.push(given);
  return answer;
};

beforeAll(async () => {
  app = await startApp({
    env: { BODY_LIMIT: '2000' },
    services: [
      apiGatewayService,
      ...fakes({
        'auth.verify': (given) => roleTokens(() => app.app)(given),
        'auth.tenant': note({ id: 't1' }),
        'auth.create_api_key': note({ id: 'k1' }),
        'auth.revoke_api_key': note(undefined),
        'workflows.list': note({ data: [], limit: 50, offset: 0 }),
        'workflows.update': note({ id: 'w1' }),
        'workflows.export': note({ filename: 'a"b\r\n.service.json', file: { format: 'everstep.workflow' } }),
        'secrets.put': ({ params }) => ({
          name: params.name,
          created_at: '',
          updated_at: '',
          created: params.name === 'NEW',
        }),
        'executions.get': ({ params }) => {
          if (params.id === 'bug') throw new TypeError('secret internals at /srv/app.js');
          if (params.id === 'code') throw Object.assign(new Error('connect 10.0.0.1'), { code: 'ECONNREFUSED' });
          if (params.id === 'hidden') throw foreign('internal', 500, 'the database password is wrong');
          if (params.id === 'proto') throw foreign('constructor', 404, 'x');
          if (params.id === 'full')
            throw foreign('unavailable', 503, 'Over capacity', { retry_after: 2.5, body: { execution_id: 'e9' } });
          throw foreign('not_found', 404, 'There is no such execution');
        },
      }),
    ],
  });
});
beforeEach(() => {
  calls = [];
});
afterAll(() => app.close());

const request = (path: string, init: RequestInit & { token?: string | null } = {}) => {
  const { token = 'owner@t1', ...rest } = init;
  const headers = new Headers(init.headers);
  if (token !== null) headers.set('authorization', `Bearer ${token}`);
  return fetch(app.url + path, { ...rest, headers });
};
const bodyOf = async (response: Response) => (await response.json()) as Record<string, unknown>;
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  request(path, {
    method: 'POST',
    body: typeof body === 'string' ? body : body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });

describe('every answer', () => {
  test.each(['/health', '/nowhere', '/api/v1/tenant', '/api/v1/executions/bug'])(
    'of %s has an id, CORS and no sniffing',
    async (path) => {
      const response = await request(path, {
        headers: { 'x-request-id': 'my-id-1', origin: 'https://app.example.com' },
      });
      expect(response.headers.get('x-request-id')).toBe('my-id-1');
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-expose-headers')).toContain('Retry-After');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-powered-by')).toBeNull();
      await response.text();
    },
  );

  test('passes the request id on to the services', async () => {
    await request('/api/v1/tenant', { headers: { 'x-request-id': 'trace-7' } });
    expect(calls[0]).toMatchObject({ requestId: 'trace-7', principal: { tenant_id: 't1', role: 'owner' } });
  });

  test('makes an id when the given one is not sane', async () => {
    const response = await request('/health', { headers: { 'x-request-id': 'has space' } });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('methods', () => {
  test('HEAD is GET without a body', async () => {
    const response = await request('/health', { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '15', '']);
  });

  test('a preflight is answered for every path, with what browsers may send', async () => {
    for (const path of ['/api/v1/tenant', '/nowhere']) {
      const response = await request(path, {
        method: 'OPTIONS',
        token: null,
        headers: { origin: 'https://x.example', 'access-control-request-method': 'PUT' },
      });
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, DELETE, OPTIONS');
      for (const name of [
        'Authorization',
        'Content-Type',
        'X-Request-ID',
        'Last-Event-ID',
        'Idempotency-Key',
        'X-API-Key',
      ]) {
        expect(response.headers.get('access-control-allow-headers')).toContain(name);
      }
    }
  });

  test('OPTIONS names the methods of a path', async () => {
    const response = await request('/api/v1/api-keys', { method: 'OPTIONS' });
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
  });

  test('an unsupported method of a path is 405 with the methods that the path has', async () => {
    const response = await request('/api/v1/tenant', { method: 'DELETE' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(await bodyOf(response)).toMatchObject({ code: 'method_not_allowed', error: 'DELETE is not possible here' });
  });

  test.each(['/api', '/api/v1', '/nowhere', '/HEALTH', '/api/v1/tenant/x', '//health', '/api/v1/~node/list'])(
    '%s is 404',
    async (path) => {
      const response = await request(path);
      expect(response.status).toBe(404);
      expect(await bodyOf(response)).toEqual({
        error: expect.any(String),
        code: 'not_found',
        request_id: expect.any(String),
      });
    },
  );
});

describe('credentials', () => {
  test.each([null, 'nonsense'])('%j is 401, in the standard shape', async (token) => {
    const response = await request('/api/v1/tenant', { token });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await bodyOf(response)).toEqual({
      error: expect.any(String),
      code: 'unauthenticated',
      request_id: response.headers.get('x-request-id'),
    });
    expect(calls).toEqual([]);
  });

  test.each(['Basic abc', 'Bearer', 'Bearer a b', 'owner@t1'])(
    'the header %j is no credential',
    async (authorization) => {
      expect((await request('/api/v1/tenant', { token: null, headers: { authorization } })).status).toBe(401);
    },
  );

  test('the scheme is written in any case', async () => {
    expect(
      (await request('/api/v1/tenant', { token: null, headers: { authorization: 'bearer  owner@t1' } })).status,
    ).toBe(200);
  });
});

describe('params', () => {
  test('of a page are numbers, and out of range they are refused', async () => {
    await request('/api/v1/workflows?limit=7&offset=3');
    expect(calls[0]?.params).toEqual({ limit: 7, offset: 3 });
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'offset=-1', 'limit=1&limit=2']) {
      const response = await request(`/api/v1/workflows?${query}`);
      expect([query, response.status, (await bodyOf(response)).details]).toEqual([
        query,
        400,
        [expect.objectContaining({ path: query.split('=')[0] })],
      ]);
    }
  });

  test('of the path win over those of the body, and the query has no say in a PUT', async () => {
    const response = await request('/api/v1/workflows/w%201?name=query', {
      method: 'PUT',
      body: '{"id":"other","name":"body","__proto__":{"id":"x"},"constructor":1}',
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(200);
    expect(calls[0]?.params).toEqual({
      ...(JSON.parse('{"__proto__":{"id":"x"},"constructor":1}') as object),
      id: 'w 1',
      name: 'body',
    });
  });

  test.each(['[1]', '"text"', '3', 'true', 'null'])('the body %s is no object, and refused', async (body) => {
    expect((await post('/api/v1/api-keys', body)).status).toBe(400);
  });
});

describe('statuses', () => {
  test('201 for what is made, 204 without a body for what is removed, 200 for what is replaced', async () => {
    expect((await post('/api/v1/api-keys', { name: 'x' })).status).toBe(201);
    const removed = await request('/api/v1/api-keys/k1', { method: 'DELETE' });
    expect([removed.status, removed.headers.get('content-type'), await removed.text()]).toEqual([204, null, '']);
    const made = await post('/api/v1/secrets', { name: 'NEW', value: 'a value' });
    expect([made.status, await made.json()]).toEqual([201, { name: 'NEW', created_at: '', updated_at: '' }]);
    expect((await post('/api/v1/secrets', { name: 'OLD', value: 'a value' })).status).toBe(200);
  });

  test('an export is a file whose name cannot break the header', async () => {
    const response = await request('/api/v1/workflows/w1/export');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="a_b__.service.json"');
    expect(await bodyOf(response)).toEqual({ format: 'everstep.workflow' });
  });
});

describe('bodies', () => {
  test('broken JSON is refused with the place of the error', async () => {
    const response = await post('/api/v1/api-keys', '{"name":\n oops}');
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'The body is not valid JSON, line 2, column 2', code: 'invalid_json', request_id: expect.any(String) },
    ]);
  });

  test('too large is 413 with CORS, whether announced, streamed or compressed', async () => {
    const large = JSON.stringify({ name: 'x'.repeat(2_000) });
    const responses = [
      await post('/api/v1/api-keys', large),
      await request('/api/v1/api-keys', {
        method: 'POST',
        body: new Blob([large]).stream(),
        duplex: 'half',
        headers: { 'content-type': 'application/json' },
      } as RequestInit),
      await post('/api/v1/api-keys', gzipSync(JSON.stringify({ name: 'x'.repeat(500_000) })), {
        'content-encoding': 'gzip',
      }),
    ];
    for (const response of responses) {
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([413, '*']);
      expect((await bodyOf(response)).code).toBe('payload_too_large');
    }
    expect((await request('/health')).status).toBe(200);
  });

  test('compressed ones are read', async () => {
    expect((await post('/api/v1/api-keys', gzipSync('{"name":"zipped"}'), { 'content-encoding': 'gzip' })).status).toBe(
      201,
    );
    expect(calls[0]?.params).toEqual({ name: 'zipped' });
  });

  test.each([
    [415, { 'content-type': 'text/plain' }],
    [415, { 'content-type': 'application/x-www-form-urlencoded' }],
    [415, { 'content-type': 'application/json; charset=utf-16' }],
    [415, { 'content-encoding': 'zstd' }],
    [400, { 'content-encoding': 'gzip' }],
    [201, { 'content-type': 'application/merge-patch+json; charset="UTF-8"' }],
  ])('%i for %j', async (status, headers) => {
    expect((await post('/api/v1/api-keys', { name: 'x' }, headers)).status).toBe(status);
  });

  test('bytes that are no UTF-8 are 400', async () => {
    expect((await post('/api/v1/api-keys', Buffer.from('{"name":"\xff"}', 'latin1'))).status).toBe(400);
  });

  test('an empty one needs no type', async () => {
    expect((await request('/api/v1/api-keys', { method: 'POST' })).status).toBe(201);
  });
});

describe('errors', () => {
  test.each(['bug', 'code', 'hidden', 'proto'])(
    'details of internal errors are not shown to any caller: %s',
    async (id) => {
      const response = await request(`/api/v1/executions/${id}`);
      expect([response.status, await response.json()]).toEqual([
        500,
        { error: 'Something went wrong on our side', code: 'internal', request_id: expect.any(String) },
      ]);
    },
  );

  test('an error that crossed nodes keeps its code, and what rides along', async () => {
    const missing = await request('/api/v1/executions/none');
    expect([missing.status, (await bodyOf(missing)).code]).toEqual([404, 'not_found']);
    const full = await request('/api/v1/executions/full');
    expect([full.status, full.headers.get('retry-after')]).toEqual([503, '3']);
    expect(await bodyOf(full)).toEqual({
      error: 'Over capacity',
      code: 'unavailable',
      execution_id: 'e9',
      request_id: expect.any(String),
    });
  });

  test('a service that is not there is 503, to be tried again', async () => {
    const response = await request('/api/v1/approvals');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await bodyOf(response)).code).toBe('unavailable');
  });
});

describe('what is not well-formed', () => {
  test.each([
    ['a percent sign that encodes nothing', 'GET /api/v1/workflows/%zz HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['half a character', 'GET /api/v1/workflows/%c3 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['a URL that is too long', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['headers that are too long', `GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['a target that is no path', 'GET health HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', 204],
    ['an absolute target', 'GET http://x/health HTTP/1.1\r\nHost: x\r\n\r\n', 200],
    ['a header without a name', 'GET /health HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n', 400],
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    [
      'two lengths',
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      400,
    ],
    [
      'a length and chunks',
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
      400,
    ],
    ['a length that is no number', 'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', 400],
    [
      'two credentials',
      'GET /api/v1/tenant HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n',
      401,
    ],
    ['an unknown method', 'PATCH /api/v1/tenant HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ])('%s', async (_title, bytes, status) => {
    const answer = await rawRequest(app.url, bytes);
    expect(statusOf(answer)).toBe(status);
    expect(answer.toLowerCase()).toContain('x-request-id: ');
    expect(answer.toLowerCase()).toContain('access-control-allow-origin: *');
  });

  test('a body shorter than announced ends with its connection, and affects no other client', async () => {
    const answer = await rawRequest(
      app.url,
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{}',
    );
    expect(answer).toBe('');
    expect((await request('/health')).status).toBe(200);
  });
});

describe('readiness', () => {
  test('names what is missing', async () => {
    const response = await request('/health/ready', { token: null });
    expect(response.status).toBe(503);
    expect(await bodyOf(response)).toMatchObject({
      status: 'unavailable',
      missing: ['workflows'],
      error: 'Not ready: workflows',
    });
    expect(await (await request('/health/live', { token: null })).json()).toEqual({ status: 'ok' });
  });
});

test('with origins configured, whole origins are admitted and no others', async () => {
  const strict = await startApp({ services: [apiGatewayService], env: { CORS_ORIGINS: 'https://app.example.com' } });
  try {
    const allowed = async (origin: string) => {
      const response = await fetch(`${strict.url}/health`, { headers: { origin } });
      expect(response.headers.get('vary')).toBe('Origin');
      return response.headers.get('access-control-allow-origin');
    };
    expect(await allowed('https://app.example.com')).toBe('https://app.example.com');
    for (const origin of ['https://app.example.co', 'https://app.example.com.evil.org', 'null'])
      expect(await allowed(origin)).toBeNull();
  } finally {
    await strict.close();
  }
});

test('an answer that takes too long is 504', async () => {
  const never = new Promise(() => {});
  const slow = await startApp({
    services: [apiGatewayService, ...fakes({ 'executions.public': () => never })],
    env: { REQUEST_TIMEOUT: '1' },
  });
  try {
    const response = await fetch(`${slow.url}/public/executions/e1`);
    expect([response.status, (await bodyOf(response)).code]).toEqual([504, 'timed_out']);
  } finally {
    await slow.close();
  }
});

test('a new invalid credential for each request is over the rate limit too, and delays no caller with a valid one', async () => {
  const limited: TestApp = await startApp({
    services: [
      apiGatewayService,
      ...fakes({ 'auth.verify': (given) => roleTokens(() => limited.app)(given), 'auth.tenant': () => ({}) }),
    ],
    env: { RATE_LIMIT: '5' },
    clock: new ManualClock(),
  });
  const ask = async (token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${limited.url}/api/v1/tenant`, { headers })).status;
  };
  try {
    expect(await ask('owner@t1')).toBe(200);
    for (let n = 0; n < 5; n++) expect(await ask(`made-up-${n}`)).toBe(401);
    expect(await ask('made-up-5')).toBe(429);
    expect(await ask('member@t1')).toBe(429);
    expect(await ask('owner@t1')).toBe(200);
  } finally {
    await limited.close();
  }
});

test('over the rate limit is 429, counted per credential, and per address on public routes', async () => {
  const clock = new ManualClock();
  const limited: TestApp = await startApp({
    services: [
      apiGatewayService,
      ...fakes({ 'auth.verify': (given) => roleTokens(() => limited.app)(given), 'auth.tenant': () => ({}) }),
    ],
    env: { RATE_LIMIT: '5' },
    clock,
  });
  const burst = (path: string, token: string) =>
    Promise.all(
      Array.from({ length: 8 }, () => fetch(limited.url + path, { headers: { authorization: `Bearer ${token}` } })),
    );
  const statuses = async (path: string, token: string) =>
    (await burst(path, token)).map(({ status }) => status).sort((a, b) => a - b);
  try {
    const refused = (await burst('/api/v1/tenant', 'owner@t1')).filter(({ status }) => status === 429);
    expect(refused).toHaveLength(3);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    expect(refused[0]?.headers.get('ratelimit-limit')).toBe('5');
    expect(await statuses('/api/v1/tenant', 'member@t1')).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect(await statuses('/health', 'a')).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect(await statuses('/health', 'b')).toEqual(Array(8).fill(429));
    clock.advance(1_000);
    expect(await statuses('/api/v1/tenant', 'owner@t1')).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
  } finally {
    await limited.close();
  }
});
