import type { JsonObject } from '../../../lib/json';
import { aiService } from '../../../services/ai/ai.service';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import { executorServices } from '../../support/run-services';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { byTurn, type LlmReply, type LlmScript, type LlmServer, startLlmServer } from '../../support/llm-server';
import { Api } from '../../support/server';
import { until } from '../../support/until';

let models: LlmServer;
let script: LlmScript;
let app: TestApp;
let api: Api;

beforeAll(async () => {
  models = await startLlmServer((seen, n) => script(seen, n), { key: 'house-key' });
  app = await startApp({
    services: [authService, secretsService, workflowsService, executorServices, aiService, apiGatewayService],
    env: {
      LLM_OPENAI_API_KEY: 'house-key',
      LLM_OPENAI_BASE_URL: models.baseUrl.openai,
      LLM_OPENAI_MODEL: 'gpt-4o-mini',
    },
  });
  api = new Api(app.url);
  api.token = (await registerTenant(app)).token;
});
afterAll(() => Promise.all([models?.close(), app?.close()]));
beforeEach(() => {
  (models.seen as unknown[]).length = 0;
});

interface Run {
  id: string;
  status: string;
  output: JsonObject;
  error: JsonObject | null;
  tokens: number;
  cost_usd: number;
  waiting: { step_id: string; kind: string; name: string }[];
}

async function start(name: string, steps: JsonObject[]): Promise<string> {
  const dsl = { id: name, trigger: { type: 'manual' }, steps };
  const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name, dsl });
  return (await api.call<{ id: string }>('POST', `/api/v1/workflows/${id}/trigger`, {})).id;
}
const look = (id: string): Promise<Run> => api.call<Run>('GET', `/api/v1/executions/${id}`);
const ended = (id: string): Promise<Run> =>
  until('the run has ended', async () => {
    const run = await look(id);
    return run.status === 'running' ? null : run;
  });
const waiting = (id: string) =>
  until('the run waits', async () => {
    const { waiting: rows } = await look(id);
    return rows.find(({ kind }) => kind === 'approval') ?? null;
  });

const calls = (name: string, input: JsonObject): LlmReply => ({
  kind: 'tools',
  calls: [{ name, input }],
  tokens: { input: 1_000_000, output: 0 },
});
const says = (text: string): LlmReply => ({ kind: 'text', text, tokens: { input: 0, output: 1_000_000 } });

test('steps ask the models of the installation, though they stand where steps cannot reach', async () => {
  script = () => says('Hello.');
  const run = await ended(await start('llm', [{ id: 'ask', type: 'llm', config: { prompt: 'Hi' } }]));
  expect(run).toMatchObject({ status: 'completed', output: { text: 'Hello.', cost_usd: 0.6 } });
  expect(run).toMatchObject({ tokens: 1_000_000, cost_usd: 0.6 });
  const reached = await ended(
    await start('reach', [{ id: 'a', type: 'http_request', config: { url: `${models.baseUrl.openai}/models` } }]),
  );
  expect(reached).toMatchObject({ status: 'failed', error: { code: 'http_blocked' } });
});

test('an agent asks a person, starts a workflow, and its run has what all of it cost', async () => {
  const refund = {
    id: 'refund',
    trigger: { type: 'manual' },
    steps: [{ id: 'r', type: 'set', config: { paid: '{{ trigger.order }}' } }],
  };
  await api.call('POST', '/api/v1/workflows', { name: 'refund', dsl: refund });
  script = byTurn(calls('refund', { order: 7 }), calls('refund', { order: 8 }), says('Both are paid.'));
  const id = await start('agent', [
    {
      id: 'help',
      type: 'agent',
      config: {
        prompt: 'Refund orders 7 and 8',
        tools: [{ type: 'workflow', workflow: 'refund', name: 'refund', approval: { message: 'Refund it?' } }],
      },
    },
  ]);
  for (const [turn, order] of [7, 8].entries()) {
    const { step_id, name } = await waiting(id);
    expect(step_id).toBe('help');
    const { data } = await api.call<{ data: { execution_id: string; message: string; approve_url: string }[] }>(
      'GET',
      '/api/v1/approvals',
    );
    const [row] = data.filter(({ execution_id }) => execution_id === id);
    expect(row).toMatchObject({ message: 'Refund it?' });
    expect(models.seen).toHaveLength(turn + 1);
    expect([order, name]).toEqual([order, expect.stringMatching(/^approve-help/)]);
    await api.call('POST', `/api/v1/executions/${id}/signal`, { signal: name, data: { approved: true } });
    await until('it goes on', async () => models.seen.length > turn + 1);
  }
  const run = await ended(id);
  expect(run).toMatchObject({
    status: 'completed',
    output: {
      text: 'Both are paid.',
      turns: 3,
      tool_calls: [
        { input: { order: 7 }, output: { paid: 7 } },
        { input: { order: 8 }, output: { paid: 8 } },
      ],
      cost_usd: 0.9,
    },
    tokens: 3_000_000,
    cost_usd: 0.9,
  });
  // Each turn was asked for once, whatever the run has waited for in between.
  expect(models.seen.map(({ answersBefore }) => answersBefore)).toEqual([0, 1, 2]);
});

test('a question may be named by its number, and another one is not decided with it', async () => {
  script = byTurn(calls('set', { a: 1 }), says('Done.'));
  const id = await start('numbers', [
    { id: 'help', type: 'agent', config: { prompt: 'Go', tools: [{ type: 'set', approval: true }] } },
  ]);
  const { name } = await waiting(id);
  const decide = (signal: string) =>
    api.ask<{ code: string }>('POST', `/api/v1/executions/${id}/signal`, { signal, data: { approved: true } });
  expect(await decide('approve-help#7')).toMatchObject({ status: 409, body: { code: 'conflict' } });
  expect(await decide('approve-unknown#1')).toMatchObject({ status: 404 });
  expect(await decide(name)).toMatchObject({ status: 202 });
  expect(await ended(id)).toMatchObject({ output: { text: 'Done.' } });
});

test('the link of an approval decides the question that is open', async () => {
  script = byTurn(calls('set', { a: 1 }), says('Done.'));
  const id = await start('links', [
    { id: 'help', type: 'agent', config: { prompt: 'Go', tools: [{ type: 'set', approval: true }] } },
  ]);
  await waiting(id);
  const { data } = await api.call<{ data: { execution_id: string; reject_url: string }[] }>('GET', '/api/v1/approvals');
  const link = data.find(({ execution_id }) => execution_id === id)?.reject_url ?? '';
  const { pathname, search } = new URL(link);
  await api.call('GET', `${pathname}${search}`);
  expect(await ended(id)).toMatchObject({ output: { text: 'Done.', tool_calls: [{ error: { code: 'rejected' } }] } });
});

test('an attempt that failed is gone on with: its turns are not asked for again', async () => {
  let down = true;
  script = (seen, n) => {
    if (seen.answersBefore === 1 && down) {
      down = false;
      return { kind: 'status', status: 503, headers: { 'retry-after': '0' } };
    }
    return byTurn(calls('set', { a: 1 }), says('Done.'))(seen, n);
  };
  const retry = { max_attempts: 2, initial_interval: '10ms' };
  const id = await start('retry', [
    { id: 'help', type: 'agent', retry, config: { prompt: 'Go', tools: [{ type: 'set' }] } },
  ]);
  expect(await ended(id)).toMatchObject({ status: 'completed', tokens: 2_000_000 });
  expect(models.seen.map(({ answersBefore }) => answersBefore)).toEqual([0, 1, 1]);
});
