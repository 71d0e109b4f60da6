import { gzipSync } from 'node:zlib';
import { sha256 } from '../../../lib/crypto';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { channelsService } from '../../../services/channels/channels.service';
import { startApp, type TestApp } from '../../support/app';
import { STALL_MS, stallMs } from '../../support/stall';
import { ManualClock } from '../../support/manual-clock';
import { fakes, startable, startResult } from './support/fakes';

const OPEN = startable().id;
const KEYED = '00000000-0000-4000-8000-000000000002';
const MIB = 1024 * 1024;
const clock = new ManualClock(Date.now());
let app: TestApp;
let role: 'admin' | 'member' = 'admin';
let bodies: unknown[] = [];
let result: unknown = null;

const startOnce = (env: Record<string, string> = {}): Promise<TestApp> =>
  startApp({
    clock,
    env,
    services: [
      apiGatewayService,
      channelsService,
      ...fakes({
        'auth.verify': () => {
          const user = { kind: 'user', tenant_id: 't1', user_id: 'ann', email: 'a@b.c', role } as const;
          return { ...user, principal: app.app.principals.sign(user, clock.now()) };
        },
        'auth.login': () => Promise.resolve({ token: 't' }),
        'connectors.import': ({ params }) => {
          bodies.push(params);
          return Promise.resolve({ name: 'made' });
        },
        'workflows.startable': ({ params }) =>
          Promise.resolve(startable({ id: params.id, webhook_key_hash: params.id === KEYED ? sha256('right') : null })),
        'executor.start': ({ params }) => {
          bodies.push(params.trigger.body);
          return Promise.resolve(startResult());
        },
        'executions.public': () => Promise.resolve(result),
      }),
    ],
  });

beforeAll(async () => {
  app = await startOnce();
});
beforeEach(() => {
  role = 'admin';
  bodies = [];
});
afterAll(() => app.close());

interface Sent {
  readonly headers?: Record<string, string>;
  readonly to?: TestApp;
}

async function post(path: string, body: string | Buffer, { headers = {}, to = app }: Sent = {}) {
  const response = await fetch(to.url + path, {
    method: 'POST',
    body: new Uint8Array(Buffer.from(body)),
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: response.status, body: (await response.json()) as { code?: string; error?: string } };
}

const GZIP = { 'content-encoding': 'gzip' };
const brackets = '['.repeat(5.8 * MIB);
const members = (count: number): string => `{${Array.from({ length: count }, (_, n) => `"key${n}":${n}`).join(',')}}`;

describe('bodies made to do harm', () => {
  test('are not taken compressed, or above 64 KiB, where nothing but a form of fields is wanted', async () => {
    const login = JSON.stringify({ tenant_slug: 'a', email: 'b', password: 'c' });
    expect(await post('/api/v1/auth/login', gzipSync(login), { headers: GZIP })).toMatchObject({
      status: 415,
      body: { error: expect.stringContaining('must not be compressed') },
    });
    expect((await post('/api/v1/auth/login', JSON.stringify({ a: 'x'.repeat(64 * 1024) }))).status).toBe(413);
    expect((await post('/api/v1/auth/login', login)).status).toBe(200);
    expect((await post('/webhooks/billing-provider', gzipSync('{}'), { headers: GZIP })).status).toBe(415);
  });

  test.each([
    ['brackets', brackets, 'nests deeper than 64'],
    ['members of one object', members(400_000), 'more than 30000 members'],
    ['values', `[${'0,'.repeat(1_100_000)}0]`, 'more than 1000000 values'],
  ])('as too many %s, compressed, are refused without a stall', async (_, text, words) => {
    const bomb = gzipSync(text);
    let answer = { status: 0, body: {} };
    const send = async (): Promise<void> => void (answer = await post(`/webhooks/${OPEN}`, bomb, { headers: GZIP }));
    await send();
    expect(await stallMs(send)).toBeLessThan(STALL_MS);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'invalid_json', error: expect.stringContaining(words) },
    });
    expect(bodies).toEqual([]);
  });

  test('that are large and right are taken, without a stall', async () => {
    const value = Array.from({ length: 60_000 }, (_, id) => ({ id, name: `name ${id}`, tags: ['a', id] }));
    const text = JSON.stringify(value);
    const send = async (): Promise<void> => expect((await post(`/webhooks/${OPEN}`, text)).status).toBe(202);
    await send();
    expect(await stallMs(send)).toBeLessThan(2 * STALL_MS);
    expect(JSON.stringify(bodies[1]) === text).toBe(true);
  });

  test('that unpack to more than the limit end there', async () => {
    const answer = await post(`/webhooks/${OPEN}`, gzipSync(Buffer.alloc(64 * MIB)), { headers: GZIP });
    expect(answer.status).toBe(413);
  });

  test('are not unpacked for a webhook whose key they do not have', async () => {
    const answer = await post(`/webhooks/${KEYED}`, 'this is not gzip', { headers: { ...GZIP, 'x-api-key': 'wrong' } });
    expect(answer.status).toBe(401);
    const right = await post(`/webhooks/${KEYED}`, gzipSync('{"a":1}'), { headers: { ...GZIP, 'x-api-key': 'right' } });
    expect(right.status).toBe(202);
    expect(bodies).toEqual([{ a: 1 }]);
  });

  test('are not parsed for a role that may not send them', async () => {
    role = 'member';
    const answer = await post('/api/v1/connectors/import', '{"not json', { headers: { authorization: 'Bearer any' } });
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });

  test('count by their unpacked size', async () => {
    const own = await startOnce({ RATE_LIMIT: '100' });
    try {
      const bomb = gzipSync(JSON.stringify('x'.repeat(6 * MIB)));
      expect((await post(`/webhooks/${OPEN}`, bomb, { headers: GZIP, to: own })).status).toBe(202);
      expect(await post(`/webhooks/${OPEN}`, '{}', { to: own })).toMatchObject({ status: 429 });
      // 100 tokens are owed at most, and 100 flow in each second.
      clock.advance(1_100);
      expect((await post(`/webhooks/${OPEN}`, '{}', { to: own })).status).toBe(202);
    } finally {
      await own.close();
    }
  });
});

test('the answer kept for an Idempotency-Key is not sent to a user who has lost the role', async () => {
  const headers = { authorization: 'Bearer any', 'idempotency-key': 'once' };
  const first = await post('/api/v1/connectors/import', '{"name":"a"}', { headers });
  expect(first.status).toBe(201);
  role = 'member';
  expect(await post('/api/v1/connectors/import', '{"name":"a"}', { headers })).toMatchObject({ status: 403 });
});

test('answers of megabytes are written without a stall, and whole', async () => {
  result = { output: Array.from({ length: 80_000 }, (_, id) => ({ id, name: `name ${id}`, text: 'Grüße 😀' })) };
  let text = '';
  const read = async (): Promise<void> => {
    text = await (await fetch(`${app.url}/public/executions/x`)).text();
  };
  await read();
  expect(await stallMs(read)).toBeLessThan(2 * STALL_MS);
  expect(text === JSON.stringify(result)).toBe(true);
});

test.each([
  ['/healthz', '/health/live'],
  ['/ready', '/health/ready'],
])('%s answers as %s does', async (alias, path) => {
  const [one, other] = await Promise.all([fetch(app.url + alias), fetch(app.url + path)]);
  expect(one.status).toBe(other.status);
  const { request_id: _one, ...first } = (await one.json()) as Record<string, unknown>;
  const { request_id: _other, ...second } = (await other.json()) as Record<string, unknown>;
  expect(first).toEqual(second);
});
