import { createHash, createHmac } from 'node:crypto';
import type { JsonObject } from '../../../lib/json';
import type { DeliveryDetail, DeliveryView, Redelivered } from '../../../contracts/channels/views';
import { SERVICE } from '../../support/app';
import { cloudApi, cloudText, hubSignature } from '../../support/messages';
import { Api } from '../../support/server';
import { until } from '../../support/until';
import { openWhole, type Whole } from '../security/support/whole';

let whole: Whole;
let owner: Api;
const A_SECRET = 'app-secret-of-a';

beforeAll(async () => {
  whole = await openWhole({
    MESSAGING_A_APP_SECRET: A_SECRET,
    MESSAGING_A_VERIFY_TOKEN: 'a-verify-token',
    WEBHOOK_LIMIT: '600kb',
  });
  owner = new Api(whole.url);
  await owner.register('inbox');
  const { id } = await owner.call<{ id: string }>('GET', '/api/v1/tenant');
  await whole.t.call('auth.set_plan', { plan: 'enterprise' }, { tenant_id: id, role: 'service' });
}, 60_000);
afterAll(() => whole?.close());

const ECHO = [{ id: 'echo', type: 'set', config: { it: '{{ trigger.body ?? null }}' } }];

/** A workflow with a trigger; its id. */
async function create(trigger: JsonObject = { type: 'http' }, steps: JsonObject[] = ECHO): Promise<string> {
  const dsl = { id: 'flow', trigger, steps };
  return (await owner.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'DeliveryLog', dsl })).id;
}

async function send(path: string, body?: string | Buffer, headers: Record<string, string> = {}, method = 'POST') {
  const response = await fetch(whole.url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  });
  return { status: response.status, text: await response.text() };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const sendJson = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  send(`/webhooks/${id}`, JSON.stringify(body), { ...JSON_TYPE, ...headers });

const list = (id: string, query = '') =>
  owner.call<{ data: DeliveryView[]; next_cursor: string | null }>('GET', `/api/v1/workflows/${id}/deliveries${query}`);

/** The inbox once it has so many rows. */
const rows = (id: string, count: number): Promise<DeliveryView[]> =>
  until(`${count} deliveries are in the inbox`, async () => {
    const { data } = await list(id, '?limit=200');
    if (data.length > count) throw new Error(`there are ${data.length}`);
    return data.length === count ? data : null;
  });
const only = async (id: string): Promise<DeliveryView> => (await rows(id, 1))[0] as DeliveryView;
const detail = (id: string, delivery: string) =>
  owner.call<DeliveryDetail>('GET', `/api/v1/workflows/${id}/deliveries/${delivery}`);
const redeliver = (id: string, delivery: string, headers: Record<string, string> = {}) =>
  owner.ask<Redelivered & { code?: string }>(
    'POST',
    `/api/v1/workflows/${id}/deliveries/${delivery}/redeliver`,
    undefined,
    headers,
  );
const ended = (run: string) =>
  until(`run ${run} has ended`, async () => {
    const view = await owner.call<JsonObject>('GET', `/api/v1/executions/${run}`);
    return view.status === 'running' ? null : view;
  });

describe('a delivery that starts a run', () => {
  test('is in the inbox of its workflow, as it came and without credentials', async () => {
    const id = await create();
    const body = '{ "order": 7, "__proto__": {"a": 1} }';
    const answer = await send(`/webhooks/${id}?a=1&a=2&$b.c=x`, body, {
      ...JSON_TYPE,
      authorization: 'Bearer stolen',
      cookie: 'session=stolen',
      'x-api-key': 'stolen',
      'x-github-delivery': 'gh-1',
      'x-signature': 'sig',
    });
    const { execution_id } = JSON.parse(answer.text) as { execution_id: string };
    const row = await only(id);
    expect(row).toEqual({
      id: expect.any(String),
      received_at: expect.any(String),
      source: 'http',
      method: 'POST',
      status: 202,
      signature: 'none',
      delivery_id: 'gh-1',
      outcome: 'started',
      reason: null,
      execution_id,
      size: body.length,
      content_type: 'application/json',
    });
    const found = await detail(id, row.id);
    expect(found).toMatchObject({
      ...row,
      execution_ids: [execution_id],
      query: { a: ['1', '2'], '$b.c': 'x' },
      body: Buffer.from(body).toString('base64'),
      body_sha256: createHash('sha256').update(body).digest('hex'),
      truncated: false,
      headers: { 'x-signature': 'sig', 'x-github-delivery': 'gh-1' },
    });
    expect(JSON.stringify(found)).not.toContain('stolen');
  });

  test('by any endpoint is there with the status of the response, and whether it repeats an earlier one', async () => {
    const id = await create({ type: 'http' }, [
      { id: 'stop', type: 'fail', config: { message: 'It fails', code: 'x' }, if: '{{ trigger.body.fail ?? false }}' },
    ]);
    const { key } = await owner.call<{ key: string }>('POST', `/api/v1/workflows/${id}/api-keys`, { name: 'k' });
    const once = { 'webhook-id': 'w-1' };
    await sendJson(id, {}, once);
    await sendJson(id, {}, once);
    await send(`/webhooks/${id}/sync`, '{"fail": true}', JSON_TYPE);
    await send(`/run/${id}?wait=1`, '{}', { ...JSON_TYPE, authorization: `Bearer ${key}` });
    await send(`/webhooks/${id}?hub.challenge=7`, undefined, {}, 'GET');
    await send(`/webhooks/${id}`, undefined, {}, 'GET');
    const lines = (await rows(id, 6)).map(({ source, method, status, outcome, signature }) =>
      [source, method, status, outcome, signature].join(' '),
    );
    expect(lines.toSorted()).toEqual([
      'http GET 200 ignored none',
      'http GET 202 started none',
      'http POST 202 replayed none',
      'http POST 202 started none',
      'http POST 500 started none',
      'run POST 200 started verified',
    ]);
  });

  test('whose sender disconnects before the response is there all the same', async () => {
    const id = await create({ type: 'http' }, [{ id: 'ask', type: 'approval', config: { message: 'Well?' } }]);
    const leaving = new AbortController();
    const sent = fetch(`${whole.url}/webhooks/${id}/sync`, { method: 'POST', signal: leaving.signal });
    const run = await until('it has started a run', async () => {
      const { data } = await owner.call<{ data: JsonObject[] }>('GET', '/api/v1/executions?limit=200');
      return data.find(({ workflow_def_id }) => workflow_def_id === id)?.id as string | undefined;
    });
    leaving.abort();
    await expect(sent).rejects.toThrow(/abort/i);
    await owner.call('POST', `/api/v1/executions/${run}/signal`, { signal: 'approve-ask', data: { approved: true } });
    expect(await only(id)).toMatchObject({ status: null, outcome: 'started', execution_id: run });
  });

  test('with a large body has its beginning, and size and digest of all; a HEAD is none', async () => {
    const id = await create();
    const body = Buffer.alloc(300 * 1024, 'ä');
    await send(`/webhooks/${id}`, body, { 'content-type': 'text/plain' });
    await send(`/webhooks/${id}`, undefined, {}, 'HEAD');
    const row = await only(id);
    expect(row.size).toBe(body.length);
    const found = await detail(id, row.id);
    expect(Buffer.from(found.body, 'base64').equals(body.subarray(0, 256 * 1024))).toBe(true);
    expect([found.truncated, found.body_sha256]).toEqual([true, createHash('sha256').update(body).digest('hex')]);
  });

  test('of messages is one, with all runs that it has started', async () => {
    const id = await create({ type: 'messaging-a', config: {} });
    const body = JSON.stringify(cloudApi([cloudText('wamid.1', 'a'), cloudText('wamid.2', 'b')]));
    const signed = { ...JSON_TYPE, 'x-hub-signature-256': hubSignature(body, A_SECRET) };
    await send(`/webhooks/messaging-a/${id}`, body, signed);
    const row = await only(id);
    expect(row).toMatchObject({
      source: 'messaging-a',
      status: 200,
      signature: 'verified',
      delivery_id: 'wamid.1',
      outcome: 'started',
    });
    expect((await detail(id, row.id)).execution_ids).toHaveLength(2);
  });
});

describe('a form with files', () => {
  const STEPS: JsonObject[] = [
    {
      id: 'store',
      type: 'file_write',
      config: {
        path: '{{ trigger.files[0].filename }}',
        content_base64: '{{ trigger.files[0].content_base64 }}',
        content_type: '{{ trigger.files[0].content_type }}',
      },
    },
    { id: 'read', type: 'file_read', config: { path: '{{ trigger.files[0].filename }}', response: 'base64' } },
    { id: 'out', type: 'set', config: { tags: '{{ trigger.body.tag }}', size: '{{ steps.read.size }}' } },
  ];
  const SIZE = 256 * 1024;

  /** The bytes are the same each time, as a provider's are that sends again. */
  async function formOf(fill: number, size = SIZE): Promise<{ body: Buffer; type: Record<string, string> }> {
    const form = new FormData();
    for (const tag of ['a', 'b']) form.append('tag', tag);
    form.append('file', new Blob([Buffer.alloc(size, fill)], { type: 'image/png' }), '../scan.png');
    const made = new Response(form);
    return {
      body: Buffer.from(await made.arrayBuffer()),
      type: { 'content-type': made.headers.get('content-type') as string },
    };
  }

  test('is fields and files of the run, whose steps can store and read them, by a webhook and by /run', async () => {
    const id = await create({ type: 'http' }, STEPS);
    const { body, type } = await formOf(1);
    const answer = await send(`/webhooks/${id}/sync`, body, type);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { tags: ['a', 'b'], size: SIZE }]);
    const { key } = await owner.call<{ key: string }>('POST', `/api/v1/workflows/${id}/api-keys`, { name: 'k' });
    const run = await send(`/run/${id}?wait=1`, body, { ...type, authorization: `Bearer ${key}` });
    expect([run.status, JSON.parse(run.text)]).toEqual([200, { tags: ['a', 'b'], size: SIZE }]);
  });

  test('that comes again starts nothing, and is refused by its key with another file', async () => {
    const id = await create({ type: 'http' }, STEPS);
    const [{ body, type }, other] = [await formOf(1, 9), await formOf(2, 9)];
    const once = { 'idempotency-key': 'form-1' };
    const first = JSON.parse((await send(`/webhooks/${id}`, body, { ...type, ...once })).text) as JsonObject;
    const again = await send(`/webhooks/${id}`, body, { ...type, ...once });
    expect([again.status, JSON.parse(again.text)]).toMatchObject([202, { execution_id: first.execution_id }]);
    const mismatch = await send(`/webhooks/${id}`, other.body, { ...other.type, ...once });
    expect([mismatch.status, JSON.parse(mismatch.text)]).toMatchObject([409, { code: 'idempotency_mismatch' }]);
  });

  test.each([9, SIZE])('of %d bytes is delivered again from the inbox with its files', async (size) => {
    const id = await create({ type: 'http' }, STEPS);
    const { body, type } = await formOf(3, size);
    await send(`/webhooks/${id}`, body, type);
    const row = await only(id);
    const { execution_id } = (await redeliver(id, row.id)).body;
    expect(await ended(execution_id)).toMatchObject({ status: 'completed', output: { tags: ['a', 'b'], size } });
  });

  test('that is too large or broken is refused with what to do, and starts nothing', async () => {
    const id = await create({ type: 'http' }, STEPS);
    const { body, type } = await formOf(1, SIZE + 1);
    const large = await send(`/webhooks/${id}`, body, type);
    expect([large.status, JSON.parse(large.text)]).toMatchObject([413, { code: 'payload_too_large' }]);
    expect(large.text).toContain('store large files elsewhere and send their URLs');
    expect((await send(`/webhooks/${id}`, body.subarray(0, 500), type)).status).toBe(400);
    expect((await rows(id, 2)).map(({ outcome }) => outcome)).toEqual(['refused', 'refused']);
  });

  test('is checked by the signature of its exact bytes', async () => {
    await owner.call('POST', '/api/v1/secrets', { name: 'FORM', value: 'form-secret' });
    const signature = { preset: 'github', secret: '{{ secret.FORM }}' };
    const id = await create({ type: 'http', config: { signature } }, STEPS);
    const { body, type } = await formOf(4, 9);
    const mac = createHmac('sha256', 'form-secret').update(body).digest('hex');
    const signed = await send(`/webhooks/${id}/sync`, body, { ...type, 'x-hub-signature-256': `sha256=${mac}` });
    expect([signed.status, JSON.parse(signed.text)]).toEqual([200, { tags: ['a', 'b'], size: 9 }]);
    const wrong = { ...type, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    expect((await send(`/webhooks/${id}`, body, wrong)).status).toBe(401);
  });
});

describe('a delivery that starts nothing', () => {
  test('is there with the reason, whatever it was', async () => {
    const id = await create();
    await owner.call('PUT', `/api/v1/workflows/${id}/webhook-key`, { key: 'a-key-of-my-own-choice' });
    await sendJson(id, { a: 1 }, { 'x-api-key': 'a-wrong-key' });
    await send(`/webhooks/${id}`, '{"broken', JSON_TYPE);
    await send(`/webhooks/${id}`, Buffer.alloc(700 * 1024), { 'content-type': 'text/plain' });
    await send(`/run/${id}`, '{}', JSON_TYPE);
    await owner.call('PUT', `/api/v1/workflows/${id}/disable`);
    await sendJson(id, {}, { 'x-api-key': 'a-key-of-my-own-choice' });
    const found = await rows(id, 5);
    expect(
      found.map(({ status, signature, outcome, execution_id }) => [status, signature, outcome, execution_id]),
    ).toEqual(
      expect.arrayContaining([
        [401, 'failed', 'refused', null],
        [400, 'none', 'refused', null],
        [413, 'none', 'refused', null],
        [401, 'failed', 'refused', null],
        [409, 'verified', 'refused', null],
      ]),
    );
    const reasons = found.map(({ reason }) => reason);
    expect(reasons).toContain('This workflow is disabled; enable it first');
    expect(reasons).toContain('The body is not valid JSON, line 1, column 2');
    const broken = found.find(({ status }) => status === 400) as DeliveryView;
    expect((await detail(id, broken.id)).body).toBe(Buffer.from('{"broken').toString('base64'));
  });

  test('of a messaging channel: wrong signature, no key, status, verification; its token is kept nowhere', async () => {
    const id = await create({ type: 'messaging-a', config: {} });
    const path = `/webhooks/messaging-a/${id}`;
    const status = JSON.stringify(cloudApi([], { statuses: [{ id: 'wamid.1', status: 'sent' }] }));
    await send(path, status, { ...JSON_TYPE, 'x-hub-signature-256': hubSignature(status, 'wrong') });
    await send(path, status, { ...JSON_TYPE, 'x-hub-signature-256': hubSignature(status, A_SECRET) });
    await send(path, 'From=a', { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': 'x' });
    const challenge = (token: string) => `${path}?hub.mode=subscribe&hub.challenge=7&hub.verify_token=${token}`;
    await send(challenge('a-verify-token'), undefined, {}, 'GET');
    await send(challenge('a-wrong-token'), undefined, {}, 'GET');
    const found = await rows(id, 5);
    expect(
      found
        .map(({ method, status: code, signature, outcome }) => [method, code, signature, outcome].join(' '))
        .toSorted(),
    ).toEqual([
      'GET 200 verified ignored',
      'GET 403 failed refused',
      'POST 200 verified ignored',
      'POST 401 failed refused',
      'POST 503 not_configured refused',
    ]);
    const all = await Promise.all(found.map((row) => detail(id, row.id)));
    expect(JSON.stringify(all)).not.toMatch(/a-verify-token|a-wrong-token/);
  });

  test('to an unknown address belongs to no tenant', async () => {
    const manual = await create({ type: 'manual' });
    for (const id of [manual, '00000000-0000-4000-8000-000000000000', '__proto__']) {
      expect((await sendJson(id, {})).status).toBe(404);
      await send(`/webhooks/${id}`, '{', JSON_TYPE);
    }
    const known = await create();
    await sendJson(known, {});
    await only(known);
    // Broken JSON is refused before anybody is asked whether there is a webhook: of what exists it is kept.
    expect((await list(manual)).data.map(({ status }) => status)).toEqual([400]);
    expect(await whole.t.app.db.collection('webhook_deliveries').countDocuments({ workflow_id: '__proto__' })).toBe(0);
  });

  test('to an address that is far too long takes no other delivery along', async () => {
    const id = await create();
    const strange = Array.from({ length: 5 }, () => send(`/webhooks/${'x'.repeat(1_500)}`, '{', JSON_TYPE));
    await Promise.all([...strange, sendJson(id, {})]);
    expect(await only(id)).toMatchObject({ source: 'http', outcome: 'started' });
  });
});

describe('the list', () => {
  test('goes page by page, newest first, and by outcome and source', async () => {
    const id = await create();
    for (let n = 0; n < 7; n += 1) await sendJson(id, { n });
    await send(`/webhooks/${id}`, '{', JSON_TYPE);
    await rows(id, 8);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof list>> = await list(
        id,
        `?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...page.data.map((row) => row.received_at));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toHaveLength(8);
    expect(seen).toEqual(seen.toSorted().toReversed());
    expect((await list(id, '?outcome=refused')).data).toHaveLength(1);
    expect((await list(id, '?outcome=started&source=http')).data).toHaveLength(7);
    expect((await list(id, '?source=run')).data).toEqual([]);
  });

  test.each(['?outcome=lost', '?source=mail', '?limit=0', '?limit=201', '?limit=x'])('%s is refused', async (query) => {
    const { status } = await owner.ask('GET', `/api/v1/workflows/${await create()}/deliveries${query}`);
    expect(status).toBe(400);
  });

  test('of unauthenticated callers is short, and pushes out nothing of what has run', async () => {
    const id = await create();
    await sendJson(id, { mine: true });
    const answers = await Promise.all(Array.from({ length: 200 }, () => send(`/webhooks/${id}`, '{', JSON_TYPE)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
    await until('some are kept', async () => (await list(id, '?outcome=refused')).data.length >= 30);
    expect((await list(id, '?outcome=refused&limit=200')).data.length).toBeLessThan(40);
    expect((await list(id, '?outcome=started')).data).toHaveLength(1);
  });

  test('keeps the newest: a thousand that were taken, two hundred that were not', async () => {
    const id = await create();
    const at = Date.now();
    const seen = (n: number, outcome: 'started' | 'refused') => ({
      workflow_id: id,
      source: 'http' as const,
      received_at: new Date(at + n).toISOString(),
      method: 'POST',
      status: 202,
      headers: {},
      query: {},
      raw: Buffer.alloc(n % 100 === 0 ? 9_000 : 10, 'x').toString('base64'),
      size: 10,
      sha256: null,
      outcome,
      code: null,
      reason: null,
      execution_ids: [],
      delivery_id: `${outcome}-${n}`,
      minor: outcome === 'refused',
    });
    for (const [outcome, most] of [
      ['started', 2_000],
      ['refused', 600],
    ] as const) {
      for (let n = 0; n < most; n += 200) {
        const deliveries = Array.from({ length: 200 }, (_, k) => seen(n + k, outcome));
        await whole.t.call('channels.keep_deliveries', { deliveries }, SERVICE);
      }
    }
    const { db } = whole.t.app;
    const count = (collection: string, minor: boolean) =>
      db.collection(collection).countDocuments({ workflow_id: id, minor });
    const [major, minor] = [await count('webhook_deliveries', false), await count('webhook_deliveries', true)];
    expect(major).toBeGreaterThanOrEqual(1_000);
    expect(major).toBeLessThanOrEqual(1_450);
    expect(minor).toBeGreaterThanOrEqual(200);
    expect(minor).toBeLessThanOrEqual(600);
    expect((await list(id, '?outcome=started&limit=1')).data[0]?.delivery_id).toBe('started-1999');
    // No body remains without its delivery.
    expect(await count('webhook_bodies', false)).toBe(Math.ceil(major / 100));
  });
});

describe('a delivery that is sent again by a member', () => {
  test('starts a new run with the same request, each time', async () => {
    const id = await create();
    await sendJson(id, { order: 7 }, { 'x-own': 'yes', 'webhook-id': 'w-9' });
    const row = await only(id);
    const first = await redeliver(id, row.id);
    const second = await redeliver(id, row.id);
    expect([first.status, second.status]).toEqual([202, 202]);
    const runs = [row.execution_id, first.body.execution_id, second.body.execution_id];
    expect(new Set(runs).size).toBe(3);
    const original = await ended(runs[0] as string);
    const again = await ended(runs[1] as string);
    expect([again.trigger, again.input, again.trigger_type]).toEqual([original.trigger, original.input, 'http']);
    const { data } = await owner.call<{ data: JsonObject[] }>('GET', '/api/v1/audit?action=delivery.redeliver');
    expect(data[0]).toMatchObject({ target: { type: 'workflow', id }, after: { delivery_id: row.id } });
  });

  test('with an idempotency key starts one run, also at the same time', async () => {
    const id = await create();
    await sendJson(id, { order: 7 });
    const row = await only(id);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => redeliver(id, row.id, { 'idempotency-key': 'k-1' })),
    );
    answers.push(await redeliver(id, row.id, { 'idempotency-key': 'k-1' }));
    expect(new Set(answers.map(({ body }) => body.execution_id)).size).toBe(1);
    expect(answers.at(-1)?.headers.get('idempotent-replayed')).toBe('true');
    expect((await redeliver(id, row.id, { 'idempotency-key': 'k-2' })).body.execution_id).not.toBe(
      answers[0]?.body.execution_id,
    );
  });

  test('and was refused before starts now', async () => {
    const id = await create();
    await owner.call('PUT', `/api/v1/workflows/${id}/disable`);
    await sendJson(id, { order: 8 });
    const row = await only(id);
    expect((await redeliver(id, row.id)).status).toBe(409);
    await owner.call('PUT', `/api/v1/workflows/${id}/enable`);
    const { body } = await redeliver(id, row.id);
    expect((await ended(body.execution_id)).output).toEqual({ it: { order: 8 } });
  });

  test('and holds messages starts a run for each, once more', async () => {
    const id = await create({ type: 'messaging-a', config: {} });
    const body = JSON.stringify(cloudApi([cloudText('wamid.8', 'a'), cloudText('wamid.9', 'b')]));
    await send(`/webhooks/messaging-a/${id}`, body, {
      ...JSON_TYPE,
      'x-hub-signature-256': hubSignature(body, A_SECRET),
    });
    const row = await only(id);
    const { status, body: again } = await redeliver(id, row.id);
    expect([status, again.execution_ids.length]).toEqual([202, 2]);
    const run = await ended(again.execution_id);
    expect(run.trigger).toMatchObject({ message: { id: 'wamid.8', text: 'a' } });
    expect((await detail(id, row.id)).execution_ids).not.toContain(again.execution_id);
  });

  test('and was too large to keep is taken from its run; without one it cannot be sent again', async () => {
    const id = await create();
    await send(`/webhooks/${id}`, 'x'.repeat(300 * 1024), { 'content-type': 'text/plain' });
    const row = await only(id);
    const { body } = await redeliver(id, row.id);
    expect((await ended(body.execution_id)).input).toHaveLength(300 * 1024);
    await owner.call('PUT', `/api/v1/workflows/${id}/disable`);
    await send(`/webhooks/${id}`, 'x'.repeat(300 * 1024), { 'content-type': 'text/plain' });
    await rows(id, 2);
    await owner.call('PUT', `/api/v1/workflows/${id}/enable`);
    const refused = (await list(id, '?outcome=refused')).data[0] as DeliveryView;
    expect(await redeliver(id, refused.id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  test('and holds more messages than can be kept starts a run for each all the same', async () => {
    const id = await create({ type: 'messaging-a', config: {} });
    const long = 'x'.repeat(140 * 1024);
    const body = JSON.stringify(cloudApi(['wamid.l1', 'wamid.l2'].map((message) => cloudText(message, long))));
    await send(`/webhooks/messaging-a/${id}`, body, {
      ...JSON_TYPE,
      'x-hub-signature-256': hubSignature(body, A_SECRET),
    });
    const row = await only(id);
    expect((await detail(id, row.id)).truncated).toBe(true);
    const { status, body: again } = await redeliver(id, row.id);
    expect([status, again.execution_ids.length]).toEqual([202, 2]);
    const runs = await Promise.all(again.execution_ids.map(ended));
    expect(runs.map(({ trigger }) => (trigger as { message: JsonObject }).message.id)).toEqual([
      'wamid.l1',
      'wamid.l2',
    ]);
  });

  test('and has lost its body is taken from its run too, and not sent empty', async () => {
    const id = await create();
    await send(`/webhooks/${id}`, 'x'.repeat(20_000), { 'content-type': 'text/plain' });
    const row = await only(id);
    await whole.t.app.db.collection('webhook_bodies').deleteOne({ _id: row.id as never });
    expect((await detail(id, row.id)).truncated).toBe(true);
    const { body } = await redeliver(id, row.id);
    expect((await ended(body.execution_id)).input).toHaveLength(20_000);
  });

  test('and is broken, or of another workflow, or nowhere, is refused', async () => {
    const [id, other] = [await create(), await create()];
    await send(`/webhooks/${id}`, '{', JSON_TYPE);
    const row = await only(id);
    expect((await redeliver(id, row.id)).body.code).toBe('invalid_json');
    for (const [workflow, delivery] of [
      [other, row.id],
      [id, other],
      [id, '$ne'],
      ['DeliveryLog', row.id],
    ]) {
      expect((await redeliver(workflow as string, delivery as string)).status).toBe(404);
    }
  });
});

describe('the bytes of a body', () => {
  const steps = [
    {
      id: 'check',
      type: 'crypto',
      config: {
        operation: 'verify_hmac',
        data: '{{ trigger.raw_body }}',
        key: 'k',
        signature: "{{ trigger.headers['x-signature'] }}",
      },
    },
  ];
  const sign = (body: string | Buffer): string => createHmac('sha256', 'k').update(body).digest('hex');

  test.each(['{ "a" : 1.0 }', '\ufeff{"b":2}', '{"c":"ü\\u00e4"}'])(
    '%j are there where the trigger asks for them, so that a step can check a signature',
    async (body) => {
      const id = await create({ type: 'http', config: { raw: true } }, steps);
      const headers = { ...JSON_TYPE, 'x-signature': sign(body) };
      for (const [sent, valid] of [
        [body, true],
        [`${body} `, false],
      ] as const) {
        const { text } = await send(`/webhooks/${id}/sync`, sent, headers);
        expect(JSON.parse(text)).toEqual({ valid });
      }
    },
  );

  test('are in base64 where they are no text', async () => {
    const id = await create({ type: 'http', config: { raw: true } });
    const body = Buffer.from([0, 255, 128]);
    const { text } = await send(`/webhooks/${id}`, body, { 'content-type': 'application/octet-stream' });
    const { trigger } = await ended((JSON.parse(text) as { execution_id: string }).execution_id);
    expect(trigger).toMatchObject({ raw_body: body.toString('base64'), raw_encoding: 'base64' });
  });

  test('are not there when no caller has asked', async () => {
    const id = await create();
    const { text } = await sendJson(id, { a: 1 });
    const { trigger } = await ended((JSON.parse(text) as { execution_id: string }).execution_id);
    expect(trigger).not.toHaveProperty('raw_body');
  });
});

test('a workflow that is gone takes its inbox with it', async () => {
  const id = await create();
  await sendJson(id, { a: 1 });
  const row = await only(id);
  await owner.call('DELETE', `/api/v1/workflows/${id}`);
  expect((await owner.ask('GET', `/api/v1/workflows/${id}/deliveries`)).status).toBe(404);
  expect((await owner.ask('GET', `/api/v1/workflows/${id}/deliveries/${row.id}`)).status).toBe(404);
  const left = () => whole.t.app.db.collection('webhook_deliveries').countDocuments({ workflow_id: id });
  await until('nothing is left', async () => (await left()) === 0);
});
