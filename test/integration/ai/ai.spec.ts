import type { JsonObject } from '../../../lib/json';
import { aiService } from '../../../services/ai/ai.service';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import { connectorsService } from '../../../services/connectors/connectors.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { inTurn, type LlmReply, type LlmScript, type LlmServer, startLlmServer } from '../../support/llm-server';
import { Api } from '../../support/server';

const KEY = 'key-of-a-tenant';

let models: LlmServer;
let script: LlmScript;
let open: TestApp;
let closed: TestApp;
let api: Api;
/** The same API of an installation without models of its own, and without private addresses. */
let bare: Api;

const services = [authService, secretsService, workflowsService, connectorsService, aiService, apiGatewayService];

const signedIn = async (app: TestApp): Promise<Api> => {
  const client = new Api(app.url);
  client.token = (await registerTenant(app)).token;
  return client;
};

beforeAll(async () => {
  models = await startLlmServer((seen, n) => script(seen, n), { key: KEY });
  open = await startApp({
    services,
    env: {
      LLM_OPENAI_COMPATIBLE_API_KEY: KEY,
      LLM_OPENAI_COMPATIBLE_BASE_URL: models.baseUrl.openai,
      LLM_OPENAI_COMPATIBLE_MODEL: 'house-model',
      EGRESS_ALLOW: '127.0.0.1',
      REQUEST_TIMEOUT: '8',
    },
  });
  closed = await startApp({ services });
  api = await signedIn(open);
  bare = await signedIn(closed);
  await api.call('POST', '/api/v1/secrets', { name: 'MODEL_KEY', value: KEY });
});
afterAll(() => Promise.all([models?.close(), open?.close(), closed?.close()]));
beforeEach(() => {
  (models.seen as unknown[]).length = 0;
  script = () => ({ kind: 'text', text: 'Hello.' });
});

const own = () => ({ provider: 'openai', model: 'gpt-4o-mini', api_key: KEY, base_url: models.baseUrl.openai });
type Failure = { error: string; code: string; details?: { path: string }[] };
const failure = async (client: Api, method: string, path: string, body?: JsonObject) => {
  const { status, headers, body: answer } = await client.ask<Failure>(method, path, body);
  return { status, code: answer.code, error: answer.error, retryAfter: headers.get('retry-after') };
};

describe('models', () => {
  const path = (query: Record<string, string>) => `/api/v1/llm/models?${new URLSearchParams(query)}`;

  test('those of the installation are listed', async () => {
    const { data } = await api.call<{ data: JsonObject[] }>('GET', path({ provider: 'openai-compatible' }));
    expect(data).toEqual([
      { id: 'large-model', name: 'large-model', provider: 'openai-compatible' },
      { id: 'small-model', name: 'small-model', provider: 'openai-compatible' },
    ]);
  });

  test.each([
    ['a key', KEY],
    ['a secret by its name', '{{ secret.MODEL_KEY }}'],
  ])('those of any provider are listed for %s', async (_title, key) => {
    const query = { provider: 'anthropic', api_key: key, base_url: models.baseUrl.anthropic };
    const { data } = await api.call<{ data: JsonObject[] }>('GET', path(query));
    expect(data).toEqual([{ id: 'claude-test-1', name: 'Claude Test', provider: 'anthropic' }]);
  });

  test.each<[string, Record<string, string>, number, string]>([
    ['an unknown secret', { provider: 'openai', api_key: '{{ secret.NOPE }}' }, 400, 'unknown_secret'],
    ['an unknown provider', { provider: 'no-such-provider' }, 400, 'invalid_request'],
    ['a provider that is not configured', { provider: 'google' }, 503, 'unavailable'],
    ['any server without its address', { provider: 'openai-compatible', api_key: 'k' }, 400, 'invalid_request'],
  ])('%s is refused', async (_title, query, status, code) => {
    expect(await failure(api, 'GET', path(query))).toMatchObject({ status, code });
  });

  test('a wrong key is refused by the provider, and is not shown', async () => {
    const query = { provider: 'openai', api_key: 'wrong-key-123', base_url: models.baseUrl.openai };
    const refused = await failure(api, 'GET', path(query));
    expect(refused).toMatchObject({ status: 502, code: 'provider_failed' });
    expect(refused.error).not.toContain('wrong-key-123');
  });

  test('a private address is refused', async () => {
    const query = { provider: 'openai', api_key: KEY, base_url: models.baseUrl.openai };
    expect(await failure(bare, 'GET', path(query))).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test('a request without a credential is refused', async () => {
    expect(await failure(new Api(open.url), 'GET', path({}))).toMatchObject({ status: 401 });
  });
});

describe('the playground', () => {
  const run = (body: JsonObject) => api.ask<JsonObject>('POST', '/api/v1/playground/run', body);

  test('answers a prompt with what it used', async () => {
    script = () => ({ kind: 'text', text: 'Paris.', tokens: { input: 1_000_000, output: 100_000 } });
    const { status, body } = await run({ ...own(), prompt: 'Capital?', system: 'Be brief.', temperature: 0 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      text: 'Paris.',
      input_tokens: 1_000_000,
      output_tokens: 100_000,
      cost_usd: 0.21,
      model: 'gpt-4o-mini',
    });
  });

  test('takes a conversation, a secret, and the model of the installation', async () => {
    await run({ ...own(), api_key: '{{ secret.MODEL_KEY }}', messages: [{ role: 'user', content: 'Hi' }] });
    const { body } = await run({ prompt: 'Hi' });
    expect(body).toMatchObject({ text: 'Hello.', provider: 'openai-compatible', model: 'house-model' });
    expect(models.seen.map(({ model }) => model)).toEqual(['gpt-4o-mini', 'house-model']);
  });

  test("the installation's key is not sent to an address that a user names", async () => {
    const { status } = await run({
      provider: 'openai-compatible',
      model: 'm',
      base_url: models.baseUrl.openai,
      prompt: 'x',
    });
    expect(status).toBe(502);
    expect(models.seen).toEqual([]);
  });

  test.each<[string, JsonObject, number, string]>([
    ['neither a prompt nor messages', { provider: 'openai-compatible' }, 400, 'invalid_request'],
    ['both a prompt and messages', { prompt: 'x', messages: [{ role: 'user', content: 'x' }] }, 400, 'invalid_request'],
    ['a role that there is not', { messages: [{ role: 'robot', content: 'x' }] }, 400, 'invalid_request'],
    ['a temperature over 2', { prompt: 'x', temperature: 3 }, 400, 'invalid_request'],
    ['a prompt that is too long', { prompt: 'x'.repeat(4_300_000) }, 413, 'payload_too_large'],
    [
      'an unknown secret',
      { provider: 'openai', model: 'm', api_key: '{{secret.NOPE}}', prompt: 'x' },
      400,
      'unknown_secret',
    ],
  ])('%s is refused', async (_title, body, status, code) => {
    expect(await failure(api, 'POST', '/api/v1/playground/run', body)).toMatchObject({ status, code });
    expect(models.seen).toEqual([]);
  });

  test.each<[string, LlmReply, number, string]>([
    ['a rate limit', { kind: 'status', status: 429, headers: { 'retry-after': '7' } }, 502, 'provider_failed'],
    ['a server error', { kind: 'status', status: 500 }, 502, 'provider_failed'],
    ['an unknown model', { kind: 'status', status: 404 }, 400, 'invalid_request'],
    ['silence', { kind: 'hang' }, 504, 'timed_out'],
  ])(
    '%s of a provider is reported',
    async (_title, reply, status, code) => {
      script = () => reply;
      const answer = await failure(api, 'POST', '/api/v1/playground/run', { prompt: 'x' });
      expect(answer).toMatchObject({ status, code });
      if (status === 502 && 'headers' in reply) expect(answer.retryAfter).toBe('7');
    },
    20_000,
  );

  test('without a model of the installation it says what to do', async () => {
    expect(await failure(bare, 'POST', '/api/v1/playground/run', { prompt: 'x' })).toMatchObject({
      status: 503,
      error: expect.stringContaining('LLM_<PROVIDER>_API_KEY'),
    });
  });
});

describe('writing workflows', () => {
  const good = {
    id: 'greet',
    trigger: { type: 'manual' },
    steps: [{ id: 'text', type: 'set', config: { text: 'Hello' } }],
  };
  const bad = { ...good, steps: [{ id: 'text', type: 'sett', config: {} }] };
  const writes = (dsl: JsonObject): LlmReply => ({
    kind: 'text',
    text: JSON.stringify({ dsl, notes: 'None needed.' }),
  });
  const generate = (client = api) =>
    client.ask<JsonObject>('POST', '/api/v1/workflows/generate', { prompt: 'Greet people' });

  test('a workflow that is right comes back, and could be saved as it is', async () => {
    script = inTurn(writes(good));
    const { status, body } = await generate();
    expect([status, body]).toEqual([200, { dsl: good, valid: true, errors: [], notes: 'None needed.' }]);
    await api.call('POST', '/api/v1/workflows', { name: 'Greet', dsl: body.dsl });
  });

  test('a document that is given is changed, and the answer says what has changed; nothing is saved', async () => {
    script = inTurn(writes(good));
    const before = { ...good, name: 'Before' } as JsonObject;
    const saved = () => api.call<JsonObject>('GET', '/api/v1/workflows/folders');
    const earlier = await saved();
    const asked = { prompt: 'Take the name away', dsl: before };
    const { status, body } = await api.ask<JsonObject>('POST', '/api/v1/workflows/generate', asked);
    expect([status, body]).toMatchObject([
      200,
      { dsl: good, valid: true, diff: { same: false, document: [{ path: 'name', before: 'Before' }] } },
    ]);
    const { content } = ((models.seen[0]?.body.messages ?? []) as { content: string }[]).at(-1) ?? { content: '' };
    expect(content).toContain(JSON.stringify(before));
    expect(content).toContain('Take the name away');
    expect(await saved()).toEqual(earlier);
    const large = { ...good, notes: 'x'.repeat(300_000) } as JsonObject;
    const refused = await api.ask('POST', '/api/v1/workflows/generate', { prompt: 'Any', dsl: large });
    expect(refused.status).toBe(413);
  });

  test('the prompt describes the whole language to the model: every key, every step type', async () => {
    script = inTurn(writes(good));
    await generate();
    const [seen] = models.seen;
    const [system] = (seen?.body.messages ?? []) as { role: string; content: string }[];
    const types = await api.call<{ data: { type: string; kind: string }[] }>('GET', '/api/v1/node-types');
    const headingOf = ({ type }: { type: string }): string => (type.includes('.') ? `\n- ${type}(` : `## ${type}\n`);
    for (const row of types.data) if (row.kind !== 'control') expect(system?.content).toContain(headingOf(row));
    for (const word of ['`compensate`', 'concurrency', 'foreach', 'on_error', 'url_encode']) {
      expect(system?.content).toContain(word);
    }
    // It is read at every try, so it stays within a share of what any model can read.
    expect(system?.content.length).toBeLessThan(120_000);
  });

  test('a wrong one is sent back with its faults, and the next one counts', async () => {
    script = inTurn(writes(bad), writes(good));
    expect((await generate()).body).toMatchObject({ valid: true, dsl: good });
    const [, second] = models.seen;
    expect(JSON.stringify(second?.body.messages)).toContain('unknown step type');
    expect(JSON.stringify(second?.body.messages)).toContain('did you mean');
  });

  test('after three tries the last one comes back with what is wrong', async () => {
    script = inTurn(writes(bad), { kind: 'text', text: 'no json' }, writes({ ...bad, id: 'third' }));
    const { body } = await generate();
    expect(body).toMatchObject({ valid: false, dsl: { id: 'third' }, errors: [{ path: 'steps[0].type' }] });
    expect(models.seen).toHaveLength(3);
  });

  test('a model that writes none is a failure of the provider', async () => {
    script = () => ({ kind: 'text', text: 'I would rather not.' });
    const { status, body } = await generate();
    expect([status, body.code]).toEqual([502, 'provider_failed']);
  });

  test.each<[string, LlmReply]>([
    ['the time is over', { kind: 'hang' }],
    ['the model fails', { kind: 'status', status: 500 }],
  ])(
    'when %s after a first try, that one comes back',
    async (_title, reply) => {
      script = inTurn(writes(bad), reply);
      expect((await generate()).body).toMatchObject({ valid: false, dsl: bad });
    },
    20_000,
  );

  test('without a provider it says so', async () => {
    const { status, body } = await generate(bare);
    expect([status, body.code]).toEqual([503, 'unavailable']);
  });
});
