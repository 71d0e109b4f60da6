import type { JsonObject } from '../../../lib/json';
import type { UsageBreakdown } from '../../../contracts/executions/usage';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { registerTenant } from '../../support/accounts';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { type LlmServer, startLlmServer } from '../../support/llm-server';
import { executorServices } from '../../support/run-services';
import { Api } from '../../support/server';
import { machine } from '../../unit/cli/machine';
import { until } from '../../support/until';

let models: LlmServer;
let database: TestDatabase;
let app: TestApp;
let api: Api;

const start = (): Promise<TestApp> =>
  startApp({
    services: [authService, secretsService, workflowsService, executorServices, apiGatewayService],
    database,
    env: {
      LLM_OPENAI_API_KEY: 'house-key',
      LLM_OPENAI_BASE_URL: models.baseUrl.openai,
      LLM_OPENAI_MODEL: 'gpt-4o-mini',
    },
  });
const as = async (): Promise<Api> => {
  const client = new Api(app.url);
  client.token = (await registerTenant(app)).token;
  return client;
};

beforeAll(async () => {
  models = await startLlmServer(() => ({ kind: 'text', text: 'Hello.', tokens: { input: 0, output: 1_000_000 } }), {
    key: 'house-key',
  });
  database = await openTestDatabase();
  app = await start();
  api = await as();
}, 60_000);
afterAll(async () => {
  await app.close();
  await Promise.all([database.close(), models.close()]);
});

async function run(name: string, steps: JsonObject[]): Promise<string> {
  const dsl = { id: 'flow', trigger: { type: 'manual' }, steps };
  const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name, dsl });
  const { id: execution } = await api.call<{ id: string }>('POST', `/api/v1/workflows/${id}/trigger`, {});
  await until('the run has ended', async () => {
    const { status } = await api.call<{ status: string }>('GET', `/api/v1/executions/${execution}`);
    return status === 'running' ? null : true;
  });
  return id;
}
const breakdown = (client = api, query = ''): Promise<UsageBreakdown> =>
  client.call<UsageBreakdown>('GET', `/api/v1/usage/breakdown${query}`);

const ask = (id: string, model = 'gpt-4o-mini'): JsonObject => ({ id, type: 'llm', config: { prompt: 'Hi', model } });

test('usage is counted by workflow, by model and by day, also after a restart', async () => {
  const costly = await run('Costly', [ask('a'), ask('b', 'a-model-of-our-own')]);
  const cheap = await run('Cheap', [{ id: 'f', type: 'fail', config: { message: 'no' } }]);
  const expected = {
    workflows: [
      { workflow_id: costly, workflow_name: 'Costly', runs: 1, failed: 0, steps: 2, tokens: 2_000_000, cost_usd: 0.6 },
      { workflow_id: cheap, workflow_name: 'Cheap', runs: 1, failed: 1, steps: 1, tokens: 0, cost_usd: 0 },
    ],
    models: [
      { provider: 'openai', model: 'gpt-4o-mini', calls: 1, output_tokens: 1_000_000, cost_usd: 0.6 },
      { provider: 'openai', model: null, calls: 1, output_tokens: 1_000_000, cost_usd: 0 },
    ],
  };
  const before = await breakdown();
  expect(before).toMatchObject(expected);
  expect(before.days).toHaveLength(30);
  expect(before.days.at(-1)).toMatchObject({ date: before.to, runs: 2, failed: 1, steps: 3, cost_usd: 0.6 });
  await app.close();
  app = await start();
  api = Object.assign(new Api(app.url), { token: api.token });
  expect(await breakdown()).toEqual(before);
});

test('counts outlive their workflows, and are those of the tenant alone', async () => {
  const id = await run('Gone', [{ id: 'a', type: 'set', config: { a: 1 } }]);
  await api.call('DELETE', `/api/v1/workflows/${id}`);
  const { workflows } = await breakdown(api, '?days=1');
  expect(workflows).toContainEqual(expect.objectContaining({ workflow_name: 'Gone', runs: 1 }));
  const other = await breakdown(await as());
  expect([other.workflows, other.models, other.days.every(({ runs }) => runs === 0)]).toEqual([[], [], true]);
});

describe('everstep usage', () => {
  const command = async (client: Api, ...words: string[]) => {
    const { run: start, output } = machine({ EVERSTEP_URL: client.url, EVERSTEP_API_KEY: client.token });
    return { exit: await start('usage', ...words), ...output };
  };

  it('shows what each workflow and model has used', async () => {
    api = await as();
    await run('Costly', [ask('a'), ask('b'), ask('c', 'a-model-of-our-own')]);
    await run('Cheap', [{ id: 'f', type: 'fail', config: { message: 'no' } }]);
    const { exit, out } = await command(api);
    const rows = out.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect([exit, rows]).toEqual([
      'ok',
      [
        ['WORKFLOW', 'RUNS', 'FAILED', 'STEPS', 'TOKENS', 'COST USD'],
        ['Costly', '1', '0', '3', '3000000', '1.2'],
        ['Cheap', '1', '1', '1', '0', '0'],
        [''],
        ['PROVIDER', 'MODEL', 'CALLS', 'INPUT TOKENS', 'OUTPUT TOKENS', 'COST USD'],
        ['openai', 'gpt-4o-mini', '2', '0', '2000000', '1.2'],
        ['openai', 'other', '1', '0', '1000000', '0'],
        [''],
      ],
    ]);
  });

  it('prints the answer of the server as JSON, of as many days as are asked for', async () => {
    const { exit, out } = await command(api, '--days', '7', '--json');
    expect([exit, JSON.parse(out)]).toEqual(['ok', await breakdown(api, '?days=7')]);
  });

  it('of a tenant that has used nothing has no rows', async () => {
    const { exit, out } = await command(await as());
    expect([exit, out.includes('WORKFLOW'), out.includes('Costly')]).toEqual(['ok', true, false]);
  });

  it.each(['0', '91', '1.5', 'x', ''])('refuses %p days before it asks the server', async (days) => {
    const { exit, err } = await command(api, `--days=${days}`);
    expect([exit, err]).toEqual(['usage', expect.stringContaining('--days must be a whole number from 1 to 90')]);
  });
});

test.each(['?days=0', '?days=91', '?days=x'])('%s is no range', async (query) => {
  await expect(breakdown(api, query)).rejects.toThrow(/days/);
});
