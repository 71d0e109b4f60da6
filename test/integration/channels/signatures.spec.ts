import { createHmac } from 'node:crypto';
import type { JsonObject } from '../../../lib/json';
import type { DeliveryView } from '../../../contracts/channels/views';
import { Api } from '../../support/server';
import { until } from '../../support/until';
import { openWhole, type Whole } from '../security/support/whole';

let whole: Whole;
let owner: Api;

beforeAll(async () => {
  whole = await openWhole({});
  owner = new Api(whole.url);
  await owner.register('signed');
  await owner.call('POST', '/api/v1/secrets', { name: 'HOOK', value: 'first-secret' });
}, 60_000);
afterAll(() => whole?.close());

async function create(config: JsonObject): Promise<string> {
  const dsl = {
    id: 'flow',
    trigger: { type: 'http', config },
    steps: [{ id: 'echo', type: 'set', config: { it: '{{ trigger.body }}' } }],
  };
  return (await owner.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'Signed', dsl })).id;
}

async function send(id: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${whole.url}/webhooks/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

const github = (body: string, secret: string): Record<string, string> => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});

const deliveries = (id: string, count: number): Promise<DeliveryView[]> =>
  until(`${count} deliveries are in the inbox`, async () => {
    const { data } = await owner.call<{ data: DeliveryView[] }>('GET', `/api/v1/workflows/${id}/deliveries`);
    return data.length === count ? data : null;
  });

const runs = async (id: string): Promise<number> =>
  (await owner.call<{ data: unknown[] }>('GET', `/api/v1/executions?workflow_id=${id}`)).data.length;

const SIGNED = { signature: { preset: 'github', secret: '{{ secret.HOOK }}' } };

describe('a webhook with a signature', () => {
  test('starts a run for the exact bytes that were signed, and for nothing else', async () => {
    const id = await create(SIGNED);
    const body = '{ "a" : 1.0 }';
    const right = await send(id, body, github(body, 'first-secret'));
    expect(right.status).toBe(202);
    const missing = await send(id, body);
    expect(missing).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(missing.body.error).toContain('x-hub-signature-256');
    expect((await send(id, body, github(body, 'another'))).status).toBe(401);
    expect((await send(id, '{"a":1.0}', github(body, 'first-secret'))).status).toBe(401);
    const rows = await deliveries(id, 4);
    expect(rows.map(({ status, signature, outcome }) => `${status} ${signature} ${outcome}`).sort()).toEqual([
      '202 verified started',
      '401 failed refused',
      '401 failed refused',
      '401 failed refused',
    ]);
    expect(await runs(id)).toBe(1);
  });

  test('hands the bytes to the run only where the trigger asks for them', async () => {
    const id = await create(SIGNED);
    const { body } = await send(id, '{}', github('{}', 'first-secret'));
    const { trigger } = await owner.call<{ trigger: JsonObject }>('GET', `/api/v1/executions/${body.execution_id}`);
    expect(trigger).not.toHaveProperty('raw_body');
  });

  test('takes a replaced secret, and no longer the one before', async () => {
    await owner.call('POST', '/api/v1/secrets', { name: 'ROTATED', value: 'old-secret' });
    const id = await create({ signature: { preset: 'github', secret: '{{ secret.ROTATED }}' } });
    expect((await send(id, '{}', github('{}', 'old-secret'))).status).toBe(202);
    await owner.call('POST', '/api/v1/secrets', { name: 'ROTATED', value: 'new-secret' });
    expect((await send(id, '{}', github('{}', 'new-secret'))).status).toBe(202);
    expect((await send(id, '{}', github('{}', 'old-secret'))).status).toBe(401);
  });

  test('answers 503 while its secret does not exist, and starts nothing', async () => {
    const id = await create({ signature: { preset: 'github', secret: '{{ secret.ABSENT }}' } });
    const { status, body } = await send(id, '{}', github('{}', ''));
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'provider_not_configured' });
    expect((await deliveries(id, 1))[0]?.signature).toBe('not_configured');
    expect(await runs(id)).toBe(0);
  });
});

describe('a webhook that recognises repeats', () => {
  test('starts one run for each value, and one for each request without it', async () => {
    const id = await create({ dedupe: '{{ trigger.body.event.id }}' });
    const first = await send(id, '{"event": {"id": 7}}');
    const again = await send(id, '{"event": {"id": 7}}', { 'x-github-delivery': 'another' });
    expect(again.body.execution_id).toBe(first.body.execution_id);
    expect((await send(id, '{"event": {"id": 8}}')).body.execution_id).not.toBe(first.body.execution_id);
    const without = [await send(id, '{}'), await send(id, '{}')];
    expect(new Set(without.map(({ body }) => body.execution_id)).size).toBe(2);
    expect((await deliveries(id, 5)).filter(({ outcome }) => outcome === 'replayed')).toHaveLength(1);
  });

  test('answers a repeat with another body as before where the sender is known', async () => {
    const id = await create({ ...SIGNED, dedupe: '{{ trigger.body.id }}' });
    const ids: unknown[] = [];
    for (const body of ['{"id": 7, "try": 1}', '{"id": 7, "try": 2}'])
      ids.push((await send(id, body, github(body, 'first-secret'))).body.execution_id);
    expect(ids[0]).toBeDefined();
    expect(ids[1]).toBe(ids[0]);
  });

  test('shows nothing of the run of another sender where it asks for no proof', async () => {
    const id = await create({ dedupe: '{{ trigger.body.order }}' });
    const { body: first } = await send(id, '{"order": 1001, "card": "mine"}');
    for (const guess of ['{"order": 1001}', '{"order": 1001, "card": "yours"}']) {
      const { status, body } = await send(id, guess);
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'idempotency_mismatch' });
      expect(JSON.stringify(body)).not.toContain(first.execution_id);
    }
    const answer = await fetch(`${whole.url}/webhooks/${id}/sync`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"order": 1001}',
    });
    expect(answer.status).toBe(409);
    expect(await runs(id)).toBe(1);
  });

  test('compares the query as well, which may be all of a request', async () => {
    const id = await create({ dedupe: '{{ trigger.query.order }}' });
    const get = (query: string) => fetch(`${whole.url}/webhooks/${id}?${query}`);
    expect((await get('order=1&card=mine')).status).toBe(202);
    expect((await get('order=1&card=mine')).headers.get('idempotent-replayed')).toBe('true');
    expect((await get('order=1')).status).toBe(409);
  });

  test('keeps the values of two workflows apart', async () => {
    const [one, two] = [
      await create({ dedupe: '{{ trigger.body.id }}' }),
      await create({ dedupe: '{{ trigger.body.id }}' }),
    ];
    const ids = [await send(one, '{"id": 1}'), await send(two, '{"id": 1}')].map(({ body }) => body.execution_id);
    expect(new Set(ids).size).toBe(2);
  });
});
