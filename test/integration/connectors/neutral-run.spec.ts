import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import type { JsonObject } from '../../../lib/json';
import type { CaseAnswer } from '../../nodes/connectors/connector-case';
import { auditService } from '../../../services/audit/audit.service';
import { connectionsService } from '../../../services/connections/connections.service';
import { startApp, type TestApp } from '../../support/app';
import { type Provider, type SeenRequest, startProvider } from '../../support/connectors/provider';
import { byTurn, type LlmServer, startLlmServer } from '../../support/llm-server';
import { Browser } from '../../support/sso/browser';
import { type Ask, executor, frontServices, newTenant, run, workflowOf } from '../custom-nodes/house';

const CHAT_TOKEN = 'xoxb-finch-in-the-vault';
const MAIL_TOKEN = 'ya29-wren-in-the-vault';
const TS = '1503435956.000247';
const PROFILE: CaseAnswer = { json: { emailAddress: 'orders@shop.example', messagesTotal: 1, threadsTotal: 1 } };
const WHOAMI: CaseAnswer = { json: { ok: true, team_id: 'T1', user_id: 'U1' } };

/** Answers of the providers; for other requests they accept what is sent. */
let answer: (request: SeenRequest) => CaseAnswer | null = () => null;

const respond = (request: SeenRequest): CaseAnswer => {
  const own = answer(request);
  if (own !== null) return own;
  if (request.url === '/chat/auth.test') return WHOAMI;
  if (request.url === '/chat/chat.postMessage') return { json: { ok: true, channel: 'C1', ts: TS } };
  if (request.url === '/mail/gmail/v1/users/me/profile') return PROFILE;
  if (request.url.startsWith('/pages/v23.0/106540352242922?')) return { json: { id: '106540352242922', name: 'Shop' } };
  if (request.url === '/pages/v23.0/106540352242922/messages') {
    return { json: { recipient_id: '61638', message_id: 'a page of 106540352242922' } };
  }
  if (request.url === '/mail/gmail/v1/users/me/messages/send') return { json: { id: 'm1', threadId: 't1' } };
  return { status: 404, text: `nothing at ${request.url}` };
};

let t: TestApp;
let provider: Provider;
let models: LlmServer;
let ann: Ask;
const log: string[] = [];

beforeAll(async () => {
  provider = await startProvider(respond);
  models = await startLlmServer(
    byTurn(
      { kind: 'tools', calls: [{ name: 'chat_post_message', input: { channel: 'C1', text: 'It has shipped.' } }] },
      { kind: 'text', text: 'I have informed them.' },
    ),
  );
  t = await startApp({
    services: [...frontServices, executor, auditService, connectionsService],
    env: {
      EGRESS_ALLOW: '127.0.0.1',
      CONNECTOR_CHAT_URL: `${provider.url}/chat`,
      CONNECTOR_SUITE_MAIL_URL: `${provider.url}/mail`,
      CONNECTOR_MESSAGING_B_URL: `${provider.url}/pages`,
      OAUTH_CHAT_CLIENT_ID: 'id-of-chat',
      OAUTH_CHAT_CLIENT_SECRET: 'a-secret',
      OAUTH_CHAT_AUTHORIZE_URL: `${provider.url}/authorize`,
      OAUTH_CHAT_TOKEN_URL: `${provider.url}/token`,
    },
    log: (line) => log.push(line),
  });
});
afterAll(async () => {
  await t?.close();
  await models?.close();
  await provider?.close();
});
beforeEach(async () => {
  answer = () => null;
  ({ owner: ann } = await newTenant(t));
});

const connect = async (connector: string, name: string, access_token: string): Promise<string> => {
  const { status, body } = await ann('POST', '/api/v1/connections', { connector, name, credentials: { access_token } });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return String(body.id);
};

const posting = (config: JsonObject, rest: JsonObject = {}): JsonObject => ({
  id: 'tell',
  type: 'chat.post_message',
  config: { channel: 'C1', text: 'Order {{ trigger.order }} has shipped.', ...config },
  ...rest,
});

const to = (path: string, from = 0): SeenRequest[] => provider.seen.slice(from).filter(({ url }) => url === path);

/** All that is on record of a run, of its tenant's connections and deeds, and in the log. */
const onRecord = async (execution: JsonObject): Promise<string> =>
  JSON.stringify([
    execution,
    await ann('GET', `/api/v1/executions/${String(execution.id)}/detail?include=attempts,parts`),
    await ann('GET', '/api/v1/oauth/connections'),
    await ann('GET', '/api/v1/audit'),
    await stored(),
    log,
  ]);

/** Every document of the database, as its bytes. */
async function stored(): Promise<string[]> {
  const { db } = t.app.db;
  const collections = (await db?.listCollections().toArray()) ?? [];
  const documents = await Promise.all(collections.map(({ name }) => t.app.db.collection(name).find({}).toArray()));
  return documents.flat().map((document) => Buffer.from(mongo.BSON.serialize(document)).toString('latin1'));
}

test('a workflow says it in a channel and by mail, with connections of the tenant, whose tokens are on no record', async () => {
  await connect('chat', 'team', CHAT_TOKEN);
  const mailbox = await connect('suite-mail', 'orders', MAIL_TOKEN);
  const mail = {
    id: 'mail',
    type: 'suite-mail.send',
    config: {
      connection: mailbox,
      to: ['ada@example.com'],
      subject: 'Order {{ trigger.order }}',
      text: 'See {{ steps.tell.ts }}, {{ steps.tell.channel }}.',
    },
  };
  const execution = await run(ann, await workflowOf(ann, [posting({ connection: 'team' }), mail]), { order: 4711 });
  expect(execution).toMatchObject({ status: 'completed', output: { id: 'm1', thread_id: 't1' } });
  expect(to('/chat/chat.postMessage').at(-1)).toMatchObject({
    headers: { authorization: `Bearer ${CHAT_TOKEN}` },
    text: JSON.stringify({ channel: 'C1', text: 'Order 4711 has shipped.' }),
  });
  const sent = to('/mail/gmail/v1/users/me/messages/send').at(-1);
  expect(sent?.headers.authorization).toBe(`Bearer ${MAIL_TOKEN}`);
  const { raw } = JSON.parse(sent?.text ?? '{}') as { raw: string };
  expect(Buffer.from(raw, 'base64url').toString()).toMatch(/^To: ada@example\.com\r\nSubject: Order 4711\r\n/);
  const record = await onRecord(execution);
  expect(record).toContain('Order 4711');
  expect((await stored()).some((document) => document.includes(String(execution.id)))).toBe(true);
  for (const token of [CHAT_TOKEN, MAIL_TOKEN]) expect(record).not.toContain(token);
});

test('the example of the page is a workflow', async () => {
  const page = readFileSync(join(__dirname, '../../../docs/providers.md'), 'utf8');
  const dsl = JSON.parse(/```json\n([\s\S]+?)```/.exec(page)?.[1] ?? '') as JsonObject;
  const { body } = await ann('POST', '/api/v1/workflows/validate', { dsl });
  expect(body).toMatchObject({ valid: true, errors: [] });
});

test('a token that a provider quotes is masked', async () => {
  await connect('chat', 'team', CHAT_TOKEN);
  answer = ({ url }) =>
    url === '/chat/chat.postMessage'
      ? { json: { ok: false, error: `no_text ${CHAT_TOKEN}`, needed: CHAT_TOKEN } }
      : null;
  const execution = await run(ann, await workflowOf(ann, [posting({}, {})]), { order: 1 });
  expect(execution).toMatchObject({ status: 'failed' });
  expect(await onRecord(execution)).not.toContain(CHAT_TOKEN);
});

test('the connection may be left out where one fits, and not where there are two', async () => {
  const id = await workflowOf(ann, [posting({})]);
  expect(await run(ann, id, { order: 1 })).toMatchObject({ status: 'failed', error: { code: 'unknown_connection' } });
  await connect('chat', 'one', CHAT_TOKEN);
  expect(await run(ann, id, { order: 2 })).toMatchObject({ status: 'completed' });
  await connect('chat', 'two', CHAT_TOKEN);
  expect(await run(ann, id, { order: 3 })).toMatchObject({ status: 'failed', error: { code: 'ambiguous_connection' } });
});

test('a connection of another tenant is none', async () => {
  const theirs = await connect('chat', 'team', CHAT_TOKEN);
  ({ owner: ann } = await newTenant(t));
  const before = provider.seen.length;
  const execution = await run(ann, await workflowOf(ann, [posting({ connection: theirs })]), { order: 1 });
  expect(execution).toMatchObject({ status: 'failed', error: { code: 'unknown_connection' } });
  expect(provider.seen).toHaveLength(before);
});

test('what a connection has beside its secrets is no secret: words that are the same stay readable', async () => {
  const credentials = { access_token: CHAT_TOKEN, platform: 'page', page_id: '106540352242922' };
  const { status, body } = await ann('POST', '/api/v1/connections', { connector: 'messaging-b', credentials });
  expect([status, body.last_error]).toEqual([201, null]);
  const step = {
    id: 'tell',
    type: 'messaging-b.send_text',
    config: { to: '61638', text: 'See page 106540352242922' },
  };
  const execution = await run(ann, await workflowOf(ann, [step]));
  expect(execution).toMatchObject({ status: 'completed', output: { message_id: 'a page of 106540352242922' } });
  const record = await onRecord(execution);
  expect(record).toContain('See page 106540352242922');
  expect(record).not.toContain(CHAT_TOKEN);
});

test('a limit is waited for, as long as the provider says, where the step may be tried again', async () => {
  await connect('chat', 'team', CHAT_TOKEN);
  const asked: number[] = [];
  answer = ({ url }) => {
    if (url !== '/chat/chat.postMessage') return null;
    asked.push(performance.now());
    return asked.length === 1
      ? { status: 429, headers: { 'retry-after': '1' }, json: { ok: false, error: 'ratelimited' } }
      : null;
  };
  const step = posting({}, { retry: { max_attempts: 2, initial_interval: '1ms' } });
  const execution = await run(ann, await workflowOf(ann, [step]), { order: 1 });
  expect(execution).toMatchObject({ status: 'completed', output: { ts: TS } });
  expect(asked).toHaveLength(2);
  expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThan(950);
});

test('a token of OAuth that is refused is renewed, and the message is posted once', async () => {
  let renewals = 0;
  answer = ({ url, headers, text }): CaseAnswer | null => {
    if (url === '/token') {
      const renewed = text.includes('grant_type=refresh_token');
      renewals += renewed ? 1 : 0;
      return {
        json: {
          ok: true,
          access_token: renewed ? 'xoxe-second' : 'xoxe-first',
          refresh_token: 'a-refresh-token',
          expires_in: 43_200,
          token_type: 'bot',
          scope: 'chat:write',
          team: { id: 'T1', name: 'Shop' },
        },
      };
    }
    return headers.authorization === 'Bearer xoxe-first' ? { json: { ok: false, error: 'token_expired' } } : null;
  };
  const { body } = await ann('POST', '/api/v1/oauth/chat/start', { name: 'team' });
  const browser = new Browser();
  const asked = new URL((await browser.open(String(body.authorize_url))).location ?? '').searchParams;
  expect(asked.get('scope')?.split(/[ ,]/)).toContain('chat:write');
  const back = new URLSearchParams({ code: 'a code', state: asked.get('state') ?? '' });
  await browser.open(`${asked.get('redirect_uri')}?${back}`);
  const before = provider.seen.length;
  const execution = await run(ann, await workflowOf(ann, [posting({ connection: 'team' })]), { order: 1 });
  expect(execution).toMatchObject({ status: 'completed', output: { ts: TS } });
  expect(renewals).toBe(1);
  expect(to('/chat/chat.postMessage', before).map(({ headers }) => headers.authorization)).toEqual([
    'Bearer xoxe-first',
    'Bearer xoxe-second',
  ]);
  expect(await onRecord(execution)).not.toMatch(/xoxe-|a-refresh-token/);
});

test('an agent uses an action as a tool; whose account it is, the author says, and the model learns no token', async () => {
  await connect('chat', 'team', CHAT_TOKEN);
  const config = {
    provider: 'openai-compatible',
    model: 'm',
    base_url: models.baseUrl.openai,
    prompt: 'Tell the team.',
    tools: [{ type: 'chat.post_message', config: { connection: 'team' } }],
  };
  const before = provider.seen.length;
  const execution = await run(ann, await workflowOf(ann, [{ id: 'ask', type: 'agent', config }]));
  expect(execution).toMatchObject({ status: 'completed', output: { text: 'I have informed them.' } });
  expect(to('/chat/chat.postMessage', before)).toHaveLength(1);
  expect(to('/chat/chat.postMessage', before)[0]).toMatchObject({
    headers: { authorization: `Bearer ${CHAT_TOKEN}` },
    text: JSON.stringify({ channel: 'C1', text: 'It has shipped.' }),
  });
  const [tool] = (models.seen[0]?.body.tools ?? []) as { function: { name: string; parameters: JsonObject } }[];
  expect(tool?.function.name).toBe('chat_post_message');
  expect(Object.keys(tool?.function.parameters.properties as JsonObject)).not.toContain('connection');
  expect(JSON.stringify(models.seen)).not.toContain(CHAT_TOKEN);
  expect(await onRecord(execution)).not.toContain(CHAT_TOKEN);
});
