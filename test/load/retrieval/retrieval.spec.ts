import { hashedVector } from '../../../lib/search/hashed-vectors';
import type { IndexHit } from '../../../lib/search/contract';
import { fuse, WEIGHTS } from '../../../lib/search/fusion';
import type { KnowledgeHit } from '../../../contracts/knowledge/views';
import { allServices } from '../../support/services';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { openIndexWorld } from '../../support/knowledge/index-world';
import { until } from '../../support/until';
import { embeddingOf, type EmbeddingServer, startEmbeddingServer } from './embedding-server';
import passages from './passages.json';
import questions from './questions.json';

/** Relevance of passages to a question: 2 for the answer, 1 for a related passage. */
type Grades = Readonly<Record<string, number>>;
/** Passages that a question found, the best first. */
type Ranking = (question: string) => readonly string[];

const TOP = 10;

/** Normalised discounted cumulative gain of the first ten (Järvelin and Kekäläinen, 2002), over all questions. */
function quality(ranking: Ranking): number {
  const gain = (grades: readonly number[]): number =>
    grades.slice(0, TOP).reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);
  const each = questions.map(({ question, grades }) => {
    const known: Grades = grades as Partial<Grades> as Grades;
    const found = ranking(question).map((id) => known[id] ?? 0);
    return gain(found) / gain(Object.values(known).sort((a, b) => b - a));
  });
  return each.reduce((sum, value) => sum + value, 0) / each.length;
}

/** The results of each of two lists, and of both combined. */
async function listsBy(vectorOf: (text: string) => Float32Array, weights: { words: number; vectors: number }) {
  const world = await openIndexWorld();
  const { words: lexical, vectors, put } = world.open();
  const space = { tenantId: crypto.randomUUID(), baseId: crypto.randomUUID() };
  const vectorSpace = { ...space, generation: 0, dimension: vectorOf('').length };
  const revision = 1;
  await put(
    space,
    passages.map(({ id, text }) => ({ id, revision, texts: [text] })),
  );
  await vectors.put(
    vectorSpace,
    passages.map(({ id, text }) => ({ id, revision, chunkNumbers: [0], vectors: vectorOf(text) })),
  );
  const options = { limit: 50, documents: null };
  const lists = new Map<string, { words: IndexHit[]; vectors: IndexHit[]; fused: IndexHit[] }>();
  for (const { question } of questions) {
    const byWords = await lexical.search(space, question, options);
    const byVectors = await vectors.search(vectorSpace, vectorOf(question), options);
    const fused = fuse([
      { weight: weights.words, hits: byWords },
      { weight: weights.vectors, hits: byVectors },
    ]);
    lists.set(question, { words: byWords, vectors: byVectors, fused });
  }
  await world.close();
  const ranking =
    (list: 'words' | 'vectors' | 'fused'): Ranking =>
    (question) =>
      (lists.get(question)?.[list] ?? []).map(({ documentId }) => documentId);
  return { words: ranking('words'), vectors: ranking('vectors'), fused: ranking('fused') };
}

let app: TestApp;
let server: EmbeddingServer;
let token: string;

beforeAll(async () => {
  server = await startEmbeddingServer();
  app = await startApp({ services: [allServices], env: { EGRESS_ALLOW: server.address } });
  ({ token } = await registerTenant(app));
});
afterAll(async () => {
  await app?.close();
  await server?.close();
});

describe('300 passages on 15 subjects and 100 questions', () => {
  it('are about what they say, each question with an answer', () => {
    expect(new Set(passages.map(({ id }) => id)).size).toBe(300);
    expect(new Set(passages.map(({ topic }) => topic)).size).toBe(15);
    expect(new Set(questions.map(({ question }) => question)).size).toBe(100);
    const ids = new Set(passages.map(({ id }) => id));
    for (const { grades } of questions) {
      expect(Object.values(grades)).toContain(2);
      for (const id of Object.keys(grades)) expect(ids).toContain(id);
    }
  });

  it('are answered by words, and with hashed vectors beside them no worse', async () => {
    const { words, vectors } = await listsBy(hashedVector, WEIGHTS.lexical);
    const [byWords, byVectors] = [quality(words), quality(vectors)];
    const fused = quality(await answersOf(await baseOf(passages, null), 'lexical'));
    process.stderr.write(`nDCG@10: words ${show(byWords)}, hashed vectors ${show(byVectors)}, fused ${show(fused)}\n`);
    expect(byWords).toBeGreaterThanOrEqual(0.78);
    expect(fused).toBeGreaterThanOrEqual(0.772);
    expect(fused).toBeGreaterThanOrEqual(Math.max(byWords, byVectors) - 0.02);
  }, 90_000);

  it('are answered by words and vectors of a provider no worse', async () => {
    const { words, vectors, fused } = await listsBy((text) => Float32Array.from(embeddingOf(text)), WEIGHTS.hybrid);
    const [byWords, byVectors, byBoth] = [quality(words), quality(vectors), quality(fused)];
    process.stderr.write(
      `nDCG@10: words ${show(byWords)}, the test's vectors ${show(byVectors)}, fused ${show(byBoth)}\n`,
    );
    expect(byBoth).toBeGreaterThanOrEqual(Math.max(byWords, byVectors) - 0.02);
  }, 90_000);

  it('find their way to a provider and back', async () => {
    const embedding = { provider: 'openai-compatible', model: 'test', base_url: server.baseUrl };
    const some = passages.filter(({ topic }) => topic === 'cooking');
    const answers = await answersOf(await baseOf(some, embedding), 'hybrid');
    expect(answers('How do I look after a cast iron skillet?')[0]).toBe('co16');
    expect(server.texts()).toBeGreaterThanOrEqual(some.length + questions.length);
  }, 90_000);
});

const show = (value: number): string => value.toFixed(3);

/** A base with documents, ready to be asked. */
async function baseOf(documents: readonly { id: string; text: string }[], embedding: object | null): Promise<string> {
  const made = await ask(app, 'POST /api/v1/knowledge-bases', {
    token,
    body: { name: crypto.randomUUID(), embedding },
  });
  expect(made.status).toBe(201);
  const id = made.body.id as string;
  await eachOf(documents, async ({ id: name, text }) => {
    const added = await ask(app, `POST /api/v1/knowledge-bases/${id}/documents`, { token, body: { name, text } });
    expect([201, 202]).toContain(added.status);
  });
  await until(
    'all of them are ready',
    async () => {
      const ready = await ask(
        app,
        `GET /api/v1/knowledge-bases/${id}/documents?status=ready&limit=1&offset=${documents.length - 1}`,
        {
          token,
        },
      );
      return (ready.body.data as unknown[]).length === 1;
    },
    25_000,
  );
  return id;
}

/** The results of a base for each of the questions. */
async function answersOf(id: string, mode: string): Promise<Ranking> {
  const rankings = new Map<string, readonly string[]>();
  await eachOf(questions, async ({ question: query }) => {
    const answer = await ask(app, `POST /api/v1/knowledge-bases/${id}/query`, { token, body: { query, top_k: TOP } });
    expect(answer.body).toMatchObject({ mode, warnings: [] });
    rankings.set(
      query,
      (answer.body.data as KnowledgeHit[]).map((hit) => hit.document_name),
    );
  });
  return (question) => rankings.get(question) ?? [];
}

/** A few at a time. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}
