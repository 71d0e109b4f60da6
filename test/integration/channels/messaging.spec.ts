import { AppError } from '../../../lib/errors';
import type { JsonObject } from '../../../lib/json';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { channelsService } from '../../../services/channels/channels.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { type Actor, startApp, type TestApp } from '../../support/app';
import {
  cloudApi,
  cloudText,
  formMessage,
  formSignature,
  hubSignature,
  pageEvent,
  pageEvents,
} from '../../support/messages';
import { until } from '../../support/until';
import { document, FakeAuth, FakeExecutor } from '../workflows/fakes';

const BASE = 'https://flows.example.com';
const A_SECRET = 'app-secret-of-a';
const A_TOKEN = 'auth-token-of-a';
const B_SECRET = 'app-secret-of-b';
const VERIFY = 'verify-of-a';

let app: TestApp;
const executor = new FakeExecutor();
const actor: Actor = { tenant_id: 'tenant', role: 'owner' };
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
    env: {
      BASE_URL: BASE,
      MESSAGING_A_APP_SECRET: A_SECRET,
      MESSAGING_A_AUTH_TOKEN: A_TOKEN,
      MESSAGING_A_VERIFY_TOKEN: VERIFY,
      MESSAGING_B_APP_SECRET: B_SECRET,
    },
  });
});
afterAll(() => app?.close());
beforeEach(() => executor.runs.clear());

type Channel = 'messaging-a' | 'messaging-b';

/** Creates a workflow that is triggered by a channel; returns its id. */
async function create(channel: Channel, config: JsonObject = {}, dsl: JsonObject = {}): Promise<string> {
  const made = { ...document(), trigger: { type: channel, config }, ...dsl };
  return (await app.call('workflows.create', { name: 'Bot', dsl: made }, actor)).id;
}

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

const newId = (): string => `wamid.${++serial}`;

async function post(path: string, body: string, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(app.url + path, { method: 'POST', body, headers });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

const sendJson = (channel: Channel, id: string, body: string, secret: string, more: Record<string, string> = {}) =>
  post(`/webhooks/${channel}/${id}`, body, {
    'content-type': 'application/json',
    'x-hub-signature-256': hubSignature(body, secret),
    ...more,
  });

const sendForm = (
  id: string,
  fields: Record<string, string>,
  { token = A_TOKEN, path = `/webhooks/messaging-a/${id}` } = {},
) =>
  post(path, new URLSearchParams(fields).toString(), {
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    'x-twilio-signature': formSignature(`${BASE}${path}`, fields, token),
  });

const resultsOf = ({ text }: Answer) => JSON.parse(text) as { data: JsonObject[]; ignored: string[] };
const codeOf = ({ text }: Answer): unknown => (JSON.parse(text) as JsonObject).code;

describe('a message in JSON', () => {
  test('starts the workflow, with the message, who has written it, and the request', async () => {
    const id = await create('messaging-a');
    const body = cloudApi([cloudText('wamid.first', 'Hello')]);
    const answer = await sendJson('messaging-a', id, JSON.stringify(body), A_SECRET);
    expect(answer).toMatchObject({ status: 200, type: 'application/json; charset=utf-8' });
    expect(resultsOf(answer)).toEqual({
      data: [{ id: 'wamid.first', outcome: 'started', reason: null, execution_id: executor.only.params.execution_id }],
      ignored: [],
    });
    expect(executor.only).toMatchObject({
      tenant: 'tenant',
      params: {
        workflow_id: id,
        trigger_type: 'messaging-a',
        trigger: {
          message: { id: 'wamid.first', from: '16315551234', text: 'Hello', type: 'text', media: [] },
          contact: { id: '16315551234', name: 'Kerry Fisher' },
          body,
        },
      },
    });
  });

  test('sent again starts nothing again, also when it came three times at once', async () => {
    const id = await create('messaging-a');
    const body = JSON.stringify(cloudApi([cloudText(newId(), 'Hello')]));
    const answers = await Promise.all([1, 2, 3].map(() => sendJson('messaging-a', id, body, A_SECRET)));
    answers.push(await sendJson('messaging-a', id, body, A_SECRET));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(resultsOf(answers[3] as Answer).data).toMatchObject([{ outcome: 'replayed' }]);
    expect(executor.runs.size).toBe(1);
  });

  test('with others in one request starts a run of its own, in which are none of the others', async () => {
    const id = await create('messaging-a');
    const ids = Array.from({ length: 30 }, newId);
    const body = JSON.stringify(cloudApi(ids.map((each) => cloudText(each, `text ${each}`))));
    expect(resultsOf(await sendJson('messaging-a', id, body, A_SECRET)).data.map((each) => each.id)).toEqual(ids);
    expect(executor.runs.size).toBe(30);
    for (const { params } of executor.runs.values()) {
      const { id: own } = params.trigger.message as { id: string };
      expect(JSON.stringify(params.trigger.body).match(/wamid\.\d+/g)).toEqual([own, own]);
    }
  });

  test('of a page or a professional account starts by the other channel', async () => {
    const id = await create('messaging-b');
    for (const object of ['page', 'instagram']) {
      const body = JSON.stringify(pageEvents([pageEvent({ message: { mid: newId(), text: 'Hi' } })], object));
      expect((await sendJson('messaging-b', id, body, B_SECRET)).status).toBe(200);
    }
    expect([...executor.runs.values()].map(({ params }) => params.trigger_type)).toEqual([
      'messaging-b',
      'messaging-b',
    ]);
  });

  test('that is none (statuses, echoes, receipts) starts nothing and is answered', async () => {
    const [a, b] = [await create('messaging-a'), await create('messaging-b')];
    const status = cloudApi([], { statuses: [{ id: 'wamid.1', status: 'sent', recipient_id: '1', timestamp: '1' }] });
    const { object, entry } = status;
    const bodies = [
      await sendJson('messaging-a', a, JSON.stringify({ object, entry }), A_SECRET),
      await sendJson(
        'messaging-b',
        b,
        JSON.stringify(pageEvents([pageEvent({ message: { mid: 'm', is_echo: true } })])),
        B_SECRET,
      ),
      await sendJson('messaging-b', b, JSON.stringify(pageEvents([pageEvent({ read: { watermark: 1 } })])), B_SECRET),
    ];
    expect(bodies.map((answer) => [answer.status, resultsOf(answer).ignored])).toEqual([
      [200, ['status']],
      [200, ['echo']],
      [200, ['read']],
    ]);
    expect(executor.runs.size).toBe(0);
  });

  test('whose start failed for now is sent again, and only then starts: the others are not started twice', async () => {
    const id = await create('messaging-a');
    const body = JSON.stringify(cloudApi([cloudText(newId(), '1'), cloudText(newId(), '2')]));
    executor.startFaults.push(new AppError('timed_out', 'The host does not answer'));
    expect((await sendJson('messaging-a', id, body, A_SECRET)).status).toBe(503);
    expect(executor.runs.size).toBe(1);
    const again = await sendJson('messaging-a', id, body, A_SECRET);
    expect(
      resultsOf(again)
        .data.map(({ outcome }) => String(outcome))
        .toSorted(),
    ).toEqual(['replayed', 'started']);
    expect(executor.runs.size).toBe(2);
  });

  test('that will never start is recorded, and answered, so that the sender does not repeat it without a limit', async () => {
    const id = await create('messaging-a');
    executor.startFaults.push(new AppError('quota_exceeded', 'The month is used up'));
    const body = JSON.stringify(cloudApi([cloudText(newId(), '1'), cloudText(newId(), '2')]));
    const answer = await sendJson('messaging-a', id, body, A_SECRET);
    expect(resultsOf(answer).data).toMatchObject([
      { outcome: 'refused', reason: 'The month is used up', execution_id: null },
      { outcome: 'started' },
    ]);
  });

  test('to a workflow that is disabled is 409, once its signature is right', async () => {
    const id = await create('messaging-a');
    await app.call('workflows.disable', { id }, actor);
    const body = JSON.stringify(cloudApi([cloudText(newId(), 'x')]));
    expect((await sendJson('messaging-a', id, body, A_SECRET)).status).toBe(409);
    expect((await sendJson('messaging-a', id, body, 'wrong')).status).toBe(401);
  });
});

describe('a message in a form', () => {
  test('starts the workflow, and is answered with a document that sends nothing back', async () => {
    const id = await create('messaging-a');
    const answer = await sendForm(id, formMessage());
    expect(answer).toEqual({
      status: 200,
      type: 'text/xml; charset=utf-8',
      text: '<?xml version="1.0" encoding="UTF-8"?><Response></Response>',
    });
    expect(executor.only.params.trigger).toMatchObject({
      message: { id: formMessage().MessageSid, text: 'Ahoy! 👋', from: 'whatsapp:+14155238886' },
      contact: { name: 'Grace' },
      body: formMessage(),
    });
    expect((await sendForm(id, formMessage())).status).toBe(200);
    expect(executor.runs.size).toBe(1);
  });

  test('is signed over the address with its query', async () => {
    const id = await create('messaging-a');
    const path = `/webhooks/messaging-a/${id}?from=sms&n=1`;
    expect((await sendForm(id, formMessage(), { path })).status).toBe(200);
    const signedForAnother = await post(`/webhooks/messaging-a/${id}`, new URLSearchParams(formMessage()).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': formSignature(`${BASE}${path}`, formMessage(), A_TOKEN),
    });
    expect(signedForAnother.status).toBe(401);
    const signedWithoutQuery = await post(path, new URLSearchParams(formMessage()).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': formSignature(`${BASE}/webhooks/messaging-a/${id}`, formMessage(), A_TOKEN),
    });
    expect(signedWithoutQuery.status).toBe(401);
  });

  test('with a field twice is refused although its signature is right: which one came first is not signed', async () => {
    const id = await create('messaging-a');
    const url = `${BASE}/webhooks/messaging-a/${id}`;
    const fields = formMessage();
    const { Body: _, ...others } = fields;
    const first = formSignature(url, { ...others, Body: 'aBodyb' }, A_TOKEN);
    for (const order of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const body = `${new URLSearchParams(others).toString()}&Body=${order[0]}&Body=${order[1]}`;
      const answer = await post(`/webhooks/messaging-a/${id}`, body, {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': first,
      });
      expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
    }
    expect(executor.runs.size).toBe(0);
  });

  test('about what was sent starts nothing', async () => {
    const id = await create('messaging-a');
    expect((await sendForm(id, formMessage({ MessageStatus: 'delivered', SmsStatus: 'delivered' }))).status).toBe(200);
    expect(executor.runs.size).toBe(0);
  });

  test('is none of the other channel', async () => {
    const id = await create('messaging-b');
    const path = `/webhooks/messaging-b/${id}`;
    expect((await sendForm(id, formMessage(), { path })).status).toBe(415);
  });
});

describe('what the provider has not signed', () => {
  const text = (): string => JSON.stringify(cloudApi([cloudText(newId(), 'x')]));

  test('is refused: no signature, a wrong one, one of other bytes, one of the other format', async () => {
    const id = await create('messaging-a');
    const body = text();
    const json = { 'content-type': 'application/json' };
    const to = `/webhooks/messaging-a/${id}`;
    const spaced = JSON.stringify(JSON.parse(body), null, 1);
    const answers = [
      await post(to, body, json),
      await post(to, body, { ...json, 'x-hub-signature-256': hubSignature(body, 'wrong') }),
      await post(to, spaced, { ...json, 'x-hub-signature-256': hubSignature(body, A_SECRET) }),
      await post(to, `${body}\n`, { ...json, 'x-hub-signature-256': hubSignature(body, A_SECRET) }),
      await post(to, body, { ...json, 'x-twilio-signature': formSignature(`${BASE}${to}`, {}, A_TOKEN) }),
      await post(to, body, { ...json, 'x-hub-signature-256': hubSignature(body, A_TOKEN) }),
      await sendForm(id, formMessage(), { token: 'wrong' }),
      await sendForm(id, formMessage(), { token: A_SECRET }),
    ];
    expect(answers.map((answer) => [answer.status, codeOf(answer)])).toEqual(
      answers.map(() => [401, 'unauthenticated']),
    );
    expect(executor.runs.size).toBe(0);
  });

  test('is not even read: broken JSON and a huge batch without a signature are 401', async () => {
    const id = await create('messaging-a');
    const huge = JSON.stringify(cloudApi(Array.from({ length: 1_001 }, () => cloudText(newId(), 'x'))));
    for (const body of ['{', huge]) expect((await sendJson('messaging-a', id, body, 'wrong')).status).toBe(401);
    expect((await sendJson('messaging-a', id, '{', A_SECRET)).status).toBe(400);
    expect((await sendJson('messaging-a', id, huge, A_SECRET)).status).toBe(413);
    expect(executor.runs.size).toBe(0);
  });

  test("is refused under another workflow's secret, and under the installation's where the workflow has its own", async () => {
    await app.call('secrets.put', { name: 'MINE', value: 'mine' }, actor);
    await app.call('secrets.put', { name: 'OTHER', value: 'other' }, actor);
    const mine = await create('messaging-a', { app_secret: '{{ secret.MINE }}' });
    await create('messaging-a', { app_secret: '{{ secret.OTHER }}' });
    for (const secret of ['other', A_SECRET]) {
      expect((await sendJson('messaging-a', mine, text(), secret)).status).toBe(401);
    }
    expect((await sendJson('messaging-a', mine, text(), 'mine')).status).toBe(200);
  });

  test('is refused by a workflow of another channel, and by an unknown one, with the same words', async () => {
    const id = await create('messaging-b');
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const to of [id, unknown, 'sync']) {
      const answer = await sendJson('messaging-a', to, text(), A_SECRET);
      expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
    }
  });
});

describe('the keys of a channel', () => {
  const text = (): string => JSON.stringify(cloudApi([cloudText(newId(), 'x')]));

  test('of several triggers all count', async () => {
    await app.call('secrets.put', { name: 'ONE', value: 'value one' }, actor);
    await app.call('secrets.put', { name: 'TWO', value: 'value two' }, actor);
    const triggers = ['ONE', 'TWO'].map((name) => ({
      type: 'messaging-a',
      config: { app_secret: `{{ secret.${name} }}` },
    }));
    const { trigger: _, ...rest } = document();
    const dsl = { ...rest, triggers };
    const { id } = await app.call('workflows.create', { name: 'Bot', dsl }, actor);
    for (const secret of ['value one', 'value two']) {
      expect((await sendJson('messaging-a', id, text(), secret)).status).toBe(200);
    }
    expect((await sendJson('messaging-a', id, text(), 'three')).status).toBe(401);
  });

  test('count as they are now, a second after a change', async () => {
    await app.call('secrets.put', { name: 'TURNING', value: 'old value' }, actor);
    const id = await create('messaging-a', { app_secret: '{{ secret.TURNING }}' });
    expect((await sendJson('messaging-a', id, text(), 'old value')).status).toBe(200);
    await app.call('secrets.put', { name: 'TURNING', value: 'new value' }, actor);
    await until(
      'the new one counts',
      async () => (await sendJson('messaging-a', id, text(), 'new value')).status === 200,
    );
    expect((await sendJson('messaging-a', id, text(), 'old value')).status).toBe(401);
  });

  test.each<[string, JsonObject]>([
    ['whose secret does not exist', { app_secret: '{{ secret.NOWHERE }}' }],
    ['whose secret is made of one that does not exist', { app_secret: 'x{{ secret.NOWHERE }}' }],
  ])('%s leave the channel closed, never unchecked', async (_what, config) => {
    const id = await create('messaging-a', config);
    for (const secret of [A_SECRET, '', 'x', 'undefined', 'null']) {
      const answer = await sendJson('messaging-a', id, text(), secret);
      expect([answer.status, codeOf(answer)]).toEqual([503, 'provider_not_configured']);
      expect(answer.text).not.toContain('NOWHERE');
    }
    expect(executor.runs.size).toBe(0);
  });

  test('that are not set close the channel, and the answer names what to set', async () => {
    const id = await create('messaging-b');
    const response = await fetch(
      `${app.url}/webhooks/messaging-b/${id}?hub.mode=subscribe&hub.verify_token=&hub.challenge=x`,
    );
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('MESSAGING_B_VERIFY_TOKEN');
  });
});

describe('the verification of an address', () => {
  const ask = async (id: string, query: Record<string, string>, method = 'GET') => {
    const response = await fetch(`${app.url}/webhooks/messaging-a/${id}?${new URLSearchParams(query).toString()}`, {
      method,
    });
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };
  const right = { 'hub.mode': 'subscribe', 'hub.verify_token': VERIFY, 'hub.challenge': '<b>1158201444' };

  test('echoes the challenge as text that no browser takes for a page', async () => {
    const id = await create('messaging-a');
    expect(await ask(id, right)).toEqual({ status: 200, type: 'text/plain; charset=utf-8', text: '<b>1158201444' });
    expect((await ask(id, right, 'HEAD')).status).toBe(200);
    expect(executor.runs.size).toBe(0);
  });

  test("takes the workflow's own token where it has one", async () => {
    await app.call('secrets.put', { name: 'VERIFY', value: 'own token' }, actor);
    const id = await create('messaging-a', { verify_token: '{{ secret.VERIFY }}' });
    expect((await ask(id, { ...right, 'hub.verify_token': 'own token' })).status).toBe(200);
    expect((await ask(id, right)).status).toBe(403);
  });

  test.each<[string, Record<string, string>]>([
    ['a wrong token', { ...right, 'hub.verify_token': 'wrong' }],
    ['the beginning of the token', { ...right, 'hub.verify_token': VERIFY.slice(0, -1) }],
    ['no token', { 'hub.mode': 'subscribe', 'hub.challenge': 'x' }],
    ['another mode', { ...right, 'hub.mode': 'unsubscribe' }],
    ['nothing', {}],
  ])('refuses %s, and echoes nothing', async (_what, query) => {
    const id = await create('messaging-a');
    const answer = await ask(id, query);
    expect([answer.status, codeOf(answer)]).toEqual([403, 'forbidden']);
    expect(answer.text).not.toContain('1158201444');
    expect(executor.runs.size).toBe(0);
  });
});
