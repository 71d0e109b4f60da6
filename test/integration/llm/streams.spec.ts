import { createEgress, parseEgressAllow } from '../../../lib/egress';
import { complete, type LlmAccess, LlmError, type LlmMessage, type LlmProvider, toolCallsOf } from '../../../lib/llm';
import { type LlmScript, type LlmServer, startLlmServer } from '../../support/llm-server';

const KEY = 'key-of-the-test';
const NOW = Date.UTC(2030, 0, 1);
const PROVIDERS: LlmProvider[] = ['openai', 'anthropic', 'google', 'openai-compatible'];

let server: LlmServer;
let script: LlmScript;
const egress = createEgress({ allow: parseEgressAllow('127.0.0.1') });
const world = { http: egress, web: egress, now: NOW };

beforeAll(async () => {
  server = await startLlmServer((seen, n) => script(seen, n), { key: KEY });
});
afterAll(() => Promise.all([server.close(), egress.close()]));

const accessTo = (provider: LlmProvider): LlmAccess => ({
  provider,
  model: 'test-model',
  apiKey: KEY,
  baseUrl: server.baseUrl[provider === 'openai-compatible' ? 'openai' : provider],
});

const messages: LlmMessage[] = [{ role: 'user', parts: [{ kind: 'text', text: 'Go on' }] }];

/** Something that a test lets happen. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const faultOf = async (asking: Promise<unknown>): Promise<LlmError> => {
  const fault = await asking.then(() => null).catch((thrown: unknown) => thrown);
  if (!(fault instanceof LlmError)) throw new Error(`expected an LlmError, not ${String(fault)}`);
  return fault;
};

describe.each(PROVIDERS)('%s, streamed', (provider) => {
  test('tells the text as it comes, and answers what an answer in one piece would', async () => {
    script = () => ({ kind: 'text', text: 'It rains in Bern.', tokens: { input: 120, output: 7, cached: 20 } });
    const pieces: string[] = [];
    const streamed = await complete(accessTo(provider), { messages }, world, (text) => pieces.push(text));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe('It rains in Bern.');
    expect(streamed).toMatchObject({
      parts: [{ kind: 'text', text: 'It rains in Bern.' }],
      finish: 'stop',
      tokens: { inputTokens: 120, outputTokens: 7, cachedTokens: 20 },
    });
  });

  test('has delivered the first words while the model still thinks about the last', async () => {
    const [first, last] = [gate(), gate()];
    const pieces = (async function* () {
      yield 'First ';
      await last.opened;
      yield 'last';
    })();
    script = () => ({ kind: 'pieces', pieces });
    let text = '';
    const answer = complete(accessTo(provider), { messages }, world, (piece) => {
      text += piece;
      first.open();
    });
    await first.opened;
    expect(text).toBe('First ');
    last.open();
    expect((await answer).parts).toMatchObject([{ text: 'First last' }]);
  });

  test('answers calls of tools, with the text before them', async () => {
    script = () => ({ kind: 'tools', text: 'Let me look.', calls: [{ name: 'weather', input: { city: 'Bern' } }] });
    const tools = [
      { name: 'weather', description: 'Now', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    ];
    const { parts, finish } = await complete(accessTo(provider), { messages, tools }, world, () => {});
    expect(finish).toBe('tool_calls');
    expect(toolCallsOf(parts)).toMatchObject([{ name: 'weather', input: { city: 'Bern' } }]);
  });

  test('an answer that breaks off is no answer, and may be asked for again', async () => {
    script = () => ({ kind: 'pieces', pieces: ['Half of'], breaks: true });
    expect((await faultOf(complete(accessTo(provider), { messages }, world, () => {}))).retryable).toBe(true);
  });

  test('a server that ends the stream without a reason has not answered either', async () => {
    script = () => ({ kind: 'raw', body: '' });
    const fault = await faultOf(complete(accessTo(provider), { messages }, world, () => {}));
    expect([fault.code, fault.retryable]).toEqual(['llm_answer', true]);
  });

  test('a refusal is the same as without a stream', async () => {
    script = () => ({ kind: 'status', status: 429, message: 'slow down', headers: { 'retry-after': '7' } });
    const streamed = await faultOf(complete(accessTo(provider), { messages }, world, () => {}));
    expect(streamed).toMatchObject({ code: 'llm_rate_limited', retryable: true, retryAfterMs: 7_000 });
  });

  test('stops on abort, in the middle of the text', async () => {
    const stop = new AbortController();
    const pieces = (async function* () {
      yield 'First ';
      await new Promise<never>(() => {});
    })();
    script = () => ({ kind: 'pieces', pieces });
    const answer = complete(accessTo(provider), { messages, signal: stop.signal }, world, () => stop.abort());
    expect((await faultOf(answer)).code).toBe('llm_aborted');
  });
});
