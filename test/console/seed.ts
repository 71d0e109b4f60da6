import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { addLongRun, LONG_STEPS } from '../../bench/large-workspace';
import { openCollections } from '../../runtime/mongo/collections';
import type { ExecutionDocument } from '../../runtime/mongo/documents';
import { CUSTOM_NODE_TEMPLATE } from '../../console/src/model/connectors';
import { SNAPSHOT } from '../../services/executor/step-snapshot';
import { LOGO } from '../support/images';
import { Api } from '../support/server';
import { until } from '../support/until';

export const PASSWORD = 'correct-horse-battery';
let accounts = 0;

/** A workspace of its own, made by the API. */
export async function account(url: string): Promise<{ token: string; slug: string; email: string }> {
  accounts += 1;
  const slug = `console-${process.pid}-${accounts}`;
  const email = `ada${accounts}@example.com`;
  const body = { tenant_slug: slug, tenant_name: 'Analytical Engines', email, password: PASSWORD };
  const from = { 'x-forwarded-for': `198.51.100.${accounts}` };
  const { status, body: reply } = await new Api(url).ask<{ token: string }>(
    'POST',
    '/api/v1/auth/register',
    body,
    from,
  );
  if (status !== 201) throw new Error(`Registration was answered with ${status}: ${JSON.stringify(reply)}`);
  return { token: reply.token, slug, email };
}

const BATCH = { type: 'http', config: {} };

const FORM = {
  type: 'object',
  properties: {
    reason: { type: 'string', title: 'Reason', maxLength: 200 },
    way: { enum: ['bank transfer', 'voucher'], title: 'Paid by' },
  },
};

/** Workflows of a workspace with something to see in each page. */
const REFUND = {
  id: 'refund',
  trigger: BATCH,
  labels: { amount: '{{ trigger.body.amount }}', region: 'eu-central' },
  steps: [
    { id: 'order', type: 'set', config: { amount: '{{ trigger.body.amount }}', customer: 'Ada Lovelace' } },
    {
      id: 'lines',
      type: 'foreach',
      config: { items: '{{ range(3) }}' },
      steps: [{ id: 'price', type: 'set', config: { net: '{{ loop.item * 10 }}' } }],
    },
    { id: 'pause', type: 'delay', config: { for: '200ms' } },
    { id: 'manager', type: 'approval', config: { message: 'Refund {{ steps.order.amount }} euros?', form: FORM } },
    {
      id: 'note',
      type: 'code',
      config: {
        source:
          'console.log("Refund approved", input.amount); console.warn("The ledger is closed, the entry is of tomorrow"); return {};',
        input: { amount: '{{ steps.order.amount }}' },
      },
    },
    { id: 'answer', type: 'set', config: { refunded: '{{ steps.manager.approved }}' } },
  ],
};
const IMPORT = {
  id: 'import',
  trigger: BATCH,
  labels: { source: 'warehouse', batch: '{{ trigger.body.batch }}' },
  steps: [
    { id: 'load', type: 'set', config: { rows: 12 } },
    {
      id: 'fetch',
      type: 'http_request',
      config: { url: 'http://localhost:1/prices' },
      retry: { max_attempts: 3, initial_interval: '50ms' },
    },
  ],
};

/** Branches, steps side by side and in loops, of which some fail. */
const FULFIL = {
  id: 'fulfil',
  trigger: BATCH,
  steps: [
    { id: 'order', type: 'set', name: 'Read the order', config: { lines: '{{ range(12) }}', express: true } },
    {
      id: 'kind',
      type: 'branch',
      name: 'Which delivery?',
      cases: [
        { when: '{{ steps.order.express }}', steps: [{ id: 'courier', type: 'set', config: { by: 'courier' } }] },
      ],
      else: [{ id: 'post', type: 'set', config: { by: 'post' } }],
    },
    {
      id: 'pack',
      type: 'foreach',
      name: 'Pack each line',
      config: { items: '{{ steps.order.lines }}', concurrency: 4 },
      steps: [
        { id: 'pick', type: 'set', name: 'Pick from the shelf', config: { line: '{{ loop.item }}' } },
        {
          id: 'weigh',
          type: 'fail',
          if: '{{ loop.index % 5 == 4 }}',
          config: { message: 'The scale does not answer' },
          on_error: 'continue',
        },
      ],
    },
    {
      id: 'tell',
      type: 'parallel',
      name: 'Tell everyone',
      branches: [
        { id: 'customer', steps: [{ id: 'mail', type: 'set', config: { to: 'customer' } }] },
        {
          id: 'stock',
          steps: [
            {
              id: 'book',
              type: 'http_request',
              name: 'Book the stock',
              config: { url: 'http://localhost:1/stock' },
              retry: { max_attempts: 3, initial_interval: '20ms' },
            },
          ],
        },
      ],
    },
    { id: 'done', type: 'set', config: { ok: true } },
  ],
  on_error: [{ id: 'alarm', type: 'set', name: 'Call the shift leader', config: { error: '{{ error.message }}' } }],
};

const REPORT = [{ id: 'report', type: 'set', config: { day: '{{ trigger.scheduled_for }}' } }];
const scheduled = (config: object): object => ({ id: 'report', trigger: { type: 'schedule', config }, steps: REPORT });
const HOUR_MS = 3_600_000;

/** Schedules of several kinds; the id of one that has last times. */
async function seedSchedules(api: Api): Promise<string> {
  const create = async (name: string, config: object): Promise<string> =>
    (await api.call<{ id: string }>('POST', '/api/v1/workflows', { name, dsl: scheduled(config) })).id;
  const hourly = await create('Hourly sync', { cron: '0 * * * *', timezone: 'Europe/Berlin' });
  await create('Poll the warehouse', { every: '10m' });
  await create('Morning report', { cron: '30 9 * * *', timezone: 'Europe/Berlin', overlap: 'skip' });
  const bills = await create('Monthly bills', { cron: '0 6 1 * *' });
  await api.call('POST', `/api/v1/workflows/${bills}/schedule/pause`, {});
  const at = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString();
  await api.call('POST', `/api/v1/workflows/${hourly}/schedule/backfill`, { from: at(6), to: at(0) });
  await api.call('POST', `/api/v1/workflows/${hourly}/schedule/fire`, {});
  return `${hourly}:0`;
}

/** A delivery that started a run, one that was refused, and keys; the address of the first. */
async function seedDeliveries(api: Api): Promise<string> {
  const dsl = { id: 'intake', trigger: BATCH, steps: REPORT };
  const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'Order intake', dsl });
  await api.call('POST', `/webhooks/${id}`, {
    order: 4711,
    customer: { name: 'Grace Hopper' },
    lines: [{ sku: 'A-1', count: 2 }],
  });
  await fetch(`${api.url}/webhooks/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{ "order": ',
  });
  await api.call('POST', '/api/v1/api-keys', { name: 'Nightly import' });
  await api.call('POST', `/api/v1/workflows/${id}/api-keys`, { name: 'Shop' });
  const started = await until('two deliveries are kept', async () => {
    const { data } = await api.call<{ data: { id: string; outcome: string }[] }>('GET', '/api/v1/deliveries');
    return data.length >= 2 ? data.find(({ outcome }) => outcome === 'started') : null;
  });
  return `${id}/${started.id}`;
}

/** Connections, one of which a workflow uses, and an OAuth app. */
async function seedConnections(api: Api): Promise<{ connection: string; app: string }> {
  const connect = async (name: string): Promise<string> =>
    (
      await api.call<{ id: string }>('POST', '/api/v1/connections', {
        connector: 'http',
        name,
        credentials: { base_url: 'https://erp.example.com/api', auth: 'none' },
      })
    ).id;
  const connection = await connect('Warehouse');
  await connect('Shop of the museum');
  const steps = [{ id: 'stock', type: 'http.read', config: { connection: 'Warehouse', url: '/stock' } }];
  await api.call('POST', '/api/v1/workflows', {
    name: 'Stock',
    dsl: { id: 'stock', trigger: { type: 'manual' }, steps },
  });
  const app = { name: 'GitHub', preset: 'github', client_id: 'Iv1.8a61f9b3a7aba766', client_secret: 'a client secret' };
  return { connection, app: (await api.call<{ id: string }>('POST', '/api/v1/oauth-apps', app)).id };
}

/** Marks of each row, by which the second version of the workflow is better. */
const MAILS = Array.from({ length: 40 }, (_, n) => ({
  id: `mail-${String(n + 1).padStart(2, '0')}`,
  input: {
    text:
      n % 4 === 0 ? 'I want my money back' : n % 4 === 1 ? 'Please refund my order' : `The app crashes at start ${n}`,
  },
  expected: { queue: n % 4 < 2 ? 'billing' : 'support' },
  tags: n % 4 === 0 ? ['hard'] : ['easy'],
}));

const sorter = (words: readonly string[]): object => ({
  id: 'sorter',
  trigger: BATCH,
  steps: [
    {
      id: 'sort',
      type: 'set',
      config: {
        queue: `{{ ${words.map((word) => `contains(lower(trigger.text), '${word}')`).join(' || ')} ? 'billing' : 'support' }}`,
      },
    },
  ],
  output: { queue: '{{ steps.sort.queue }}' },
});

/** A data set, and two evaluations over it, of which the second is better. */
async function seedEvaluations(api: Api): Promise<Pick<Seeded, 'dataset' | 'evaluation' | 'better'>> {
  const create = async (path: string, body: object): Promise<string> =>
    (await api.call<{ id: string }>('POST', `/api/v1${path}`, body)).id;
  const dataset = await create('/datasets', { name: 'Mails of customers', description: 'Sorted by hand.' });
  await api.call('POST', `/api/v1/datasets/${dataset}/rows`, { rows: MAILS });
  const workflow = await create('/workflows', { name: 'Mail sorter', dsl: sorter(['refund']) });
  await api.call('PUT', `/api/v1/workflows/${workflow}/draft`, { dsl: sorter(['refund', 'money']) });
  const evaluate = async (name: string, more: object): Promise<string> => {
    const id = await create('/evaluations', {
      name,
      dataset_id: dataset,
      workflow_id: workflow,
      metrics: [
        { type: 'equals', name: 'queue', value: 'output.queue', expected: 'expected.queue' },
        { type: 'latency', max_ms: 60_000 },
      ],
      gates: ['metrics.queue.mean >= 0.9', 'latency.p95_ms <= 60000'],
      ...more,
    });
    await until(
      `the evaluation ${name} has ended`,
      async () => {
        const { status } = await api.call<{ status: string }>('GET', `/api/v1/evaluations/${id}`);
        return status === 'completed';
      },
      60_000,
    );
    return id;
  };
  const evaluation = await evaluate('Sorter', {});
  return { dataset, evaluation, better: await evaluate('Sorter that knows money', { version: 'draft' }) };
}

/** Runs that wait for their turns to start, or for further starts. */
async function seedQueue(api: Api): Promise<void> {
  await seedGathering(api, 'Search index', { debounce: { period: '1h', key: '{{ trigger.body.region }}' } });
  await seedGathering(api, 'Order import', { batch: { max_size: 100, period: '1h' } });
  const dsl = {
    id: 'sync',
    trigger: BATCH,
    throttle: { name: 'crm', limit: 1, period: '1h', key: '{{ trigger.body.region }}' },
    steps: [{ id: 'a', type: 'set', config: { x: 1 } }],
  };
  const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'CRM sync', dsl });
  for (const region of ['eu-central', 'eu-central', 'eu-central', 'us-east', 'us-east'])
    await api.call('POST', `/api/v1/workflows/${id}/trigger`, { body: { region } });
}

async function seedGathering(api: Api, name: string, rule: object): Promise<void> {
  const dsl = { id: 'flow', trigger: BATCH, ...rule, steps: [{ id: 'a', type: 'set', config: { x: 1 } }] };
  const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name, dsl });
  for (let n = 0; n < 3; n++)
    await api.call('POST', `/api/v1/workflows/${id}/trigger`, { body: { region: 'eu-central' } });
}

const HANDBOOK = `# Holidays

Every employee has 28 days of holiday a year. Days that are left over may be taken until the end of March.

# Working hours

The week has 38.5 hours. Hours are flexible between 7 and 19 o'clock; meetings are between 10 and 16 o'clock.

# Travel

Trains are booked in second class. Days of travel count as working hours, and holidays after a trip need no reason.
`;

/** A knowledge base with a document that is ready and one that failed; the base and its failed document. */
async function seedKnowledge(api: Api): Promise<{ base: string; document: string }> {
  const { id: base } = await api.call<{ id: string }>('POST', '/api/v1/knowledge-bases', {
    name: 'Handbook',
    description: 'Rules of the company.',
    chunking: { max_tokens: 50, overlap_tokens: 10 },
  });
  const add = (body: object) => api.call<{ id: string }>('POST', `/api/v1/knowledge-bases/${base}/documents`, body);
  await add({ name: 'Rules for everyone', text: HANDBOOK, metadata: { department: 'people' } });
  const { id: document } = await add({ name: 'Terms of the landlord', url: 'http://127.0.0.1:1/terms' });
  await until('the address could not be fetched', async () => {
    const path = `/api/v1/knowledge-bases/${base}/documents/${document}`;
    return (await api.call<{ error: object | null }>('GET', path)).error;
  });
  return { base, document };
}

const SHOP_API = {
  openapi: '3.0.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://shop.example.com' }],
  paths: {
    '/orders/{id}': {
      get: {
        operationId: 'get_order',
        summary: 'Reads an order',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'Its number' }],
        responses: { 200: { description: 'The order' } },
      },
    },
  },
};

/** Variables, secrets, a custom node, an imported connector and a skill; the id of the skill. */
async function seedBuildingBlocks(api: Api): Promise<string> {
  await api.call('PUT', '/api/v1/variables/shop_address', { value: 'https://shop.example.com' });
  await api.call('PUT', '/api/v1/variables/limits', { value: { orders: 50, regions: ['eu', 'us'] } });
  await api.call('PUT', '/api/v1/sso/config', {
    provider: 'oidc',
    enabled: false,
    oidc: { issuer: 'http://127.0.0.1:1', client_id: 'everstep', client_secret: 'a value that is never shown' },
    role_mapping: { claim: 'groups', values: { Operations: 'admin', Staff: 'member' } },
  });
  for (const name of ['STRIPE_KEY', 'WEATHER_KEY'])
    await api.call('POST', '/api/v1/secrets', { name, value: 'a value that is never shown' });
  const config = { url: '{{ vars.shop_address }}', headers: { authorization: 'Bearer {{ secret.STRIPE_KEY }}' } };
  const steps = [{ id: 'charge', type: 'http_request', config }];
  const dsl = { id: 'charges', trigger: { type: 'manual' }, steps };
  await api.call('POST', '/api/v1/workflows', { name: 'Nightly charges', dsl });
  await api.call('POST', '/api/v1/custom-nodes', CUSTOM_NODE_TEMPLATE);
  await api.call('POST', '/api/v1/connectors/import', { name: 'shop', document: SHOP_API });
  const skill = await api.call<{ id: string }>('POST', '/api/v1/skills', {
    name: `invoice-check-${process.pid}-${accounts}`,
    description: 'Checks invoices against the order that they are for. Use it when an invoice comes in.',
    version: '1.2.0',
    instructions: '# Check\n\nCompare each line with the order. Sum up with `scripts/sum.js`.',
    files: [{ path: 'scripts/sum.js', content: 'return input.lines.reduce((sum, { net }) => sum + net, 0);' }],
  });
  await api.call('POST', `/api/v1/skills/${skill.id}/publish`, { notes: 'The first one.' });
  return skill.id;
}

/** A workflow that visitors talk to, and the branding of its page; the address of the chat. */
async function seedChat(api: Api): Promise<string> {
  const step = { id: 'answer', type: 'set', config: { text: 'You asked for {{ trigger.message }}.' } };
  const dsl = { id: 'bookshop', trigger: { type: 'chat' }, steps: [step] };
  const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'Bookshop', dsl });
  const slug = `bookshop-${process.pid}-seed-${accounts}`;
  await api.call('POST', `/api/v1/workflows/${id}/chat-deployments`, {
    slug,
    title: 'Ask the bookshop',
    greeting: 'What are you looking for?',
    allowed_origins: ['https://www.example.com'],
  });
  await api.call('PUT', '/api/v1/tenant/branding', { name: 'Whale Books', color: '#c2410c', logo: LOGO });
  return slug;
}

interface SeededRuns {
  /** Its runs are the waiting and the completed one. */
  readonly workflow: string;
  /** Waits for the approval `manager`. */
  readonly waiting: string;
  readonly failed: string;
  readonly completed: string;
  /** Failed, with branches and loops. */
  readonly branched: string;
  /** The id of a schedule. */
  readonly schedule: string;
  /** A delivery that started a run, as `<workflow>/<delivery>`. */
  readonly delivery: string;
  /** The workflow whose runs fail. */
  readonly failing: string;
}

export interface Seeded extends SeededRuns {
  readonly dataset: string;
  /** Its gates failed. */
  readonly evaluation: string;
  /** Over the same data set; its gates passed. */
  readonly better: string;
  /** An alert that holds. */
  readonly alert: string;
  /** A connection that a workflow uses, and an OAuth app. */
  readonly connection: string;
  readonly app: string;
  /** A knowledge base, and a document of it that could not be fetched. */
  readonly base: string;
  readonly document: string;
  readonly skill: string;
  /** The address of a chat. */
  readonly chat: string;
}

/** Alerts, of which one holds and has sent a notice; the id of that one. */
async function seedAlerts(api: Api, failing: string): Promise<string> {
  const create = async (name: string, condition: object, channels: object[], scope?: object): Promise<string> =>
    (await api.call<{ id: string }>('POST', '/api/v1/alerts', { name, condition, channels, scope })).id;
  const ops = { kind: 'webhook', url: 'http://127.0.0.1:1/hooks/operations' };
  const scope = { kind: 'workflows', workflow_ids: [failing] };
  const firing = await create('Price import fails', { kind: 'failures_in_row', failures: 1 }, [ops], scope);
  await create('Reports are late', { kind: 'missed_schedule', grace: '10m' }, [{ kind: 'mail', to: ['owners'] }]);
  await create('Costs of models', { kind: 'budget', of: 'cost_usd', per: 'month', above: 250 }, [
    { kind: 'mail', to: ['admins'] },
    ops,
  ]);
  const run = await api.call<{ id: string }>('POST', `/api/v1/workflows/${failing}/trigger`, {});
  await until('the alert holds', async () => {
    const { state } = await api.call<{ state: string }>('GET', `/api/v1/alerts/${firing}`);
    return state === 'firing' && run.id !== '';
  });
  return firing;
}

/** Runs that wait, have failed and are completed. */
export async function seedRuns(url: string, token: string): Promise<SeededRuns> {
  const api = new Api(url);
  api.token = token;
  const create = async (name: string, dsl: object): Promise<string> =>
    (await api.call<{ id: string }>('POST', '/api/v1/workflows', { name, dsl })).id;
  const start = async (workflow: string, body: object): Promise<string> =>
    (await api.call<{ id: string }>('POST', `/api/v1/workflows/${workflow}/trigger`, { body })).id;
  const [refund, prices] = [await create('Refund', REFUND), await create('Price import', IMPORT)];
  const completed = await start(refund, { amount: 20 });
  const waiting = await start(refund, { amount: 250 });
  const failed = await start(prices, {});
  const branched = await start(await create('Order fulfilment', FULFIL), {});
  const run = (id: string) =>
    api.call<{ status: string; waiting: { kind: string }[] }>('GET', `/api/v1/executions/${id}`);
  const asks = async (id: string): Promise<boolean> => (await run(id)).waiting.some(({ kind }) => kind === 'approval');
  await until('the first approval', () => asks(completed));
  await api.call('POST', `/api/v1/executions/${completed}/signal`, {
    signal: 'approve-manager',
    data: { approved: true },
  });
  await until(
    'the second approval',
    async () => (await asks(waiting)) && (await run(completed)).status === 'completed',
  );
  for (const id of [failed, branched]) await until('a failed run', async () => (await run(id)).status === 'failed');
  return {
    workflow: refund,
    waiting,
    failed,
    branched,
    completed,
    schedule: await seedSchedules(api),
    delivery: await seedDeliveries(api),
    failing: prices,
  };
}

/** Something to see on each page. The runs come last, so that they are at the top of the list. */
export async function seedWorkspace(url: string, token: string): Promise<Seeded> {
  const api = new Api(url);
  api.token = token;
  const evaluations = await seedEvaluations(api);
  const connections = await seedConnections(api);
  const knowledge = await seedKnowledge(api);
  const skill = await seedBuildingBlocks(api);
  const chat = await seedChat(api);
  await seedQueue(api);
  await seedMembers(api);
  const views = [{ name: 'Large refunds', query: 'Label.amount = "250"', trials: false }];
  await api.call('PUT', '/api/v1/me/run-views', { views, revision: 0 });
  const runs = await seedRuns(url, token);
  const alert = await seedAlerts(api, runs.failing);
  return { ...evaluations, ...connections, ...knowledge, skill, chat, ...runs, alert };
}

/** A colleague who has joined, and one who is invited. */
async function seedMembers(api: Api): Promise<void> {
  const invite = (email: string, role: string) =>
    api.call<{ invite_url: string }>('POST', '/api/v1/team/invite', { email, role });
  const { invite_url } = await invite('grace@example.com', 'viewer');
  const accept = { token: new URL(invite_url).searchParams.get('token'), password: PASSWORD };
  await new Api(api.url).call('POST', '/api/v1/auth/accept-invite', accept);
  const { id } = await api.call<{ id: string }>('POST', '/api/v1/team/service-accounts', {
    name: 'deploy',
    role: 'member',
  });
  const expires_at = new Date(Date.now() + 90 * 24 * HOUR_MS).toISOString();
  await api.call('POST', '/api/v1/api-keys', { name: 'Pipeline', scope: 'edit', service_account_id: id, expires_at });
  await invite('katherine.johnson@research.example.com', 'admin');
}

/** A completed run of a loop over so many items, written into the store of the server; its id. */
export async function seedLongRun(url: string, token: string, dataDir: string, items: number): Promise<string> {
  const api = new Api(url);
  api.token = token;
  const dsl = { id: 'charge', trigger: BATCH, steps: LONG_STEPS };
  const workflow = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'Charge', dsl });
  const { id } = await api.call<{ id: string }>('POST', `/api/v1/workflows/${workflow.id}/trigger`, {});
  await until(
    'a short run',
    async () => (await api.call<{ status: string }>('GET', `/api/v1/executions/${id}`)).status === 'completed',
  );
  const client = await MongoClient.connect(readFileSync(join(dataDir, 'url'), 'utf8').trim());
  try {
    const collections = openCollections(client.db());
    const template = (await collections.executions.findOne({ _id: id })) as ExecutionDocument;
    const long = await addLongRun(collections, template, items, Date.now());
    // The host of a run stores the index of its steps at the end; of this one, which no host has run, the first view does.
    await api.call('GET', `/api/v1/executions/${long}/overview`);
    const _id = `${long}:${SNAPSHOT}:0000`;
    await until('the index is stored', async () => (await collections.payloads.countDocuments({ _id })) === 1);
    return long;
  } finally {
    await client.close();
  }
}
