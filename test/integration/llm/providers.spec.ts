import { createEgress, parseEgressAllow } from '../../../lib/egress';
import {
  complete,
  embed,
  type LlmAccess,
  LlmError,
  type LlmMessage,
  type LlmProvider,
  listModels,
} from '../../../lib/llm';
import { textOf, toolCallsOf } from '../../../lib/llm';
import { inTurn, type LlmReply, type LlmScript, type LlmServer, startLlmServer } from '../../support/llm-server';
import { startServer } from '../nodes/server';

const KEY = 'key-of-the-test';
const NOW = Date.UTC(2030, 0, 1);

let server: LlmServer;
let script: LlmScript;
const egress = createEgress({ allow: parseEgressAllow('127.0.0.1') });
const world = { http: egress, web: egress, now: NOW };

beforeAll(async () => {
  server = await startLlmServer((seen, n) => script(seen, n), { key: KEY });
});
afterAll(() => Promise.all([server.close(), egress.close()]));
beforeEach(() => {
  (server.seen as unknown[]).length = 0;
});

const PROVIDERS: LlmProvider[] = ['openai', 'anthropic', 'google', 'openai-compatible'];

const accessTo = (provider: LlmProvider, overrides: Partial<LlmAccess> = {}): LlmAccess => ({
  provider,
  model: 'test-model',
  apiKey: KEY,
  baseUrl: server.baseUrl[provider === 'openai-compatible' ? 'openai' : provider],
  ...overrides,
});

const fromUser = (text: string): LlmMessage => ({ role: 'user', parts: [{ kind: 'text', text }] });
const lastSeen = () => server.seen.at(-1)?.body;

const faultOf = async (asking: Promise<unknown>): Promise<LlmError> => {
  const fault = await asking.then(() => null).catch((thrown: unknown) => thrown);
  if (!(fault instanceof LlmError)) throw new Error(`expected an LlmError, not ${String(fault)}`);
  return fault;
};

describe.each(PROVIDERS)('%s', (provider) => {
  test('a question is answered, with what it used', async () => {
    script = () => ({ kind: 'text', text: 'Paris.', tokens: { input: 120, output: 7, cached: 20 } });
    const messages: LlmMessage[] = [{ role: 'system', text: 'Be brief.' }, fromUser('Capital of France?')];
    const answer = await complete(
      accessTo(provider),
      { messages, temperature: 0, maxTokens: 50, stop: ['\n\n'] },
      world,
    );
    expect(answer).toEqual({
      parts: [expect.objectContaining({ kind: 'text', text: 'Paris.' })],
      finish: 'stop',
      tokens: { inputTokens: 120, outputTokens: 7, cachedTokens: 20 },
    });
    const sent = JSON.stringify(lastSeen());
    for (const part of ['Be brief.', 'Capital of France?', '50', '\\n\\n']) expect(sent).toContain(part);
  });

  test('a tool is asked for, and its result is sent with all that the provider wants back', async () => {
    script = inTurn(
      { kind: 'tools', text: 'Let me look.', calls: [{ name: 'weather', input: { city: 'Bern' } }] },
      { kind: 'text', text: 'It rains.' },
    );
    const tools = [
      { name: 'weather', description: 'Now', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    ];
    const first = await complete(accessTo(provider), { messages: [fromUser('Weather in Bern?')], tools }, world);
    expect(first.finish).toBe('tool_calls');
    const [call] = toolCallsOf(first.parts);
    expect(call).toMatchObject({ name: 'weather', input: { city: 'Bern' } });
    const messages: LlmMessage[] = [
      fromUser('Weather in Bern?'),
      // As it comes back from a record.
      { role: 'assistant', parts: JSON.parse(JSON.stringify(first.parts)) },
      { role: 'tool', results: [{ id: call?.id ?? '', name: 'weather', output: { sky: 'rain' }, failed: false }] },
    ];
    const second = await complete(accessTo(provider), { messages, tools }, world);
    expect(textOf(second.parts)).toBe('It rains.');
    expect(JSON.stringify(lastSeen())).toContain('sky');
  });

  test('a schema is asked for in the way of the provider', async () => {
    script = () => ({ kind: 'text', text: '{"a":1}' });
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
    // Anthropic's library asks older models for structured answers by a tool, newer ones by a format.
    const model = provider === 'anthropic' ? 'claude-sonnet-4-5' : 'test-model';
    const answer = await complete(accessTo(provider, { model }), { messages: [fromUser('Go')], schema }, world);
    expect(textOf(answer.parts)).toBe('{"a":1}');
    expect(JSON.stringify(lastSeen())).toMatch(/json_schema|responseSchema|responseJsonSchema/);
  });

  test('an answer that was cut says so', async () => {
    script = () => ({ kind: 'cut', text: 'Once upon' });
    expect((await complete(accessTo(provider), { messages: [fromUser('Tell')] }, world)).finish).toBe('length');
  });

  test('images go as data', async () => {
    script = () => ({ kind: 'text', text: 'A dot.' });
    const base64 = Buffer.from('image').toString('base64');
    const parts = [
      { kind: 'text', text: 'What?' } as const,
      { kind: 'image', base64, mediaType: 'image/png' } as const,
    ];
    await complete(accessTo(provider), { messages: [{ role: 'user', parts }] }, world);
    expect(JSON.stringify(lastSeen())).toContain(base64);
  });

  test.each<[string, LlmReply, Partial<LlmError>]>([
    [
      'haste, with the pause that is asked for',
      { kind: 'status', status: 429, headers: { 'retry-after': '7' }, message: 'slow down' },
      { code: 'llm_rate_limited', retryable: true, retryAfterMs: 7_000 },
    ],
    [
      'a pause until an instant',
      { kind: 'status', status: 503, headers: { 'retry-after': new Date(NOW + 30_000).toUTCString() } },
      { code: 'llm_unavailable', retryable: true, retryAfterMs: 30_000 },
    ],
    ['a server error', { kind: 'status', status: 500 }, { code: 'llm_unavailable', retryable: true }],
    ['too much load', { kind: 'status', status: 529 }, { code: 'llm_unavailable', retryable: true }],
    ['a bad request', { kind: 'status', status: 400, message: 'bad' }, { code: 'llm_refused', retryable: false }],
    ['an unknown model', { kind: 'status', status: 404 }, { code: 'llm_unknown_model', retryable: false }],
    ['no funds', { kind: 'status', status: 402 }, { code: 'llm_quota', retryable: false }],
    ['a forbidden key', { kind: 'status', status: 403 }, { code: 'llm_key_refused', retryable: false }],
    [
      'a redirect',
      { kind: 'status', status: 307, headers: { location: 'http://127.0.0.1:1/' } },
      { code: 'llm_refused' },
    ],
    ['a broken answer', { kind: 'broken' }, { code: 'llm_connect', retryable: true }],
    ['an answer that is no JSON', { kind: 'raw', body: '<html>' }, { code: 'llm_answer', retryable: true }],
    ['an answer of another form', { kind: 'raw', body: '{"hello":1}' }, { code: 'llm_answer', retryable: true }],
  ])('%s is classed', async (_title, reply, expected) => {
    script = () => reply;
    const fault = await faultOf(complete(accessTo(provider), { messages: [fromUser('Go')] }, world));
    expect(fault).toMatchObject(expected);
    // One request: the caller decides about more.
    expect(server.seen).toHaveLength(1);
  });

  test('a wrong key is refused, and not shown', async () => {
    script = () => ({ kind: 'text', text: 'never' });
    const fault = await faultOf(
      complete(accessTo(provider, { apiKey: 'a-wrong-key' }), { messages: [fromUser('Go')] }, world),
    );
    expect(fault).toMatchObject({ code: 'llm_key_refused', retryable: false });
    expect(fault.message).toContain('Incorrect API key provided: ***');
    expect(fault.message).not.toContain('a-wrong-key');
  });

  test('without a key, none is sent, whatever the environment has', async () => {
    const names = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'OPENAI_BASE_URL'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = 'http://of-the-process.invalid';
    const open = await startLlmServer(() => ({ kind: 'text', text: 'free' }));
    try {
      const baseUrl = open.baseUrl[provider === 'openai-compatible' ? 'openai' : provider];
      await complete(accessTo(provider, { apiKey: null, baseUrl }), { messages: [fromUser('Go')] }, world);
      const { authorization, 'x-api-key': anthropic, 'x-goog-api-key': google } = open.seen[0]?.headers ?? {};
      expect([authorization, anthropic, google]).toEqual([undefined, undefined, undefined]);
    } finally {
      names.forEach((name, index) => {
        if (before[index] === undefined) delete process.env[name];
        else process.env[name] = before[index];
      });
      await open.close();
    }
  });

  test('a signal ends the question', async () => {
    script = () => ({ kind: 'hang' });
    const stop = new AbortController();
    const asking = faultOf(complete(accessTo(provider), { messages: [fromUser('Go')], signal: stop.signal }, world));
    stop.abort();
    expect(await asking).toMatchObject({ code: 'llm_aborted', retryable: false });
  });

  test('its models are listed, and a wrong key is not shown there either', async () => {
    const models = await listModels(accessTo(provider), world);
    expect(models.length).toBeGreaterThan(0);
    for (const { id, name } of models)
      expect([id, name]).toEqual([expect.stringMatching(/^[\w.-]+$/), expect.any(String)]);
    const fault = await faultOf(listModels(accessTo(provider, { apiKey: 'a-wrong-key' }), world));
    expect(fault).toMatchObject({ code: 'llm_key_refused' });
    expect(fault.message).not.toContain('a-wrong-key');
  });

  test('a private address is refused unless it is allowed', async () => {
    const shut = createEgress({ allow: [] });
    const asking = complete(accessTo(provider), { messages: [fromUser('Go')] }, { http: shut, web: shut, now: NOW });
    expect(await faultOf(asking)).toMatchObject({ code: 'llm_blocked', retryable: false });
    await shut.close();
  });
});

describe.each(PROVIDERS.filter((provider) => provider !== 'anthropic'))('vectors of %s', (provider) => {
  test('there is one for each text, in their order, however many requests that takes', async () => {
    const texts = Array.from({ length: 250 }, (_, n) => 'x'.repeat(n + 1));
    const { embeddings } = await embed(accessTo(provider), texts, world);
    expect(embeddings.map(([length]) => length)).toEqual(texts.map((text) => text.length));
  });
});

test('Anthropic has no vectors, and the error reports that', async () => {
  expect(await faultOf(embed(accessTo('anthropic'), ['x'], world))).toMatchObject({ code: 'llm_unsupported' });
});

test('an answer that names no tokens counts as none', async () => {
  script = () => ({
    kind: 'raw',
    body: JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }] }),
  });
  const answer = await complete(accessTo('openai-compatible'), { messages: [fromUser('Go')] }, world);
  expect(answer).toMatchObject({ finish: 'stop', tokens: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 } });
});

test('input of a tool that is no JSON comes as text, and can be sent again', async () => {
  script = inTurn({ kind: 'tools', calls: [{ name: 't', input: '{"a":' }] }, { kind: 'text', text: 'ok' });
  const tools = [{ name: 't', description: '', parameters: { type: 'object', properties: {} } }];
  const { parts } = await complete(accessTo('openai'), { messages: [fromUser('Go')], tools }, world);
  expect(toolCallsOf(parts)).toMatchObject([{ input: '{"a":' }]);
  const id = toolCallsOf(parts)[0]?.id ?? '';
  const results = [{ id, name: 't', output: 'no JSON', failed: true }];
  const messages: LlmMessage[] = [fromUser('Go'), { role: 'assistant', parts }, { role: 'tool', results }];
  expect(textOf((await complete(accessTo('openai'), { messages, tools }, world)).parts)).toBe('ok');
});

describe('images by their address', () => {
  const parts = (url: string) => [{ kind: 'image', url } as const];

  test('are fetched through the egress guard for a provider that does not fetch them', async () => {
    script = () => ({ kind: 'text', text: 'A dot.' });
    const images = await startServer((request, response) =>
      request.url === '/dot.png'
        ? response.writeHead(200, { 'content-type': 'image/png' }).end('dot')
        : response.writeHead(200, { 'content-type': 'text/html' }).end('no'),
    );
    try {
      await complete(
        accessTo('google'),
        { messages: [{ role: 'user', parts: parts(`${images.url}/dot.png`) }] },
        world,
      );
      expect(JSON.stringify(lastSeen())).toContain(Buffer.from('dot').toString('base64'));
      const asking = complete(
        accessTo('google'),
        { messages: [{ role: 'user', parts: parts(`${images.url}/x`) }] },
        world,
      );
      expect(await faultOf(asking)).toMatchObject({ code: 'llm_refused' });
    } finally {
      await images.close();
    }
  });

  test('are left to a provider that fetches them', async () => {
    script = () => ({ kind: 'text', text: 'A dot.' });
    await complete(
      accessTo('openai'),
      { messages: [{ role: 'user', parts: parts('https://x.example/dot.png') }] },
      world,
    );
    expect(JSON.stringify(lastSeen())).toContain('https://x.example/dot.png');
  });
});
