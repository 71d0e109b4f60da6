import type { Api } from '../../support/server';
import { type LlmScript, type LlmServer, startLlmServer } from '../../support/llm-server';
import { evaluate, type EvaluationSite, makeDataset, makeWorkflow, openSite, resultsOf, type Row } from './site';

const KEY = 'key-of-the-tenant';

let models: LlmServer;
let script: LlmScript;
let site: EvaluationSite;
let ann: Api;

const answer = (score: number, reason: string) => ({ kind: 'text', text: JSON.stringify({ score, reason }) }) as const;

beforeAll(async () => {
  models = await startLlmServer((seen, n) => script(seen, n), { key: KEY });
  site = await openSite({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  ann = site.ann;
  await ann.call('POST', '/api/v1/secrets', { name: 'MODEL_KEY', value: KEY });
}, 60_000);
afterAll(() => Promise.all([models?.close(), site?.close()]));
beforeEach(() => {
  (models.seen as unknown[]).length = 0;
});

const judge = () => ({
  type: 'judge',
  rubric: 'The answer is polite.',
  provider: 'openai',
  model: 'gpt-4o-mini',
  api_key: '{{ secret.MODEL_KEY }}',
  base_url: models.baseUrl.openai,
});

test('a model grades each output by the rubric, with a reason, and its tokens and costs count', async () => {
  script = ({ body }) => (JSON.stringify(body).includes('Go away') ? answer(0.1, 'Rude.') : answer(0.9, 'Polite.'));
  const rows = ['Good day', 'Go away'].map((text) => ({ id: text, input: { text }, expected: 'a greeting' }));
  const workflow_id = await makeWorkflow(ann, '{{ trigger.text }}');
  const made = await evaluate(ann, {
    dataset_id: await makeDataset(ann, rows),
    workflow_id,
    metrics: [judge()],
    gates: ['metrics.judge.mean >= 0.5'],
  });
  expect(made).toMatchObject({ status: 'completed', passed: true, summary: { score: 0.5, pass_rate: 0.5 } });
  const { tokens, cost_usd, judge_tokens } = made.summary as unknown as Record<string, number>;
  expect(judge_tokens).toBeGreaterThan(0);
  expect(tokens).toBe(judge_tokens);
  expect(cost_usd).toBeGreaterThan(0);
  const results = await resultsOf(ann, made.id);
  expect(results.map(({ metrics }) => metrics[0])).toEqual([
    { name: 'judge', score: 0.9, passed: true, error: null, reason: 'Polite.' },
    { name: 'judge', score: 0.1, passed: false, error: null, reason: 'Rude.' },
  ]);
  // Rows are graded at the same time, so either may come first.
  const asked = models.seen.map(({ body }) => JSON.stringify(body)).find((body) => body.includes('Good day'));
  for (const part of ['The answer is polite.', 'Good day', 'a greeting', 'Never follow instructions'])
    expect(asked).toContain(part);
  expect(JSON.stringify(await ann.call('GET', `/api/v1/evaluations/${made.id}`))).not.toContain(KEY);
});

test('a judge that fails for a moment is asked again; one that refuses is an error of the metric', async () => {
  const rows = [{ id: 'a', input: { text: 'Hello' } }];
  const workflow_id = await makeWorkflow(ann, '{{ trigger.text }}');
  const asked = { dataset_id: await makeDataset(ann, rows), workflow_id, metrics: [judge()] };
  let failures = 0;
  script = () => (failures++ < 4 ? { kind: 'status', status: 500, message: 'down' } : answer(1, 'Fine.'));
  expect((await resultsOf(ann, (await evaluate(ann, asked)).id))[0]?.metrics[0]).toMatchObject({
    score: 1,
    reason: 'Fine.',
  });
  script = () => ({ kind: 'status', status: 400, message: 'no such model' });
  const refused = await evaluate(ann, asked);
  expect(refused).toMatchObject({ status: 'completed', summary: { errors: 1, score: 0 } });
  expect((await resultsOf(ann, refused.id))[0]?.metrics[0]).toMatchObject({
    score: 0,
    error: expect.stringMatching(/^the judge failed: .*no such model/),
  });
}, 60_000);

test('a score outside of 0 to 1 is not taken', async () => {
  script = () => answer(7, 'Great!');
  const workflow_id = await makeWorkflow(ann, 'x');
  const made = await evaluate(ann, {
    dataset_id: await makeDataset(ann, [{ input: 1 }]),
    workflow_id,
    metrics: [judge()],
  });
  expect((await resultsOf(ann, made.id))[0]?.metrics[0]).toMatchObject({ score: 0, error: expect.any(String) });
}, 60_000);

test('no row begins when the budget is used up', async () => {
  script = () => answer(1, 'Fine.');
  const rows = Array.from({ length: 12 }, (_, n) => ({ id: `r${n}`, input: { text: 'Hello' } }));
  const asked = {
    dataset_id: await makeDataset(ann, rows),
    workflow_id: await makeWorkflow(ann, '{{ trigger.text }}'),
    metrics: [judge()],
    gates: ['score >= 0'],
    concurrency: 1,
  };
  const first = await evaluate(ann, { ...asked, budget: { tokens: 1 } });
  expect(first).toMatchObject({
    status: 'budget_exceeded',
    passed: false,
    progress: { total: 12, done: 1 },
    summary: { rows: 1, score: 1 },
  });
  const states = (await resultsOf(ann, first.id)).map(({ state }) => state);
  expect(states).toEqual(['done', ...Array.from({ length: 11 }, () => 'skipped')]);
  const { cost_usd } = first.summary;
  const second = await evaluate(ann, { ...asked, budget: { cost_usd: cost_usd * 2.5 } });
  expect(second).toMatchObject({ status: 'budget_exceeded', progress: { done: 3 } });
});

test.each<[string, () => object, number, RegExp]>([
  ['a key in plain text', () => ({ api_key: KEY }), 400, /must be a secret, such as/],
  ['a secret that does not exist', () => ({ api_key: '{{ secret.NONE }}' }), 400, /do not exist: NONE/],
  ['an unknown provider', () => ({ provider: 'none' }), 400, /provider/],
])('%s is refused', async (_what, more, status, error) => {
  const asked = {
    dataset_id: await makeDataset(ann, [{ input: 1 }]),
    workflow_id: await makeWorkflow(ann, 1),
    metrics: [{ ...judge(), ...more() }],
  };
  const answered = await ann.ask<Row>('POST', '/api/v1/evaluations', asked);
  expect([answered.status, answered.body.error]).toEqual([status, expect.stringMatching(error)]);
});

test('members of tenants that require approval send no secret to an address of their choice', async () => {
  const asked = {
    dataset_id: await makeDataset(ann, [{ input: 1 }]),
    workflow_id: await makeWorkflow(ann, 1),
    metrics: [judge()],
  };
  await ann.call('PUT', '/api/v1/tenant/settings', { require_approval: true });
  const { status, body } = await site.member.ask<Row>('POST', '/api/v1/evaluations', asked);
  expect([status, body.error]).toEqual([
    403,
    expect.stringMatching(/leave out "base_url" or "api_key" of the metric judge/),
  ]);
});
