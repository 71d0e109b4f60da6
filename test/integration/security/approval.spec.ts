import type { Json, JsonObject } from '../../../lib/json';
import { aiService } from '../../../services/ai/ai.service';
import { knowledgeService } from '../../../services/knowledge/knowledge.service';
import { startApp, type TestApp } from '../../support/app';
import { type SourceServer, startSourceServer } from '../../support/source-server';
import { type Ask, executor, frontServices, newTenant } from '../custom-nodes/house';

const VALUE = 'sk-the-value-of-the-vault';
const SECRET = '{{ secret.KEY }}';

let app: TestApp;
/** An address of the caller's own, which answers with what it was shown. */
let own: SourceServer;
let owner: Ask;
let member: Ask;

beforeAll(async () => {
  own = await startSourceServer(({ headers, path }) => {
    const shown = headers.authorization ?? '';
    if (path.endsWith('/models')) return { body: { data: [{ id: `model of ${shown}`, object: 'model' }] } };
    return {
      body: {
        id: 'c1',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: `I was shown ${shown}` } }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      },
    };
  });
  app = await startApp({
    services: [...frontServices, executor, aiService, knowledgeService],
    env: { EGRESS_ALLOW: '127.0.0.1', BOT_MESSENGER_URL: own.url },
  });
  ({ owner, member } = await newTenant(app));
  for (const name of ['KEY', 'CHAT'])
    expect((await owner('POST', '/api/v1/secrets', { name, value: VALUE })).status).toBe(201);
  const request = { method: 'GET', headers: { authorization: SECRET } };
  const fields = [{ name: 'host', label: 'Host', type: 'string', required: true }];
  const nodes = { loose: '{{ config.host }}/x', fixed: `${own.url}/x?q={{ config.host }}` };
  for (const [name, url] of Object.entries(nodes)) {
    const made = await owner('POST', '/api/v1/custom-nodes', {
      name,
      label: name,
      config_fields: fields,
      outputs: [],
      request: { ...request, url },
    });
    expect(made.status).toBe(201);
  }
  const step = {
    id: 'send',
    type: 'http_request',
    config: { url: '{{ steps.first.url }}', headers: { 'x-key': SECRET } },
  };
  const first = { id: 'first', type: 'set', config: { url: own.url } };
  const made = await owner('POST', '/api/v1/workflows', {
    name: 'Approved',
    dsl: { id: 'approved', trigger: { type: 'manual' }, steps: [first, step] },
  });
  expect(made.status).toBe(201);
  approved = String(made.body.id);
  const base = await owner('POST', '/api/v1/knowledge-bases', { name: 'Facts' });
  expect(base.status).toBe(201);
  facts = String(base.body.id);
}, 30_000);
afterAll(() => Promise.all([app?.close(), own?.close()]));

let approved = '';
let facts = '';

const model = () => ({ provider: 'openai-compatible', model: 'm', base_url: own.url, api_key: SECRET });
const query = (asked: object): string => new URLSearchParams(asked as Record<string, string>).toString();
const embedding = () => ({ provider: 'openai-compatible', model: 'm', base_url: own.url, api_key: SECRET });

/** Each way in which a caller might have a secret sent to an address of theirs. */
const WAYS: readonly (readonly [string, (ask: Ask) => Promise<{ status: number; body: JsonObject }>])[] = [
  ['a prompt', (ask) => ask('POST', '/api/v1/playground/run', { ...model(), prompt: 'hello' })],
  ['a generation', (ask) => ask('POST', '/api/v1/workflows/generate', { ...model(), prompt: 'hello' })],
  ['a list of models', (ask) => ask('GET', `/api/v1/llm/models?${query(model())}`)],
  [
    'a new knowledge base',
    (ask) => ask('POST', '/api/v1/knowledge-bases', { name: `B${Math.random()}`, embedding: embedding() }),
  ],
  [
    'another model of a knowledge base',
    (ask) => ask('PUT', `/api/v1/knowledge-bases/${facts}`, { embedding: embedding() }),
  ],
  [
    'a reranked query',
    (ask) =>
      ask('POST', `/api/v1/knowledge-bases/${facts}/query`, {
        query: 'hello',
        rerank: { model: 'm', base_url: own.url, api_key: SECRET },
      }),
  ],
  [
    'a test of an action',
    (ask) =>
      ask('POST', '/api/v1/connectors/http/actions/read/test', {
        input: { url: own.url, headers: { 'x-key': SECRET } },
      }),
  ],
  [
    'a test of a custom node',
    (ask) => ask('POST', '/api/v1/custom-nodes/custom-loose/test', { config: { host: own.url } }),
  ],
  [
    'a test of a step with outputs of others',
    (ask) => ask('POST', `/api/v1/workflows/${approved}/steps/send/test`, { steps: { first: { url: own.url } } }),
  ],
  [
    'a test of a bot in a chat of their own',
    (ask) => ask('POST', '/api/v1/test/bot-messenger', { bot_token: SECRET, chat_id: '1' }),
  ],
];

const requireApproval = async (on: boolean): Promise<void> => {
  const { status } = await owner('PUT', '/api/v1/tenant/settings', { require_approval: on });
  expect(status).toBe(200);
};

describe('in a tenant that requires approval', () => {
  beforeAll(() => requireApproval(true));
  afterAll(() => requireApproval(false));

  test.each(WAYS)('%s sends no secret of a member to an address of their own', async (_, way) => {
    const before = own.asked.length;
    const { status, body } = await way(member);
    expect({ status, error: body.error }).toEqual({ status: 403, error: expect.stringContaining('admin or owner') });
    expect(own.asked.slice(before).filter(({ headers }) => JSON.stringify(headers).includes(VALUE))).toEqual([]);
  });

  test.each(WAYS)('%s is open to the owner', async (_, way) => {
    expect((await way(owner)).status).not.toBe(403);
  });

  test('what sends no secret elsewhere stays open to members', async () => {
    const open: [string, string, Json][] = [
      ['POST', '/api/v1/playground/run', { ...model(), api_key: 'a key of their own', prompt: 'hello' }],
      ['POST', '/api/v1/custom-nodes/custom-fixed/test', { config: { host: 'x' } }],
      ['POST', `/api/v1/workflows/${approved}/steps/send/test`, {}],
      ['PUT', `/api/v1/knowledge-bases/${facts}`, { description: 'Facts that are known' }],
      ['POST', `/api/v1/knowledge-bases/${facts}/query`, { query: 'hello' }],
    ];
    for (const [method, path, body] of open)
      expect([path, (await member(method, path, body)).status]).toEqual([path, 200]);
  });
});

test.each(WAYS)('%s shows no value of the secret that it used', async (_, way) => {
  const { status, body } = await way(member);
  expect(status).not.toBe(403);
  expect(JSON.stringify(body)).not.toContain(VALUE);
});

test('the answer of a model says *** where the secret stood', async () => {
  const { body } = await member('POST', '/api/v1/playground/run', { ...model(), prompt: 'hello' });
  expect(body.text).toBe('I was shown Bearer ***');
  const listed = await member('GET', `/api/v1/llm/models?${query(model())}`);
  expect(JSON.stringify(listed.body)).toContain('model of Bearer ***');
});
