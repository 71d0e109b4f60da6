import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { channelsService } from '../../../services/channels/channels.service';
import { startApp, type TestApp } from '../../support/app';
import { ManualClock } from '../../support/manual-clock';
import { until } from '../../support/until';
import { execution, fakes, foreign, roleTokens } from './support/fakes';

let app: TestApp;
let made = 0;
let release: (() => void) | null = null;
let passedOn: unknown[] = [];
// Starts at the real time, because the database removes expired records by its own clock.
const clock = new ManualClock(Date.now());

beforeAll(async () => {
  app = await startApp({
    clock,
    services: [
      apiGatewayService,
      channelsService,
      ...fakes({
        'auth.verify': (given) => roleTokens(() => app.app)(given),
        'auth.create_api_key': async ({ params: { name } }) => {
          if (name === 'refused') throw foreign('conflict', 409, 'no');
          if (name === 'broken') throw new Error('half done');
          if (name === 'slow')
            await new Promise<void>((resolve) => {
              release = resolve;
            });
          made += 1;
          return { id: `k${made}`, key: `evs_${made}` };
        },
        'workflows.trigger': ({ params }) => {
          passedOn.push(params);
          return passedOn.length > 1 ? { ...execution(), replayed: true } : execution();
        },
        'executions.retry': ({ params }) => {
          passedOn.push(params);
          return execution();
        },
      }),
    ],
  });
});
beforeEach(() => {
  release = null;
  made = 0;
  passedOn = [];
});
afterAll(() => app.close());

const post = async (key: string | null, body: object, token = 'owner@t1', path = '/api/v1/api-keys') => {
  const response = await fetch(app.url + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      ...(key === null ? {} : { 'idempotency-key': key }),
    },
  });
  return {
    status: response.status,
    replayed: response.headers.get('idempotent-replayed'),
    body: (await response.json()) as Record<string, unknown>,
  };
};

/** When the one key that is in progress was taken, or renewed for the last time. */
async function startedAt(): Promise<number> {
  const [only, ...others] = await app.app.db.collection('idempotency_keys').find({ state: 'in_progress' }).toArray();
  if (only === undefined || others.length > 0) throw new Error('Not exactly one key is in progress');
  return (only.started_at as Date).getTime();
}

describe('an Idempotency-Key', () => {
  test('makes a repeat answer as the first did, without doing it again', async () => {
    const first = await post('a', { name: 'x', z: 1 });
    const second = await post('a', { z: 1, name: 'x' });
    expect(first).toEqual({ status: 201, replayed: null, body: { id: 'k1', key: 'evs_1' } });
    expect(second).toEqual({ ...first, replayed: 'true' });
    expect(made).toBe(1);
  });

  test('counts per user of a tenant, and without one each request counts', async () => {
    await post('b', { name: 'x' });
    await post('b', { name: 'x' }, 'admin@t1');
    await post('b', { name: 'x' }, 'owner@t2');
    await post(null, { name: 'x' });
    await post(null, { name: 'x' });
    expect(made).toBe(5);
  });

  test('survives a new login: another token of the same user is answered as the first', async () => {
    const first = await post('b2', { name: 'x' });
    expect(await post('b2', { name: 'x' }, 'owner@t1#later')).toEqual({ ...first, replayed: 'true' });
    expect(made).toBe(1);
  });

  test('with another body is 409', async () => {
    await post('c', { name: 'x' });
    expect(await post('c', { name: 'y' })).toMatchObject({ status: 409, body: { code: 'idempotency_mismatch' } });
  });

  test('that is under way is 409, and of many at once one does the work', async () => {
    const first = post('d', { name: 'slow' });
    const others = await Promise.all(Array.from({ length: 5 }, () => post('d', { name: 'slow' })));
    for (const other of others) expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_in_progress' } });
    release?.();
    expect((await first).status).toBe(201);
    expect(made).toBe(1);
  });

  test('stays taken as long as the work goes on, and is answered with its result although the client was timed out', async () => {
    const first = post('d2', { name: 'slow' });
    await until('the work has begun', () => release !== null);
    const begun = await startedAt();
    // Twice the time of a lease: each renewal is seen before the next one is due.
    for (let at = 15_000; at <= 120_000; at += 15_000) {
      clock.advance(15_000);
      await until(`the key is renewed after ${at} ms`, async () => (await startedAt()) === begun + at);
    }
    expect(await first).toMatchObject({ status: 504, body: { code: 'timed_out' } });
    expect(await post('d2', { name: 'slow' })).toMatchObject({
      status: 409,
      body: { code: 'idempotency_in_progress' },
    });
    release?.();
    await until('the answer is kept', async () => (await post('d2', { name: 'slow' })).replayed === 'true');
    expect(made).toBe(1);
  });

  test('of a refused request may be used again', async () => {
    expect((await post('e', { name: 'refused' })).status).toBe(409);
    expect((await post('e', { name: 'mended' })).status).toBe(201);
  });

  test('of a request with an unknown outcome stays taken', async () => {
    expect((await post('f', { name: 'broken' })).status).toBe(500);
    expect(await post('f', { name: 'broken' })).toMatchObject({
      status: 409,
      body: { code: 'idempotency_in_progress' },
    });
  });

  test.each(['a b', 'x'.repeat(256)])('%j is refused', async (key) => {
    expect((await post(key, { name: 'x' })).status).toBe(400);
    expect(made).toBe(0);
  });

  test('of a start goes on to the service that starts', async () => {
    await post('g', { a: 1, idempotency_key: 'body' }, 'owner@t1', '/api/v1/workflows/w1/trigger');
    await post(
      'h',
      { from_step: 's', id: 'other', idempotency_key: 'body' },
      'owner@t1',
      '/api/v1/executions/e1/retry',
    );
    expect(passedOn).toEqual([
      { id: 'w1', trigger: { a: 1, idempotency_key: 'body' }, idempotency_key: 'g' },
      { id: 'e1', from_step: 's', idempotency_key: 'h' },
    ]);
  });

  test('of a start that was known already is marked as replayed, and shows nothing else of it', async () => {
    const trigger = () => post('i', {}, 'owner@t1', '/api/v1/workflows/w1/trigger');
    expect([await trigger(), await trigger()]).toEqual([
      { status: 202, replayed: null, body: execution() },
      { status: 202, replayed: 'true', body: execution() },
    ]);
  });
});
