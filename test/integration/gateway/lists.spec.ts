import document from '../../../services/api-gateway/openapi/document.json';
import { connectors } from '../../../nodes/connectors';
import { allServices } from '../../support/services';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask, type HttpAnswer } from '../../support/http';
import { type LlmServer, startLlmServer } from '../../support/llm-server';
import { passkeysOf } from '../../support/passkeys';
import { invite, join } from '../../support/team';
import { until } from '../../support/until';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string; readonly schema?: Schema }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;
}

interface List {
  readonly path: string;
  readonly operation: Operation;
  readonly answer: Schema;
}

const resolved = (schema: Schema): Schema => {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return name === undefined
    ? schema
    : resolved((document.components.schemas as unknown as Record<string, Schema>)[name] ?? {});
};

/** Read from a position on, as a log is: by `after` or `cursor` alone. */
const BY_POSITION = ['executions.logs', 'executions.decided', 'auth.operator_tenants', 'audit.operator_list'];
/** Answered as a whole, with `truncated` where there is more: places in documents that are read for the answer. */
const USES = ['connections.used_by', 'secrets.used_by', 'workflows.used_by', 'workflows.variable_used_by'];

/** Every GET whose answer has a list as `data`, but for those. */
const LISTS: readonly List[] = Object.entries(
  document.paths as unknown as Record<string, Record<string, Operation>>,
).flatMap(([path, { get: operation }]) => {
  const answer = resolved(operation?.responses['200']?.content?.['application/json']?.schema ?? {});
  const isList = resolved(answer.properties?.data ?? {}).type === 'array';
  if (operation === undefined || !isList || [...BY_POSITION, ...USES].includes(operation.operationId)) return [];
  return [{ path, operation, answer }];
});

/** Answered as a whole where no `limit` is named: they come with the product, or from a provider. */
const CATALOGUES = ['workflows.node_types', 'connectors.list', 'connections.presets', 'ai.models', 'billing.plans'];
/** Rows of lists that cannot have three here: one process, one organization of a tenant, one session of a user, two models of the server. */
const FEW: Readonly<Record<string, number>> = {
  'executions.workers': 1,
  'auth.organizations': 1,
  'auth.list_sessions': 1,
  'workflows.folder_list': 1,
  'ai.models': 2,
};

const STEP = { id: 'write', type: 'file_write', config: { path: 'a.txt', content: 'a' } };
const DSL = {
  id: 'd',
  trigger: { type: 'http' },
  steps: [
    STEP,
    { ...STEP, id: 'b', config: { path: 'b.txt', content: 'b' } },
    { ...STEP, id: 'c', config: { path: 'c.txt', content: 'c' } },
  ],
};
const ASKS = {
  id: 'd',
  trigger: { type: 'manual' },
  concurrency: { key: '{{ trigger.name }}' },
  steps: [{ id: 'ask', type: 'approval', config: { message: 'Yes?' } }],
};

let app: TestApp;
let models: LlmServer;
let token: string;
/** Values of the variables in paths, by the segment before them. */
let ids: Record<string, string>;

const send = (line: `${string} /${string}`, body?: unknown): Promise<HttpAnswer> =>
  ask(app, line, { token, ...(body === undefined ? {} : { body }) });

async function make(line: `POST /${string}`, body: object): Promise<Record<string, string>> {
  const answer = await send(line, body);
  if (answer.status >= 300) throw new Error(`${line}: ${JSON.stringify(answer.body)}`);
  return answer.body as Record<string, string>;
}

beforeAll(async () => {
  models = await startLlmServer(() => ({ kind: 'text', text: '{}' }));
  app = await startApp({
    env: { LLM_OPENAI_COMPATIBLE_BASE_URL: models.baseUrl.openai, LLM_OPENAI_COMPATIBLE_MODEL: 'any' },
    services: [allServices],
  });
  const owner = await registerTenant(app);
  token = owner.token;
  await app.call('auth.set_plan', { plan: 'enterprise' }, { tenant_id: owner.tenant.id, role: 'service' });
  const flow = await make('POST /api/v1/workflows', { name: 'Files', dsl: DSL });
  const asking = await make('POST /api/v1/workflows', { name: 'Asks', dsl: ASKS });
  const base = await make('POST /api/v1/knowledge-bases', { name: 'Base' });
  const long = Array.from({ length: 40 }, (_, n) => `Paragraph ${n}. ${'Words of a text. '.repeat(20)}`).join('\n\n');
  const text = await make(`POST /api/v1/knowledge-bases/${base.id}/documents`, { text: long });
  await make('POST /api/v1/organizations', { name: 'Holding' });
  const dataset = await make('POST /api/v1/datasets', { name: 'Rows' });
  await make(`POST /api/v1/datasets/${dataset.id}/rows`, { rows: [{ input: 1 }, { input: 2 }, { input: 3 }] });
  const names = ['one', 'two', 'three'];
  let evaluation: Record<string, string> = {};
  for (const name of names) {
    await make('POST /api/v1/workflows', { name, dsl: { ...ASKS, trigger: { type: 'manual' } } });
    await make('POST /api/v1/workflows', {
      name: `Timed ${name}`,
      dsl: { ...ASKS, trigger: { type: 'schedule', config: { every: '1d' } } },
    });
    await make(`POST /api/v1/workflows/${flow.id}/versions`, { message: name });
    await make(`POST /api/v1/workflows/${flow.id}/api-keys`, { name });
    await make(`POST /api/v1/workflows/${flow.id}/chat-deployments`, {
      slug: `${owner.tenant.slug}-${name}`,
      title: name,
    });
    await make('POST /api/v1/alerts', {
      name,
      condition: { kind: 'failures_in_row', failures: 9 },
      channels: [{ kind: 'webhook', url: 'http://127.0.0.1:1/' }],
    });
    await make('POST /api/v1/api-keys', { name });
    await passkeysOf(app).add(token, name);
    await make('POST /api/v1/secrets', { name, value: 'a value' });
    await send(`PUT /api/v1/variables/${name}`, { value: name });
    await make('POST /api/v1/connections', {
      connector: 'http',
      name,
      credentials: { base_url: 'http://127.0.0.1:1/', auth: 'none' },
    });
    await make('POST /api/v1/oauth-apps', { name, preset: 'github', client_id: 'c', client_secret: 's' });
    await make('POST /api/v1/custom-nodes', { name, request: { method: 'GET', url: 'http://127.0.0.1:1/' } });
    await make('POST /api/v1/knowledge-bases', { name });
    await make(`POST /api/v1/knowledge-bases/${base.id}/documents`, { text: `A text: ${name}.` });
    await make('POST /api/v1/datasets', { name });
    evaluation = await make('POST /api/v1/evaluations', {
      dataset_id: dataset.id,
      workflow_id: flow.id,
      metrics: [{ type: 'equals' }],
    });
    const skill = await make('POST /api/v1/skills', { name, description: 'A skill to list.' });
    await make(`POST /api/v1/skills/${skill.id}/publish`, {});
    await join(app, token, `${name}@example.com`);
    await invite(app, token, `invited-${name}@example.com`);
    await make(`POST /webhooks/${flow.id}`, { name });
    await make(`POST /api/v1/workflows/${asking.id}/trigger`, { name });
  }
  // One notice for each of its channels.
  const alert = await make('POST /api/v1/alerts', {
    name: 'tested',
    condition: { kind: 'failures_in_row', failures: 9 },
    channels: [1, 2, 3].map((port) => ({ kind: 'webhook', url: `http://127.0.0.1:${port}/` })),
  });
  await make(`POST /api/v1/alerts/${alert.id}/test`, {});
  const run = await make(`POST /run/${flow.id}?wait=1`, {}).catch(() =>
    make(`POST /api/v1/workflows/${flow.id}/trigger`, {}),
  );
  const execution = (run.execution_id ?? run.id) as string;
  ids = {
    alerts: alert.id,
    workflows: flow.id,
    runs: execution,
    executions: execution,
    datasets: dataset.id,
    evaluations: evaluation.id,
    'knowledge-bases': base.id,
    documents: text.id,
  } as Record<string, string>;
  const rowsOf = async (path: `/${string}`): Promise<number> =>
    ((await send(`GET ${path}`)).body.data as unknown[]).length;
  await until('the files are there', async () => (await rowsOf(`/api/v1/workspaces/runs/${execution}/files`)) === 3);
  await until('the deliveries are kept', async () => (await rowsOf(`/api/v1/workflows/${flow.id}/deliveries`)) >= 3);
  await until(
    'the document is read',
    async () => (await rowsOf(`/api/v1/knowledge-bases/${base.id}/documents/${text.id}/chunks`)) >= 3,
  );
  await until('the evaluations have ended', async () => {
    const { data } = (await send('GET /api/v1/evaluations')).body as { data: { status: string }[] };
    return data.every(({ status }) => status === 'completed');
  });
  await until('the runs wait', async () => (await rowsOf('/api/v1/approvals')) === 3);
}, 120_000);
afterAll(() => Promise.all([app.close(), models.close()]));

const WORDS: Readonly<Record<string, string>> = {
  'skills.search': 'q=list',
  'ai.models': 'provider=openai-compatible',
};

function lineOf({ path, operation }: List, query: string): `GET /${string}` {
  const filled = path.replace(/([\w-]+)\/\{\w+\}/g, (_all, collection: string) => `${collection}/${ids[collection]}`);
  return `GET ${filled as `/${string}`}?${[WORDS[operation.operationId], query].filter(Boolean).join('&')}`;
}

/** Members that tell the rows of a list apart, the first that a row has. */
const KEYS = ['row_id', 'execution_id', 'id', 'type', 'path', 'slug', 'workflow_id', 'version', 'name'] as const;

function keysOf({ body }: HttpAnswer): string[] {
  const rows = body.data as Record<string, unknown>[];
  return rows.map((row) => String(KEYS.map((key) => row[key]).find((value) => value !== undefined)));
}

test('the lists are found by the shape of their answers', () => {
  expect(LISTS.length).toBeGreaterThan(30);
  expect(LISTS.map(({ operation }) => operation.operationId)).toEqual(
    expect.arrayContaining([...CATALOGUES, ...Object.keys(FEW)]),
  );
});

describe.each(LISTS.map((list) => [list.path, list] as const))('GET %s', (_path, list) => {
  const { operation, answer } = list;
  const isCatalogue = CATALOGUES.includes(operation.operationId);

  test('takes limit and offset, and answers them', () => {
    const schemaOf = (name: string) => operation.parameters?.find((each) => each.name === name)?.schema;
    expect(schemaOf('limit')).toMatchObject({ type: 'integer', minimum: 1, maximum: 200 });
    expect(schemaOf('limit')?.default).toBe(isCatalogue ? undefined : 50);
    expect(schemaOf('offset')).toMatchObject({ type: 'integer', minimum: 0 });
    expect(answer.required).toEqual(expect.arrayContaining(['data', 'limit', 'offset']));
  });

  test.each([['limit=0'], ['limit=201'], ['limit=some'], ['limit='], ['limit=1.5'], ['offset=-1'], ['offset=some']])(
    'refuses %s',
    async (query) => {
      const { status, body } = await send(lineOf(list, query));
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect((body.details as { path: string }[])[0]?.path).toBe(query.slice(0, query.indexOf('=')));
    },
  );

  test('pages through its rows', async () => {
    const whole = await send(lineOf(list, 'limit=200'));
    const rows = keysOf(whole);
    expect(whole.body).toMatchObject({ limit: 200, offset: 0 });
    expect(rows.length).toBeGreaterThanOrEqual(FEW[operation.operationId] ?? 3);
    expect(new Set(rows).size).toBe(rows.length);
    for (const [offset, row] of rows.slice(0, 4).entries()) {
      const page = await send(lineOf(list, `limit=1&offset=${offset}`));
      expect(keysOf(page)).toEqual([row]);
      expect(page.body).toMatchObject({ limit: 1, offset });
    }
    expect(keysOf(await send(lineOf(list, 'limit=1&offset=100000')))).toEqual([]);
    const unasked = await send(lineOf(list, ''));
    expect(unasked.body.offset).toBe(0);
    if (isCatalogue) expect(unasked.body.limit).toBe((unasked.body.data as unknown[]).length);
    else expect(unasked.body.limit).toBe(50);
  });
});

test('a catalogue is whole without a limit', async () => {
  const { body } = await send('GET /api/v1/connectors');
  expect((body.data as unknown[]).length).toBe(connectors.length);
});
