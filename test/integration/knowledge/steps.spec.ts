import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '../../../lib/json';
import { hashedVector } from '../../../lib/search/hashed-vectors';
import { knowledgeService } from '../../../services/knowledge/knowledge.service';
import { byTurn, type LlmScript, type LlmServer, startLlmServer } from '../../support/llm-server';
import { type QdrantServer, startQdrant } from '../../support/qdrant-server';
import { until } from '../../support/until';
import { openSite, type Site, type User } from '../executor/site';

const KEY = 'key-of-models';
const RETURNS = 'Returns are free for thirty days. Send the package back with the label.';
const DELIVERY = 'Delivery takes two days. On islands it takes a week.';

let site: Site;
let user: User;
let other: User;
let models: LlmServer;
let qdrant: QdrantServer;
let script: LlmScript;
let reranker: Server;
let rerankAnswer: (documents: readonly string[]) => { status: number; body: string };
const bases = { words: '', meaning: '' };

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  [qdrant, models] = await Promise.all([
    startQdrant({ apiKey: 'q' }),
    startLlmServer((seen, n) => script(seen, n), { key: KEY }),
  ]);
  reranker = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { documents } = JSON.parse(Buffer.concat(parts).toString()) as { documents: string[] };
      const { status, body } = rerankAnswer(documents);
      response.writeHead(request.url === '/v1/rerank' ? status : 404).end(body);
    })();
  });
  await new Promise<void>((done) => reranker.listen(0, '127.0.0.1', done));
  const env = { EGRESS_ALLOW: '127.0.0.1', QDRANT_URL: qdrant.url, QDRANT_API_KEY: 'q' };
  site = await openSite({ more: [knowledgeService], env });
  [user, other] = [await site.user(), await site.user()];
  await user.request('POST', '/api/v1/secrets', { name: 'EMBED_KEY', value: KEY });
  bases.words = await base(user, { name: 'handbook' });
  const embedding = {
    provider: 'openai-compatible',
    model: 'e',
    base_url: models.baseUrl.openai,
    api_key: '{{ secret.EMBED_KEY }}',
  };
  bases.meaning = await base(user, { name: 'meaning', embedding });
  await base(other, { name: 'handbook' });
}, 60_000);
afterAll(async () => {
  await site?.close();
  reranker?.close();
  reranker?.closeAllConnections();
  await Promise.all([models?.close(), qdrant?.close()]);
});

async function base(owner: User, fields: JsonObject): Promise<string> {
  const { status, body } = await owner.request('POST', '/api/v1/knowledge-bases', fields);
  expect([status, body]).toEqual([201, expect.objectContaining({ name: fields.name })]);
  return String(body.id);
}

async function ask(id: string, question: JsonObject, owner = user): Promise<JsonObject> {
  const { status, body } = await owner.request('POST', `/api/v1/knowledge-bases/${id}/query`, question);
  return status === 200 ? body : { status, ...body };
}

const textsOf = ({ data }: JsonObject): string[] => (data as { text: string }[]).map(({ text }) => text);

async function output(owner: User, steps: Json[], trigger: JsonObject = {}): Promise<JsonObject> {
  const ended = await owner.run(await owner.workflow(steps), trigger);
  return ended.status === 'completed'
    ? (ended.output as JsonObject)
    : { status: ended.status, error: ended.error as unknown as Json };
}

describe('steps', () => {
  test('add texts and files of their run, once however often they are tried, and find them by the name of the base', async () => {
    const found = await output(user, [
      { id: 'file', type: 'file_write', config: { path: 'delivery.md', content: `# Delivery\n\n${DELIVERY}` } },
      {
        id: 'text',
        type: 'kb_add',
        config: { knowledge_base: 'handbook', text: RETURNS, name: 'Returns', metadata: { team: 'shop', year: 2024 } },
      },
      { id: 'again', type: 'kb_add', config: { knowledge_base: bases.words, text: RETURNS } },
      {
        id: 'of_file',
        type: 'kb_add',
        config: { knowledge_base: 'handbook', path: 'delivery.md', metadata: { team: 'post' } },
      },
      { id: 'gone', type: 'kb_add', config: { knowledge_base: 'handbook', path: 'nowhere.md' }, on_error: 'continue' },
      {
        id: 'out',
        type: 'set',
        config: {
          first: '{{ steps.text }}',
          again: '{{ steps.again }}',
          file: '{{ steps.of_file }}',
          gone: '{{ steps.gone }}',
        },
      },
    ]);
    expect(found).toMatchObject({
      first: { name: 'Returns', status: 'ready', chunks: 1, duplicate: false, knowledge_base_id: bases.words },
      again: { duplicate: true, document_id: (found.first as JsonObject).document_id as string },
      file: { name: 'delivery.md', duplicate: false },
      gone: { error: { code: 'file_not_found' } },
    });
    const file = String((found.file as JsonObject).document_id);
    await ready(bases.words, file);
    const answer = await output(
      user,
      [
        {
          id: 'find',
          type: 'kb_query',
          config: { knowledge_base: 'handbook', query: '{{ trigger.q }}', filter: { team: { in: ['post'] } } },
        },
      ],
      { q: 'How long is the delivery to an island?' },
    );
    expect(answer).toMatchObject({
      mode: 'lexical',
      warnings: [],
      hits: [{ document_id: file, document_name: 'delivery.md', metadata: { team: 'post' } }],
      text: expect.stringMatching(/^\[1\] delivery\.md/),
    });
  });

  test('see the bases of their own tenant alone, by name and by id', async () => {
    const steps = (knowledge_base: string): Json[] => [
      { id: 'find', type: 'kb_query', config: { knowledge_base, query: 'returns' } },
    ];
    expect(await output(other, steps('handbook'))).toMatchObject({ hits: [] });
    expect(await output(other, steps(bases.words))).toMatchObject({
      status: 'failed',
      error: { code: 'knowledge_base_not_found' },
    });
    expect(await ask(bases.words, { query: 'returns' }, other)).toMatchObject({ status: 404 });
  });
});

describe('an agent', () => {
  test('cites what it has looked up', async () => {
    script = byTurn(
      { kind: 'tools', calls: [{ name: 'search_handbook', input: { query: 'free returns' } }] },
      { kind: 'text', text: 'They are free [1].' },
    );
    const done = await output(user, [
      {
        id: 'help',
        type: 'agent',
        config: {
          provider: 'openai-compatible',
          model: 'm',
          base_url: models.baseUrl.openai,
          api_key: '{{ secret.EMBED_KEY }}',
          prompt: 'Are returns free?',
          tools: [{ type: 'knowledge_base', knowledge_base: 'handbook', filter: { year: { gte: 2024 } } }],
        },
      },
    ]);
    expect(done).toMatchObject({
      text: 'They are free [1].',
      citations: [{ ref: 1, document_name: 'Returns', cited: true }],
      tool_calls: [{ output: { sources: [{ mark: '[1]', document: 'Returns', text: RETURNS }] } }],
    });
    expect(JSON.stringify(models.seen.at(-1)?.body)).toContain('Put the mark of a source right behind');
  });
});

describe('a filter', () => {
  const METADATA: Record<string, JsonObject> = {
    a: { author: 'Ada', year: 1843, tags: ['note', 'engine'], book: { pages: 66 } },
    b: { author: 'Bob', year: 1999, tags: [], done: true },
    c: { author: null, year: '1843' },
    d: {},
  };
  let shelf = '';
  beforeAll(async () => {
    shelf = await base(user, { name: 'shelf' });
    for (const [name, metadata] of Object.entries(METADATA))
      await user.request('POST', `/api/v1/knowledge-bases/${shelf}/documents`, {
        name,
        text: `Engine ${name}`,
        metadata,
      });
  });

  test.each<[JsonObject, string]>([
    [{}, 'abcd'],
    [{ author: 'Ada' }, 'a'],
    [{ author: { ne: 'Ada' } }, 'bcd'],
    [{ author: null }, 'cd'],
    [{ author: { exists: false } }, 'd'],
    [{ author: { in: ['Bob', null] } }, 'bcd'],
    [{ author: { nin: ['Bob', null] } }, 'a'],
    [{ year: { gte: 1843, lt: 1999 } }, 'a'],
    [{ year: { lte: '1843' } }, 'c'],
    [{ year: 1843 }, 'a'],
    [{ tags: 'engine' }, 'a'],
    [{ 'book.pages': { gt: 65 } }, 'a'],
    [{ done: true }, 'b'],
    [{ or: [{ author: 'Ada' }, { done: true }] }, 'ab'],
    [{ not: { or: [{ author: 'Ada' }, { done: true }] } }, 'cd'],
    [{ author: 'Ada', year: 1999 }, ''],
  ])('%j means %j', async (filter, names) => {
    const { data } = await ask(shelf, { query: 'engine', filter });
    expect(
      (data as { document_name: string }[])
        .map(({ document_name }) => document_name)
        .sort()
        .join(''),
    ).toBe(names);
  });
});

describe('a question', () => {
  test('with a wrong filter or rerank is refused with the place of the fault', async () => {
    expect(await ask(bases.words, { query: 'x', filter: { a: { $gt: 1 } } })).toMatchObject({
      status: 400,
      code: 'invalid_query',
      details: [{ path: 'filter.a.$gt' }],
    });
    expect(await ask(bases.words, { query: 'x', rerank: { model: '' } })).toMatchObject({
      status: 400,
      code: 'invalid_query',
    });
    expect(await ask(bases.words, { query: 'x', top_k: 51 })).toMatchObject({ status: 400 });
    expect(await ask(bases.words, { query: ' ' })).toMatchObject({ status: 400 });
  });

  test('is answered with the words that made it a hit, scores that fall, and no more than asked for', async () => {
    const answer = await ask(bases.words, { query: 'returning the package: islands?', top_k: 2 });
    const hits = answer.data as { score: number; text: string; highlights: { start: number; end: number }[] }[];
    expect(hits).toHaveLength(2);
    expect(hits[0]?.score).toBeGreaterThan(hits[1]?.score as number);
    const [first] = hits;
    expect(first?.highlights.map(({ start, end }) => first.text.slice(start, end))).toEqual(['Returns', 'package']);
    expect(textsOf(await ask(bases.words, { query: 'returning a package', min_score: 0.99 }))).toEqual([RETURNS]);
  });

  test('is judged once more by a reranker, and keeps its order where that fails', async () => {
    const rerank = { model: 'r', base_url: `${addressOf(reranker)}/v1`, api_key: '{{ secret.EMBED_KEY }}' };
    const question = { query: 'returns delivery', rerank };
    const plain = textsOf(await ask(bases.words, { query: 'returns delivery' }));
    rerankAnswer = (documents) => ({
      status: 200,
      body: JSON.stringify({ results: documents.map((_, index) => ({ index, relevance_score: index / 10 })) }),
    });
    expect(textsOf(await ask(bases.words, question))).toEqual([...plain].reverse());
    rerankAnswer = () => ({ status: 500, body: KEY });
    const failed = await ask(bases.words, question);
    expect(textsOf(failed)).toEqual(plain);
    expect(failed.warnings).toEqual([expect.stringContaining('answered 500')]);
    expect(JSON.stringify(failed)).not.toContain(KEY);
  });

  test('goes by words and vectors where there is a model, and by words alone, saying so, while model or Qdrant are away', async () => {
    const added = await user.request('POST', `/api/v1/knowledge-bases/${bases.meaning}/documents`, { text: RETURNS });
    expect(added.status).toBe(201);
    await ready(bases.meaning, String(added.body.id));
    const question = { query: 'returns' };
    expect(await ask(bases.meaning, question)).toMatchObject({
      mode: 'hybrid',
      warnings: [],
      data: [{ text: RETURNS, score: 1 }],
      usage: { input_tokens: 1, cost_usd: null },
    });
    qdrant.failNext(2, 503);
    expect(await ask(bases.meaning, question)).toMatchObject({
      mode: 'lexical',
      warnings: [expect.stringContaining('Qdrant answered 503')],
      data: [{ text: RETURNS }],
    });
    await user.request('POST', '/api/v1/secrets', { name: 'EMBED_KEY', value: 'wrong' });
    const refused = await ask(bases.meaning, question);
    expect(refused).toMatchObject({ mode: 'lexical', warnings: [expect.stringContaining('llm_key_refused')] });
    await user.request('POST', '/api/v1/secrets', { name: 'EMBED_KEY', value: KEY });
    expect(textsOf(await ask(bases.meaning, question))).toEqual([RETURNS]);
  });

  test('is never answered with what only the vectors say is there', async () => {
    const [foreign, own] = [
      await other.request('GET', '/api/v1/knowledge-bases'),
      await user.request('GET', '/api/v1/tenant'),
    ];
    const theirs = String((foreign.body.data as JsonObject[])[0]?.id);
    const secret = await other.request('POST', `/api/v1/knowledge-bases/${theirs}/documents`, {
      text: 'zebra crossing',
    });
    expect(secret.body).toMatchObject({ status: 'ready' });
    const point = (n: number, document_id: string) => ({
      id: `00000000-0000-8000-8000-00000000000${n}`,
      vector: [...hashedVector('zebra crossing')],
      payload: { tenant_id: own.body.id, base_id: bases.words, generation: 0, document_id, revision: 1, n: 0 },
    });
    qdrant.collections.get('everstep_384')?.put([point(1, String(secret.body.id)), point(2, 'no-such-chunk')]);
    expect(textsOf(await ask(theirs, { query: 'zebra crossing' }, other))).toEqual(['zebra crossing']);
    expect(await ask(bases.words, { query: 'zebra crossing' })).toMatchObject({ data: [], warnings: [] });
    const unreadable = { ...point(3, 'x'), payload: { ...point(3, 'x').payload, n: 'first' } };
    qdrant.collections.get('everstep_384')?.put([unreadable]);
    expect(await ask(bases.words, { query: 'zebra returns' })).toMatchObject({
      mode: 'lexical',
      warnings: [expect.stringContaining('Qdrant returned a point that was not written by this service')],
      data: [{ text: RETURNS }],
    });
  });

  test('/health/ready names Qdrant while it is away', async () => {
    const health = async () => (await fetch(`${site.url}/health/ready`)).json() as Promise<JsonObject>;
    expect(await health()).toEqual({ status: 'ready' });
    qdrant.failNext(1, 0);
    expect(await health()).toEqual({ status: 'ready', degraded: [{ name: 'qdrant', reason: 'it does not answer' }] });
  });

  test('sent nothing to Qdrant that it does not know, and nothing without tenant and base', () => {
    expect(qdrant.faults).toEqual([]);
    expect([...qdrant.collections.keys()].sort()).toEqual(['everstep_3', 'everstep_384']);
  });
});

const ready = (id: string, document: string) =>
  until(`document ${document} is ready`, async () => {
    const { body } = await user.request('GET', `/api/v1/knowledge-bases/${id}/documents/${document}`);
    if (body.status === 'failed') throw new Error(JSON.stringify(body));
    return body.status === 'ready' ? body : null;
  });
