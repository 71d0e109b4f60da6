import type { ServiceSchema } from 'moleculer';
import { SERVICE_NAMES } from '../../../lib/config';
import { randomId } from '../../../lib/ids';
import type { Json, JsonObject } from '../../../lib/json';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import type { App } from '../../../services/app';
import { authService } from '../../../services/auth/auth.service';
import { channelsService } from '../../../services/channels/channels.service';
import { runServices } from '../../support/run-services';
import type { StartResult } from '../../../contracts/executions/views';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { registerTenant } from '../../support/accounts';
import { type Actor, openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { sendWebhook, webhookService } from '../../support/webhooks';
import { until } from '../../support/until';

/*
 * Nodes of one cluster: a front that hosts nothing, and executors that do nothing else. Only what passes between them
 * is looked at here; hosts themselves have their own tests.
 */
const namespace = randomId();
let database: TestDatabase;
let front: TestApp;
let ann: Actor;
const hosts = new Map<string, TestApp>();

const executor = (app: App): ServiceSchema => runServices(app).executor();
const executions = (app: App): ServiceSchema => runServices(app).executions();

const join = (nodeId: string, services: ((app: App) => ServiceSchema)[], env = {}): Promise<TestApp> =>
  startApp({ services, database, namespace, nodeId, transporter: 'Fake', env: { LEASE_SECONDS: '2', ...env } });

async function addHost(name: string): Promise<TestApp> {
  const host = await join(name, [executor]);
  hosts.set(name, host);
  await seen('executor.start', hosts.size);
  return host;
}

async function removeHost(name: string): Promise<void> {
  await hosts.get(name)?.close();
  hosts.delete(name);
  await seen('executor.start', hosts.size);
}

/** Waits until the front knows so many nodes that have the action. */
const seen = (action: string, nodes: number): Promise<unknown> =>
  until(`${nodes} nodes with ${action}`, () => {
    const endpoints = front.broker.registry.getActionEndpoints(action)?.endpoints ?? [];
    return endpoints.filter((endpoint) => endpoint.isAvailable).length === nodes ? true : null;
  });

const workflow = async (steps: Json[]): Promise<string> => {
  const dsl = { id: 'flow', trigger: { type: 'http' }, steps };
  return (await front.call('workflows.create', { name: 'Flow', dsl }, ann)).id;
};
const start = async (id: string): Promise<string> =>
  (await front.call('workflows.trigger', { id, trigger: {} }, ann)).id;
const sync = (workflow_id: string): Promise<StartResult> => sendWebhook(front, { workflow_id, wait: true });
const status = async (id: string): Promise<string> => (await front.call('executions.get', { id }, ann)).status;
const ended = (id: string, as = 'completed'): Promise<unknown> =>
  until(`${id} is ${as}`, async () => ((await status(id)) === as ? true : null));
const ownerOf = async (id: string): Promise<string | null> => {
  const row = await front.app.db.db
    ?.collection<{ _id: string; owner: string | null }>('executions')
    .findOne({ _id: id });
  return row?.owner?.split(':')[0] ?? null;
};
const waits = (id: string): Promise<unknown> =>
  until(`${id} waits`, async () =>
    (await front.call('executions.get', { id }, ann)).waiting.length > 0 ? true : null,
  );

const ready = async (): Promise<unknown> => (await fetch(`${front.url}/health/ready`)).json();

const go: Json = { id: 'go', type: 'wait_for_signal', config: { signal: 'go' } };
const set: Json = { id: 'set', type: 'set', config: { v: 1 } };
/** Keeps its run in memory on its host for about a second. */
const blip = { id: 'blip', type: 'wait', config: { for: '900ms' } };

beforeAll(async () => {
  database = await openTestDatabase();
  front = await join(
    'front',
    [authService, secretsService, workflowsService, executions, channelsService, webhookService, apiGatewayService],
    { SERVICES: SERVICE_NAMES.filter((name) => name !== 'executor').join(), MONGO_URL: database.url },
  );
  const { tenant, user } = await registerTenant(front);
  ann = { tenant_id: tenant.id, user_id: user.id, email: user.email };
  await addHost('one');
});

afterAll(async () => {
  for (const host of hosts.values()) await host.close();
  await front?.close();
  await database?.close();
});

test('a front without a host starts runs on an executor and shows them', async () => {
  const run = await sync(await workflow([set]));
  expect(run).toMatchObject({ status: 'completed', output: { v: 1 } });
  const detail = await front.call('executions.detail', { id: run.id }, ann);
  expect(detail.steps.map((step) => step.status)).toEqual(['completed']);
  expect(await ready()).toEqual({ status: 'ready' });
});

/** The output of the only run of a workflow, once there is one that has ended. */
const outputOfRun = (workflow_id: string): Promise<unknown> =>
  until(`${workflow_id} has run`, async () => {
    const [row] = (await front.call('executions.list', { workflow_id }, ann)).data;
    if (row === undefined || row.status === 'running') return null;
    return (await front.call('executions.get', { id: row.id }, ann)).output;
  });
const listener = async (trigger: Json, config: JsonObject): Promise<string> => {
  const dsl = { id: 'flow', trigger, steps: [{ id: 'set', type: 'set', config }] };
  return (await front.call('workflows.create', { name: 'Listener', dsl }, ann)).id;
};

test('a host knows at once of a new workflow that is triggered by ends of runs or by signals', async () => {
  const source = await workflow([{ id: 'tell', type: 'emit_signal', config: { signal: 'ready', data: { v: 1 } } }]);
  // What the host has cached of subscribers is stale when the next workflow is stored.
  await sync(source);
  const trigger = { type: 'workflow_completed', config: { workflow: source } };
  const onEnd = await listener(trigger, { of: '{{ trigger.execution_id }}' });
  const onSignal = await listener({ type: 'signal', config: { signal: 'ready' } }, { v: '{{ trigger.data.v }}' });
  const { id } = await sync(source);
  expect(await outputOfRun(onEnd)).toEqual({ of: id });
  expect(await outputOfRun(onSignal)).toEqual({ v: 1 });
});

test('a step that a host has tried tells the front what it wrote into the log', async () => {
  const id = await workflow([{ id: 'say', type: 'log', config: { message: 'hello' } }]);
  const tested = await front.call('workflows.test_step', { id, step_id: 'say' }, ann);
  expect(tested).toMatchObject({ status: 'completed', logs: [{ message: 'hello' }] });
});

test('a signal reaches a run that no host has in memory, within a moment', async () => {
  const id = await start(await workflow([go, set]));
  await waits(id);
  expect(await ownerOf(id)).toBeNull();
  const sent = performance.now();
  await front.call('executions.signal', { id, signal: 'go', data: {} }, ann);
  await ended(id);
  expect(performance.now() - sent).toBeLessThan(900);
});

test('a cancellation interrupts a step in flight on another node', async () => {
  const id = await start(await workflow([{ ...blip, config: { for: '950ms' } }]));
  await until('a host owns it', async () => ((await ownerOf(id)) === 'one' ? true : null));
  const view = await front.call('executions.cancel', { id }, ann);
  expect(view.status).toBe('cancelled');
});

test('a caller that waits for the end of a run gets it from any node', async () => {
  const id = await workflow([go]);
  const waiting = sync(id);
  const run = await until('the run is there', async () => {
    const { data } = await front.call('executions.list', { workflow_id: id }, ann);
    return data[0] ?? null;
  });
  await waits(run.id);
  await front.call('executions.signal', { id: run.id, signal: 'go', data: { hello: 'you' } }, ann);
  expect(await waiting).toMatchObject({ id: run.id, status: 'completed', output: { hello: 'you' } });
});

test('a stop of the only host fails no caller: the run goes on at the next one', async () => {
  const id = await workflow([blip, set]);
  const waiting = sync(id);
  await until('it runs', async () => {
    const { data } = await front.call('executions.list', { workflow_id: id }, ann);
    return data[0] ?? null;
  });
  await removeHost('one');
  await addHost('two');
  expect(await waiting).toMatchObject({ status: 'completed', output: { v: 1 } });
});

test('without any host a start is accepted and stored, and the next host begins it', async () => {
  await removeHost('two');
  const id = await start(await workflow([set]));
  expect(await status(id)).toBe('running');
  expect((await front.call('executions.get', { id }, ann)).waiting).toMatchObject([{ kind: 'capacity' }]);
  await addHost('three');
  await ended(id);
  const data = await until('the others are known to have left', async () => {
    const { data: hosts } = await front.call('executions.hosts', {});
    return hosts.filter(({ state }) => state === 'alive').length === 1 ? hosts : null;
  });
  expect(data.find(({ state }) => state === 'alive')?.node_id).toBe('three');
  expect(data.map(({ node_id, state }) => `${node_id} ${state}`)).toEqual(expect.arrayContaining(['two left']));
});

test('a start that is sent again under its id, to any node, is found', async () => {
  await addHost('four');
  const id = await workflow([go]);
  const key = randomId();
  const send = () => front.call('workflows.trigger', { id, trigger: {}, idempotency_key: key }, ann);
  const views = await Promise.all(Array.from({ length: 6 }, send));
  expect(new Set(views.map((view) => view.id)).size).toBe(1);
  expect(views.filter((view) => view.replayed !== true)).toHaveLength(1);
  await front.call('executions.cancel', { id: (views[0] as { id: string }).id }, ann);
});
