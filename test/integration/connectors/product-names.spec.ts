import { connectionsService } from '../../../services/connections/connections.service';
import type { Json, JsonObject } from '../../../lib/json';
import { startApp, type TestApp } from '../../support/app';
import { type Provider, startProvider } from '../../support/connectors/provider';
import { type Ask, executor, frontServices, newTenant, run } from '../custom-nodes/house';

/** Documents keep the names of products as written; plans, runs, lists and connections have the neutral names. */

let app: TestApp;
let provider: Provider;
let owner: Ask;
beforeAll(async () => {
  provider = await startProvider(() => ({ json: { ok: true, channel: 'C1', ts: '1700000000.000100' } }));
  app = await startApp({
    services: [...frontServices, executor, connectionsService],
    env: {
      EGRESS_ALLOW: '127.0.0.1',
      CONNECTOR_CHAT_URL: `${provider.url}/chat`,
    },
  });
  ({ owner } = await newTenant(app));
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

async function make(path: string, body: Json): Promise<JsonObject> {
  const answer = await owner('POST', path, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

test.each([
  ['slack', 'chat'],
  ['google_sheets', 'suite-sheets'],
  ['google-sheets', 'suite-sheets'],
  ['gmail', 'suite-mail'],
])('the connector %s is found as %s', async (alias, name) => {
  expect((await owner('GET', `/api/v1/connectors/${alias}`)).body).toMatchObject({ name });
});

test('node types are listed by their neutral names, with the product names as aliases', async () => {
  const { body } = await owner('GET', '/api/v1/node-types?limit=200&category=Communication');
  const types = body.data as { type: string; aliases: string[] }[];
  expect(types.find(({ type }) => type === 'chat.post_message')?.aliases).toContain('slack.post_message');
  expect(types.some(({ type }) => type.startsWith('slack.'))).toBe(false);
});

test('a connection that is made for a product has the neutral connector', async () => {
  const made = await make('/api/v1/connections', {
    connector: 'slack',
    name: 'Team chat',
    credentials: { access_token: 'xoxb-1' },
  });
  expect(made).toMatchObject({ connector: 'chat', name: 'Team chat' });
});

test('steps with the name of a product run, and the run shows their neutral types', async () => {
  await make('/api/v1/connections', {
    connector: 'slack',
    name: 'Posting',
    credentials: { access_token: 'xoxb-2' },
  });
  const { id } = await make('/api/v1/workflows', {
    name: 'Tell',
    dsl: {
      id: 'tell',
      trigger: { type: 'manual' },
      steps: [
        {
          id: 'post',
          type: 'slack.post_message',
          config: { connection: 'Posting', channel: 'C1', text: 'Hello' },
        },
      ],
    },
  });
  const ended = await run(owner, String(id));
  expect(ended).toMatchObject({ status: 'completed' });
  const { body } = await owner('GET', `/api/v1/executions/${String(ended.id)}/detail`);
  expect((body.steps as JsonObject[]).map(({ type }) => type)).toEqual(['chat.post_message']);
  expect(provider.seen.map(({ url }) => url)).toContain('/chat/chat.postMessage');
});

test.each([
  [{ type: 'slack', config: { connection: 'Team chat', channel: 'C1' } }, 'chat_message'],
  [{ type: 'google_sheets', config: { connection: 'Sheets', spreadsheet: 'x' } }, 'suite_sheet'],
  [{ type: 'gmail', config: { connection: 'Mail' } }, 'suite_mail'],
])('a workflow with the trigger %j has the trigger type %s', async (trigger, type) => {
  const { id } = await make('/api/v1/workflows', {
    name: `By ${type}`,
    enabled: false,
    dsl: { id: 'flow', trigger, steps: [{ id: 'wait', type: 'set', config: { values: {} } }] },
  });
  const { body } = await owner('GET', `/api/v1/workflows?trigger=${type}`);
  expect(body.data).toEqual([expect.objectContaining({ id, triggers: [type] })]);
});

test('a step type that no product has is refused with the nearest name', async () => {
  const { status, body } = await owner('POST', '/api/v1/workflows', {
    name: 'Typo',
    dsl: { id: 'flow', trigger: { type: 'manual' }, steps: [{ id: 'post', type: 'slak.post_message', config: {} }] },
  });
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain('slack.post_message');
});
