import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../lib/clock';
import { readConfig } from '../../../lib/config';
import { AppError } from '../../../lib/errors';
import type { App } from '../../../services/app';
import type { EmbeddingView } from '../../../contracts/knowledge/views';
import { type EmbeddingOwner, embedTexts } from '../../../services/knowledge/embedding';
import { Providers } from '../../../services/knowledge/providers';

/** What the server says to a request for vectors of some texts. */
type Answer = (
  texts: readonly string[],
  n: number,
) => { status: number; headers?: Record<string, string>; vectors?: number[][] };

const vectors = (texts: readonly string[]) => ({ status: 200, vectors: texts.map((text) => [text.length, 1]) });

let server: Server;
let answer: Answer;
let seen: { texts: string[]; key: string | undefined }[] = [];
let providers: Providers;
let embedding: EmbeddingView;

beforeAll(async () => {
  server = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[] };
      seen.push({ texts: input, key: request.headers.authorization });
      const reply = answer(input, seen.length - 1);
      const data = reply.vectors?.map((vector, index) => ({ object: 'embedding', index, embedding: vector })) ?? [];
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(
        JSON.stringify({
          object: 'list',
          data,
          model: 'e',
          usage: { prompt_tokens: input.length, total_tokens: input.length },
        }),
      );
    })();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const config = readConfig({ EGRESS_ALLOW: '127.0.0.1' });
  providers = new Providers({ config, clock: systemClock } as App);
  embedding = { provider: 'openai-compatible', model: 'e', base_url, api_key: '{{ secret.KEY }}', dimension: null };
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await providers.close();
});
beforeEach(() => {
  seen = [];
  answer = vectors;
});

/** An owner with one secret. */
const owner: EmbeddingOwner = {
  tenantId: 't',
  call: (async (action: string, { names }: { names: string[] }) => {
    expect(action).toBe('secrets.reveal');
    return { values: names.includes('KEY') ? { KEY: 'the key' } : {} };
  }) as never,
};
const made = (texts: readonly string[], given: Partial<EmbeddingView> = {}, signal?: AbortSignal) =>
  embedTexts(providers, owner, { ...embedding, ...given }, texts, {
    requestKind: 'job',
    ...(signal ? { signal } : {}),
  });

test('texts go in requests of a bounded number and size, in their order, with the key of the secret', async () => {
  const texts = [...Array.from({ length: 40 }, (_, n) => 'x'.repeat(n + 1)), 'word '.repeat(20_000), 'last'];
  const answered = await made(texts);
  expect(seen.map((request) => request.texts.length)).toEqual([32, 8, 1, 1]);
  expect(seen.flatMap((request) => request.texts)).toEqual(texts);
  expect(new Set(seen.map(({ key }) => key))).toEqual(new Set(['Bearer the key']));
  expect(answered).toMatchObject({ dimension: 2, inputTokens: 42, costUsd: null });
  expect([...answered.vectors].filter((_, n) => n % 2 === 0)).toEqual(texts.map(({ length }) => length));
});

test('nothing is asked for no texts', async () => {
  expect(await made([])).toMatchObject({ inputTokens: 0 });
  expect(seen).toEqual([]);
});

test('a provider that is busy is asked again when it says so, and no request that was answered is paid for twice', async () => {
  answer = (texts, n) => (n === 1 ? { status: 429, headers: { 'retry-after': '0' } } : vectors(texts));
  const answered = await made(Array.from({ length: 33 }, () => 'x'));
  expect(seen.map((request) => request.texts.length)).toEqual([32, 1, 1]);
  expect(answered.vectors).toHaveLength(66);
});

test.each<[string, Answer, Partial<EmbeddingView>, string, boolean]>([
  [
    'who wants to be left alone for long',
    () => ({ status: 429, headers: { 'retry-after': '3600' } }),
    {},
    'llm_rate_limited',
    true,
  ],
  ['a refused key', () => ({ status: 401 }), {}, 'llm_key_refused', false],
  ['vectors of another length than the base keeps', vectors, { dimension: 3 }, 'dimension_mismatch', false],
  [
    'vectors of several lengths',
    (texts) => ({ status: 200, vectors: texts.map((_, n) => Array.from({ length: n + 1 }, () => 1)) }),
    {},
    'dimension_mismatch',
    false,
  ],
  [
    'a number that is none in 32 bits',
    (texts) => ({ status: 200, vectors: texts.map(() => [1, 1e300]) }),
    {},
    'llm_answer',
    false,
  ],
  [
    'a vector that no index has room for',
    (texts) => ({ status: 200, vectors: texts.map(() => new Array<number>(16_385).fill(1)) }),
    {},
    'dimension_mismatch',
    false,
  ],
  ['a secret that is not there', vectors, { api_key: '{{ secret.GONE }}' }, 'unknown_secret', false],
  ['a provider without embeddings', vectors, { provider: 'anthropic' }, 'llm_unsupported', false],
  ['a provider that there is not', vectors, { provider: 'toString' }, 'invalid_embedding', false],
  ['an address that steps may not reach', vectors, { base_url: 'http://127.0.0.2/v1' }, 'llm_blocked', false],
])('%s ends it at once, with a message that holds no key', async (_title, reply, given, code, retryable) => {
  answer = reply;
  const fault = await made(['one', 'two'], given).catch((thrown: unknown) => thrown);
  expect(fault).toMatchObject({ name: 'EmbeddingError', code, retryable });
  expect(String(fault)).not.toContain('the key');
  expect(seen.length).toBeLessThanOrEqual(1);
});

test('a vault that does not answer is worth another try', async () => {
  const away = { ...owner, call: (() => Promise.reject(new AppError('unavailable', 'not now'))) as never };
  const fault = await embedTexts(providers, away, embedding, ['x'], { requestKind: 'job' }).catch(
    (thrown: unknown) => thrown,
  );
  expect(fault).toMatchObject({ code: 'unavailable', retryable: true });
});

test('an abort ends it, and its pauses', async () => {
  const stop = new AbortController();
  answer = () => {
    stop.abort();
    return { status: 503, headers: { 'retry-after': '15' } };
  };
  const begun = Date.now();
  await expect(made(['x'], {}, stop.signal)).rejects.toMatchObject({ name: 'EmbeddingError' });
  expect(Date.now() - begun).toBeLessThan(5_000);
});
