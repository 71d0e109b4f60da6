import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { knowledgeService } from '../../../services/knowledge/knowledge.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import type { KnowledgeAnswer } from '../../../contracts/knowledge/views';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { until } from '../../support/until';

const BASES = '/api/v1/knowledge-bases';
let app: TestApp;
let token: string;
let base: string;
let server: Server;
/** Scores of the reranking server; null: it fails. */
let scores: readonly number[] | null;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(scores === null ? 500 : 200, { 'content-type': 'application/json' });
      const results = scores?.map((relevance_score, index) => ({ index, relevance_score }));
      response.end(JSON.stringify({ results }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const services = [authService, auditService, secretsService, knowledgeService, apiGatewayService];
  app = await startApp({ services, env: { EGRESS_ALLOW: '127.0.0.1' } });
  ({ token } = await registerTenant(app));
  base = String((await ask(app, `POST ${BASES}`, { token, body: { name: 'Handbook' } })).body.id);
  for (const text of ['Holiday rules: 28 days of holiday.', 'Days of work are Monday to Friday.', 'Lunch is at noon.'])
    await add(text);
});
afterAll(async () => {
  await app?.close();
  server.close();
});

const add = (text: string) => ask(app, `POST ${BASES}/${base}/documents`, { token, body: { text } });
const query = async (more: object): Promise<KnowledgeAnswer> => {
  const body = { query: 'days of holiday', ...more };
  return (await ask(app, `POST ${BASES}/${base}/query`, { token, body })).body as unknown as KnowledgeAnswer;
};

test('a hit has its rank and score by words and by vectors, which add up to the fused score', async () => {
  const { data } = await query({ explain: true });
  expect(data.length).toBeGreaterThan(1);
  for (const [at, { score, ranking }] of data.entries()) {
    expect(ranking).toMatchObject({ fused: { rank: at + 1, score }, reranked: null });
    expect((ranking?.words?.adds ?? 0) + (ranking?.vectors?.adds ?? 0)).toBeCloseTo(score, 5);
  }
  expect(data[0]?.ranking).toMatchObject({ words: { rank: 1 }, vectors: { rank: 1 } });
  expect((await query({})).data[0]).not.toHaveProperty('ranking');
});

test('a reranking model moves hits, which keep their rank before', async () => {
  const { port } = server.address() as AddressInfo;
  const rerank = { provider: 'compatible', model: 'r', base_url: `http://127.0.0.1:${port}` };
  scores = [0.1, 0.9];
  const { data } = await query({ explain: true, rerank });
  expect(data.map(({ score, ranking }) => [score, ranking?.fused.rank, ranking?.reranked])).toEqual([
    [0.9, 2, { rank: 1, score: 0.9 }],
    [0.1, 1, { rank: 2, score: 0.1 }],
  ]);
  scores = null;
  const failed = await query({ explain: true, rerank });
  expect(failed.data[0]?.ranking).toMatchObject({ fused: { rank: 1 }, reranked: null });
  expect(failed.warnings).toEqual([expect.stringContaining('not reranked')]);
});

test('the stream of the tenant says that a base has changed, and not to other tenants', async () => {
  const other = await registerTenant(app);
  const [mine, theirs] = [await listen(token), await listen(other.token)];
  await add('Coffee is free.');
  await until('the event comes', async () => mine.text().includes(`"knowledge_base_id":"${base}"`) || null);
  expect(mine.text()).toContain('event: knowledge.changed');
  expect(theirs.text()).not.toContain('knowledge.changed');
  mine.close();
  theirs.close();
});

async function listen(who: string) {
  const abort = new AbortController();
  const headers = { authorization: `Bearer ${who}` };
  const response = await fetch(`${app.url}/api/v1/events`, { headers, signal: abort.signal });
  let text = '';
  const read = async (): Promise<void> => {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
      text += Buffer.from(chunk).toString();
  };
  void read().catch(() => undefined);
  await until('the stream has begun', async () => text.includes('event: ready') || null);
  return { text: () => text, close: () => abort.abort() };
}
