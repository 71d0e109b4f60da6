import type { Json, JsonObject } from '../../../lib/json';
import { channelsService } from '../../../services/channels/channels.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { type Actor, openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { ManualClock } from '../../support/manual-clock';
import { sendWebhook, type Sent, webhookService } from '../../support/webhooks';
import { codeOf, document, FakeAuth, FakeExecutor } from '../workflows/fakes';

let database: TestDatabase;
let app: TestApp;
const executor = new FakeExecutor();
const actor: Actor = { tenant_id: 'tenant', role: 'owner' };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

beforeAll(async () => {
  database = await openTestDatabase();
  app = await startApp({
    services: [
      new FakeAuth().service,
      executor.service,
      secretsService,
      workflowsService,
      channelsService,
      webhookService,
    ],
    database,
    clock: new ManualClock(),
  });
});

afterAll(async () => {
  await app?.close();
  await database?.close();
});

beforeEach(() => executor.runs.clear());
afterEach(() => jest.restoreAllMocks());

const create = (fields: JsonObject = {}, dsl = document()) =>
  app.call('workflows.create', { name: 'Hook', dsl, ...fields }, actor);

const requestTo = (workflow_id: string, fields: Partial<Sent> = {}): Sent => ({
  workflow_id,
  headers: { 'content-type': 'application/json' },
  body: { order: 7 },
  ...fields,
});

const deliver = (workflowId: string, fields: Partial<Sent> = {}, wait = false) =>
  sendWebhook(app, { ...requestTo(workflowId, fields), wait });

const run = (workflowId: string, key: string, fields: Partial<Sent> = {}) =>
  sendWebhook(app, { ...requestTo(workflowId, fields), key });

const newKey = async (id: string) => (await app.call('workflows.create_key', { id }, actor)).key;

describe('a webhook', () => {
  test('starts the workflow for its tenant, with body, headers, query and method as the trigger', async () => {
    const { id } = await create();
    const started = await deliver(id, { query: { q: '1' }, method: 'PUT' });
    expect(started).toEqual({
      id: expect.any(String),
      status: 'running',
      output: null,
      error: null,
      response: null,
      replayed: false,
    });
    expect(executor.only.tenant).toBe(actor.tenant_id);
    expect(executor.only.params).toMatchObject({
      workflow_id: id,
      trigger_type: 'http',
      trigger: {
        body: { order: 7 },
        headers: { 'content-type': 'application/json' },
        query: { q: '1' },
        method: 'PUT',
      },
    });
    expect(executor.only.params).not.toHaveProperty('wait_ms');
  });

  test.each<[string, Json]>([
    ['null', null],
    ['a text', 'plain'],
    ['a list', [1, 2]],
    ['a number', 0],
    ['false', false],
  ])('with a body that is %s hands it on as it is', async (_title, body) => {
    const { id } = await create();
    await deliver(id, { body });
    expect(executor.only.params.trigger.body).toEqual(body);
  });

  test('neither credentials nor headers of the connection are recorded; signatures are', async () => {
    const { id } = await create();
    const headers = {
      authorization: 'Bearer x',
      cookie: 'a=b',
      'x-api-key': 'k',
      connection: 'keep-alive, X-Private',
      'keep-alive': '5',
      'transfer-encoding': 'chunked',
      'x-private': 'p',
      'x-hub-signature-256': 'sha256=1',
      'user-agent': 'test',
    };
    await deliver(id, { headers });
    expect(executor.only.params.trigger.headers).toEqual({ 'x-hub-signature-256': 'sha256=1', 'user-agent': 'test' });
  });

  test('to an unknown id, or a workflow without an http trigger, finds nothing, by GET as well', async () => {
    const { id } = await create({}, document({}, 'manual'));
    for (const target of [UNKNOWN, id, 'no-uuid']) {
      for (const method of ['GET', 'POST']) expect(await codeOf(deliver(target, { method }))).toBe('not_found');
    }
  });

  test('of a disabled or deleted workflow is refused at once', async () => {
    const { id } = await create();
    await deliver(id);
    await app.call('workflows.disable', { id }, actor);
    expect(await codeOf(deliver(id))).toBe('workflow_disabled');
    await app.call('workflows.enable', { id }, actor);
    await deliver(id);
    await app.call('workflows.remove', { id }, actor);
    expect(await codeOf(deliver(id))).toBe('not_found');
  });

  test('with a key needs exactly that key', async () => {
    const key = 'a-key-of-my-own-choice';
    const { id } = await create({ webhook_api_key: key });
    for (const headers of [{}, { 'x-api-key': '' }, { 'x-api-key': `${key}x` }, { 'x-api-key': key.slice(1) }]) {
      expect(await codeOf(deliver(id, { headers: headers as never }))).toBe('unauthenticated');
    }
    await deliver(id, { headers: { 'x-api-key': key } });
    await app.call('workflows.clear_webhook_key', { id }, actor);
    await deliver(id);
    expect(executor.runs.size).toBe(2);
  });

  test('whose workflow names a missing secret is refused, until the secret is there', async () => {
    const { id } = await create({}, document({ a: '{{ secret.HOOK }}' }));
    expect(await codeOf(deliver(id))).toBe('unknown_secret');
    await app.call('secrets.put', { name: 'HOOK', value: 'a value' }, actor);
    await deliver(id);
    expect(executor.runs.size).toBe(1);
  });

  test('that waits asks for an answer before the request times out', async () => {
    const { id } = await create();
    await deliver(id, {}, true);
    expect(executor.only.params.wait_ms).toBe(app.app.config.requestTimeoutMs - 1_000);
  });

  test('reads no document when its workflow is in memory', async () => {
    const { id } = await create();
    await deliver(id);
    const reads = Object.values(app.app.db.models).flatMap((model) =>
      (['findOne', 'find', 'findById', 'exists'] as const).map((read) => jest.spyOn(model, read)),
    );
    await deliver(id);
    expect(reads.map((read) => read.mock.calls.length)).toEqual(reads.map(() => 0));
  });
});

describe('a delivery that comes again', () => {
  test.each([
    'idempotency-key',
    'webhook-id',
    'svix-id',
    'x-github-delivery',
    'x-gitea-delivery',
    'x-shopify-webhook-id',
    'linear-delivery',
    'x-atlassian-webhook-identifier',
    'i-twilio-idempotency-token',
  ])('with the same %s starts nothing more', async (header) => {
    const { id } = await create();
    const starts = await Promise.all(Array.from({ length: 5 }, () => deliver(id, { headers: { [header]: 'd-1' } })));
    expect(new Set(starts.map((start) => start.id)).size).toBe(1);
    expect(starts.filter((start) => start.replayed)).toHaveLength(4);
    await deliver(id, { headers: { [header]: 'd-2' } });
    expect(executor.runs.size).toBe(2);
  });

  test('to another workflow is another start', async () => {
    const headers = { 'idempotency-key': 'same' };
    await deliver((await create()).id, { headers });
    await deliver((await create()).id, { headers });
    expect(executor.runs.size).toBe(2);
  });

  test('with another body is refused when the caller chose the idempotency key, and accepted from a provider', async () => {
    const { id } = await create();
    await deliver(id, { headers: { 'idempotency-key': 'k' } });
    expect(await codeOf(deliver(id, { headers: { 'idempotency-key': 'k' }, body: { order: 8 } }))).toBe(
      'idempotency_mismatch',
    );
    await deliver(id, { headers: { 'x-github-delivery': 'g' } });
    expect((await deliver(id, { headers: { 'x-github-delivery': 'g' }, body: {} })).replayed).toBe(true);
    expect(executor.runs.size).toBe(2);
  });

  test('without any id is a start of its own', async () => {
    const { id } = await create();
    await deliver(id, { headers: { 'x-request-id': 'r' } });
    await deliver(id, { headers: { 'x-request-id': 'r' } });
    expect(executor.runs.size).toBe(2);
  });
});

describe('a call of /run', () => {
  test('starts a workflow of any trigger; the keys of the body and the whole are the trigger', async () => {
    const { id } = await create({}, document({}, 'manual'));
    const body = JSON.parse('{"order":7,"body":"inner","__proto__":{"admin":true}}') as Json;
    await run(id, await newKey(id), { body });
    expect(executor.only.params).toMatchObject({ trigger_type: 'api', trigger: { body }, spread_body: true });
  });

  test.each<[Json]>([[null], ['text'], [[1]]])(
    'with a body %j that is no object has it as trigger.body',
    async (body) => {
      const { id } = await create();
      await run(id, await newKey(id), { body });
      expect(executor.only.params.trigger).toEqual({ body });
    },
  );

  test('needs a live key of this very workflow', async () => {
    const { id } = await create();
    const key = await newKey(id);
    const other = await newKey((await create()).id);
    expect(await codeOf(run(id, 'evw_nonsense'))).toBe('unauthenticated');
    expect(await codeOf(run(id, other))).toBe('unauthenticated');
    expect(await codeOf(run(UNKNOWN, key))).toBe('not_found');
    await run(id, key);
    const { data } = await app.call('workflows.list_keys', { id }, actor);
    await app.call('workflows.revoke_key', { id, key_id: data[0]?.id as string }, actor);
    expect(await codeOf(run(id, key))).toBe('unauthenticated');
  });

  test('of a disabled workflow is refused', async () => {
    const { id } = await create();
    const key = await newKey(id);
    await app.call('workflows.disable', { id }, actor);
    expect(await codeOf(run(id, key))).toBe('workflow_disabled');
  });

  test('with an idempotency key starts once, and not together with a webhook of the same key', async () => {
    const { id } = await create();
    const key = await newKey(id);
    const headers = { 'idempotency-key': 'k' };
    const first = await run(id, key, { headers });
    const again = await run(id, key, { headers });
    expect(again).toMatchObject({ replayed: true, id: first.id });
    await deliver(id, { headers });
    expect(executor.runs.size).toBe(2);
  });
});
