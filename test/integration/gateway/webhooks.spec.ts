import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import type { StartParams, StartResult } from '../../../contracts/executions/views';
import { startApp, type TestApp } from '../../support/app';
import { execution, fakes, startable, startResult } from './support/fakes';

let app: TestApp;
const W1 = startable().id;
const OTHER = '00000000-0000-4000-8000-000000000002';
const OFF = '00000000-0000-4000-8000-000000000003';
let started: StartParams | null = null;
let keys: string[] = [];
let result: StartResult = startResult();

beforeAll(async () => {
  const workflows = new Map([
    [W1, startable()],
    [OFF, startable({ id: OFF, enabled: false })],
  ]);
  app = await startApp({
    env: { WEBHOOK_LIMIT: '1000' },
    services: [
      apiGatewayService,
      ...fakes({
        'executor.start': ({ params }) => {
          started = params;
          return result;
        },
        'workflows.startable': ({ params: { id } }) => workflows.get(id) ?? null,
        // A run that goes on when the time is up.
        'executions.settled': () => result,
        'workflows.check_key': ({ params: { key } }) => {
          keys.push(key);
          return { valid: true };
        },
      }),
    ],
  });
});
beforeEach(() => {
  started = null;
  keys = [];
  result = startResult();
});
afterAll(() => app.close());

const send = (path: string, init: RequestInit = {}) => fetch(app.url + path, { method: 'POST', ...init });
const bodyOf = async (response: Response) => (await response.json()) as Record<string, unknown>;

describe('a webhook', () => {
  test('is answered with 202 and the id of the run', async () => {
    const response = await send(`/webhooks/${W1}?a=1&a=2&b=x`, {
      body: '{"n":1}',
      headers: { 'content-type': 'application/json', 'X-Own': 'Yes', 'x-request-id': 'r-1' },
    });
    expect([response.status, await response.json()]).toEqual([
      202,
      { execution_id: execution().id, status: 'running' },
    ]);
    expect(started).toMatchObject({
      workflow_id: W1,
      trigger: { method: 'POST', headers: { 'x-own': 'Yes' }, query: { a: ['1', '2'], b: 'x' }, body: { n: 1 } },
      request_id: 'r-1',
    });
    expect(started).not.toHaveProperty('wait_ms');
  });

  test.each([
    ['application/json', '[1,2]', [1, 2]],
    ['application/vnd.x+json; charset=utf-8', '"text"', 'text'],
    ['application/x-www-form-urlencoded', 'a=1&b=x+y&a=2&__proto__=z', { a: ['1', '2'], b: 'x y', ['__proto__']: 'z' }],
    ['text/plain', 'grüße', 'grüße'],
    ['application/xml', '<a/>', '<a/>'],
    ['application/octet-stream', Buffer.from([0, 255, 1]), 'AP8B'],
    ['application/octet-stream', 'plain', 'plain'],
  ])('of type %s hands on %p as %p', async (type, body, expected) => {
    await send(`/webhooks/${W1}`, { body, headers: { 'content-type': type } });
    expect(started?.trigger.body).toEqual(expected);
  });

  test('without a body hands on null', async () => {
    await send(`/webhooks/${W1}`);
    expect(started?.trigger.body).toBeNull();
  });

  test('with broken JSON is 400, with too much 413, and starts nothing', async () => {
    const json = { 'content-type': 'application/json' };
    expect((await send(`/webhooks/${W1}`, { body: '{', headers: json })).status).toBe(400);
    expect((await send(`/webhooks/${W1}`, { body: 'x'.repeat(1_001) })).status).toBe(413);
    expect((await send(`/webhooks/${W1}`, { body: '{}', headers: { ...json, 'idempotency-key': 'a b' } })).status).toBe(
      400,
    );
    expect(started).toBeNull();
  });

  test('tells refusals in the standard shape', async () => {
    expect((await send(`/webhooks/${OTHER}`)).status).toBe(404);
    const disabled = await send(`/webhooks/${OFF}`);
    expect([disabled.status, (await bodyOf(disabled)).code]).toEqual([409, 'workflow_disabled']);
  });

  test('that was delivered before says so', async () => {
    result = startResult({ replayed: true });
    expect((await send(`/webhooks/${W1}`)).headers.get('idempotent-replayed')).toBe('true');
  });

  test.each(['challenge', 'hub.challenge', 'validationToken'])(
    'GET with %s echoes it as text that no browser takes for a page',
    async (name) => {
      const response = await fetch(`${app.url}/webhooks/${W1}?${name}=${encodeURIComponent('<b>é')}`);
      expect([response.status, await response.text()]).toEqual([200, '<b>é']);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(started).toBeNull();
    },
  );

  test('GET of an unknown address echoes nothing', async () => {
    expect((await fetch(`${app.url}/webhooks/${OTHER}?challenge=x`)).status).toBe(404);
  });

  test('HEAD starts nothing', async () => {
    expect((await fetch(`${app.url}/webhooks/${W1}`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${app.url}/webhooks/${OTHER}`, { method: 'HEAD' })).status).toBe(404);
    expect(started).toBeNull();
  });

  test('GET without a challenge starts the workflow', async () => {
    expect((await fetch(`${app.url}/webhooks/${W1}?x=1`)).status).toBe(202);
    expect(started?.trigger).toMatchObject({ method: 'GET', query: { x: '1' }, body: null });
  });
});

describe('a webhook that waits', () => {
  const sync = () => send(`/webhooks/${W1}/sync`, { body: '{}', headers: { 'content-type': 'application/json' } });

  test('is answered with the output of the run', async () => {
    result = startResult({ status: 'completed', output: { sum: 3 } });
    const response = await sync();
    expect([response.status, await response.json(), started?.wait_ms !== undefined]).toEqual([200, { sum: 3 }, true]);
  });

  test('is answered with null by a run without output', async () => {
    result = startResult({ status: 'completed', output: null });
    expect(await (await sync()).text()).toBe('null');
  });

  test('is answered as the workflow wants: status, headers and text', async () => {
    result = startResult({
      response: {
        status: 418,
        headers: { 'X-Own': 'a', 'Content-Length': '1', 'Set-Cookie': 'a=b', 'X-Bad': 'a\nb' },
        body: 'short',
      },
    });
    const response = await sync();
    expect([response.status, await response.text()]).toEqual([418, 'short']);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('x-own')).toBe('a');
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(response.headers.get('x-bad')).toBeNull();
    expect(response.headers.get('content-security-policy')).toBe('sandbox');
  });

  test.each([
    [{ status: 201, headers: {}, body: { a: [1] } }, 201, 'application/json; charset=utf-8', '{"a":[1]}'],
    [{ status: 200, headers: { 'content-type': 'text/csv' }, body: 'a,b' }, 200, 'text/csv', 'a,b'],
    [{ status: 204, headers: {}, body: { ignored: true } }, 204, null, ''],
    [{ status: 202, headers: {}, body: null }, 202, null, ''],
    [{ status: 99, headers: {}, body: 'x' }, 200, 'text/plain; charset=utf-8', 'x'],
  ])('%j', async (response, status, type, text) => {
    result = startResult({ response });
    const got = await sync();
    expect([got.status, got.headers.get('content-type'), await got.text()]).toEqual([status, type, text]);
  });

  test.each([
    ['failed', 500, 'execution_failed', 'The run failed'],
    ['cancelled', 500, 'execution_failed', 'The run was cancelled'],
    ['running', 504, 'timed_out', 'The run goes on; ask for its state later'],
  ] as const)('of a run that is %s is %i with its id', async (status, expected, code, error) => {
    result = startResult({ status, error: { code: 'x', message: 'it broke', step_id: null } });
    const response = await sync();
    expect([response.status, await response.json()]).toEqual([
      expected,
      { error, code, execution_id: execution().id, status, request_id: expect.any(String) },
    ]);
  });
});

describe('/run', () => {
  const authorization = 'Bearer evw_key';

  test('takes the key of the workflow, and answers 202', async () => {
    const response = await send(`/run/${W1}`, {
      body: '{"a":1}',
      headers: { authorization, 'content-type': 'application/json' },
    });
    expect([response.status, await response.json()]).toEqual([
      202,
      { execution_id: execution().id, status: 'running' },
    ]);
    expect([keys, started?.trigger, started?.spread_body]).toEqual([['evw_key'], { body: { a: 1 } }, true]);
    expect(started).not.toHaveProperty('wait_ms');
  });

  test('without a key is 401, and starts nothing', async () => {
    expect((await send(`/run/${W1}`)).status).toBe(401);
    expect(started).toBeNull();
  });

  test.each([
    ['wait=1', true],
    ['wait=true', true],
    ['wait=0', false],
    ['wait', false],
  ])('?%s waits: %j', async (query, wait) => {
    result = startResult({ status: 'completed', output: 'done' });
    const response = await send(`/run/${W1}?${query}`, { headers: { authorization } });
    expect([response.status, started?.wait_ms !== undefined]).toEqual([wait ? 200 : 202, wait]);
  });
});
