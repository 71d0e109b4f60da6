import { createHash } from 'node:crypto';
import { SignJWT } from 'jose';
import { AccessToken, WebhookReceiver } from 'livekit-server-sdk';
import { AppError } from '../../../lib/errors';
import type { JsonObject } from '../../../lib/json';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { channelsService } from '../../../services/channels/channels.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { type Actor, startApp, type TestApp } from '../../support/app';
import { document, FakeAuth, FakeExecutor } from '../workflows/fakes';

const API_KEY = 'APItest';
const API_SECRET = 'a secret of the voice provider, long enough';
const actor: Actor = { tenant_id: 'tenant', role: 'owner' };

let app: TestApp;
const executor = new FakeExecutor();
let serial = 0;

beforeAll(async () => {
  app = await startApp({
    services: [
      new FakeAuth().service,
      executor.service,
      secretsService,
      workflowsService,
      channelsService,
      apiGatewayService,
    ],
    env: { VOICE_PROVIDER_API_KEY: API_KEY, VOICE_PROVIDER_API_SECRET: API_SECRET },
  });
});
afterAll(() => app?.close());
beforeEach(() => executor.runs.clear());

/** Creates a workflow that is triggered by voice rooms; returns its id. */
async function create(config: JsonObject = {}, more: JsonObject = {}): Promise<string> {
  const dsl = { ...document(), trigger: { type: 'voice_event', config }, ...more };
  return (await app.call('workflows.create', { name: 'Voice', dsl }, actor)).id;
}

const eventFor = (workflow_id: string | null, fields: JsonObject = {}, tenant_id = 'tenant'): JsonObject => ({
  event: 'participant_joined',
  id: `EV_${++serial}`,
  createdAt: '1764000000',
  room: {
    sid: 'RM_1',
    name: 'call-7',
    ...(workflow_id === null ? {} : { metadata: JSON.stringify({ tenant_id, workflow_id }) }),
  },
  participant: { sid: 'PA_1', identity: 'caller' },
  ...fields,
});

/** As the provider signs: by its own library. */
async function signatureOf(body: string, { key = API_KEY, secret = API_SECRET } = {}): Promise<string> {
  const token = new AccessToken(key, secret);
  token.sha256 = createHash('sha256').update(body).digest('base64');
  return token.toJwt();
}

/** Sends bytes as they are. */
async function post(body: string, authorization?: string) {
  const response = await fetch(`${app.url}/webhooks/voice-provider`, {
    method: 'POST',
    headers: {
      'content-type': 'application/webhook+json',
      ...(authorization === undefined ? {} : { authorization }),
    },
    body,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const deliver = async (event: JsonObject) => {
  const body = JSON.stringify(event);
  return post(body, await signatureOf(body));
};
const deliveries = () => app.app.db.collection('deliveries');

describe('an event of a voice room', () => {
  it('starts the workflow that the room names, with the event as its trigger', async () => {
    const id = await create();
    const event = eventFor(id);
    const { status, body } = await deliver(event);
    expect(status).toBe(200);
    expect(body).toEqual({
      event: 'participant_joined',
      outcome: 'started',
      reason: null,
      execution_id: executor.only.params.execution_id,
    });
    expect(executor.only.tenant).toBe('tenant');
    expect(executor.only.params).toMatchObject({
      workflow_id: id,
      trigger_type: 'voice_event',
      trigger: { body: event },
      spread_body: true,
    });
  });

  it('is one that the official receiver takes too, so the signature of the test is the provider’s', async () => {
    const body = JSON.stringify(eventFor(null));
    const received = await new WebhookReceiver(API_KEY, API_SECRET).receive(body, await signatureOf(body));
    expect(received.event).toBe('participant_joined');
  });

  it('sent again starts nothing again, also when it came twice at once', async () => {
    const event = eventFor(await create());
    const answers = await Promise.all([deliver(event), deliver(event), deliver(event)]);
    answers.push(await deliver(event));
    expect(new Set(answers.map(({ body }) => body.execution_id)).size).toBe(1);
    expect(executor.runs.size).toBe(1);
  });

  it('whose start failed for now gets that error, and starts when it comes again', async () => {
    const event = eventFor(await create());
    executor.startFaults.push(new AppError('timed_out', 'The host does not answer'));
    expect((await deliver(event)).status).toBe(504);
    expect(executor.runs.size).toBe(0);
    expect((await deliver(event)).body.outcome).toBe('started');
    expect(executor.runs.size).toBe(1);
  });

  it('starts only workflows that are subscribed to it', async () => {
    const id = await create({ events: ['room_finished'] });
    expect((await deliver(eventFor(id))).body).toMatchObject({ outcome: 'ignored', execution_id: null });
    expect((await deliver(eventFor(id, { event: 'room_finished' }))).body.outcome).toBe('started');
  });

  it('that cannot start its workflow is recorded with the reason, and answered, so that the provider does not repeat it without a limit', async () => {
    const id = await create();
    await app.call('workflows.disable', { id }, actor);
    const event = eventFor(id);
    const { status, body } = await deliver(event);
    expect(status).toBe(200);
    expect(body).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('disabled') });
    expect(await deliveries().findOne({ _id: `voice-provider:${String(event.id)}` as never })).toMatchObject({
      outcome: 'refused',
      workflow_id: id,
      tenant_id: 'tenant',
    });
  });

  it.each([
    ['of a room that this service has not made', () => eventFor(null)],
    ['of a room with other metadata', () => eventFor(null, { room: { name: 'x', metadata: 'not json {' } })],
    ['without a room', () => ({ event: 'egress_ended', id: `EV_${++serial}` })],
  ])('%s is recorded and starts nothing', async (_what, make) => {
    const event = make();
    expect((await deliver(event)).body).toMatchObject({ outcome: 'ignored', execution_id: null });
    expect(await deliveries().findOne({ _id: `voice-provider:${String(event.id)}` as never })).not.toBeNull();
    expect(executor.runs.size).toBe(0);
  });

  it('that names a workflow of another tenant starts nothing', async () => {
    const id = await create();
    expect((await deliver(eventFor(id, {}, 'other'))).body.outcome).toBe('ignored');
    expect(executor.runs.size).toBe(0);
  });

  it('that names a workflow without such a trigger starts nothing', async () => {
    const { id } = await app.call('workflows.create', { name: 'Hook', dsl: document() }, actor);
    expect((await deliver(eventFor(id))).body.outcome).toBe('ignored');
  });
});

describe('a request that the provider did not sign', () => {
  it('is refused without a signature, with another secret, of another key, or for another body', async () => {
    const body = JSON.stringify(eventFor(await create()));
    expect((await post(body)).status).toBe(401);
    expect((await post(body, 'nonsense')).status).toBe(401);
    expect(
      (await post(body, await signatureOf(body, { secret: 'another secret, which is also long enough' }))).status,
    ).toBe(401);
    expect((await post(body, await signatureOf(body, { key: 'APIother' }))).status).toBe(401);
    expect((await post(`${body} `, await signatureOf(body))).status).toBe(401);
    expect((await post(body, await signatureOf(`${body} `))).status).toBe(401);
    expect(executor.runs.size).toBe(0);
  });

  it('is refused when it is too old, or the token is made for something else', async () => {
    const body = JSON.stringify(eventFor(await create()));
    const token = (claims: Record<string, unknown>, exp: number) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(API_KEY)
        .setExpirationTime(exp)
        .sign(Buffer.from(API_SECRET));
    const now = Math.floor(Date.now() / 1_000);
    const sha256 = createHash('sha256').update(body).digest('base64');
    expect((await post(body, await token({ sha256 }, now - 3_600))).status).toBe(401);
    expect((await post(body, await token({ video: { roomJoin: true } }, now + 600))).status).toBe(401);
    expect((await post(body, await new AccessToken(API_KEY, API_SECRET, { identity: 'caller' }).toJwt())).status).toBe(
      401,
    );
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(
      JSON.stringify({ iss: API_KEY, exp: now + 600, sha256 }),
    ).toString('base64url')}.`;
    expect((await post(body, unsigned)).status).toBe(401);
    expect(executor.runs.size).toBe(0);
    expect((await post(body, await token({ sha256 }, now + 600))).status).toBe(200);
  });
});

it.each(['', 'null', '[]', '{"event":7}', '{"event":'])(
  'a signed body that is no event (%j) is refused',
  async (body) => {
    expect((await post(body, await signatureOf(body))).status).toBe(400);
  },
);

it('without the provider’s secret nothing is taken, and the answer names the variables', async () => {
  const bare = await startApp({ services: [channelsService, apiGatewayService] });
  try {
    const response = await fetch(`${bare.url}/webhooks/voice-provider`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      code: 'provider_not_configured',
      error: expect.stringContaining('VOICE_PROVIDER_API_SECRET'),
    });
  } finally {
    await bare.close();
  }
});
