import { randomId } from '../../../lib/ids';
import type { JsonObject } from '../../../lib/json';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { ManualClock } from '../../support/manual-clock';
import { until } from '../../support/until';
import { startServer, type TestServer } from '../nodes/server';
import { type Ask, ended, executor, frontServices, newTenant, run, workflowOf } from './house';

/*
 * A front, a host of runs, and another owner of workflows, each a node of its own. The clock of the last stands still,
 * so that what it has cached never grows too old: only an event makes it drop an entry.
 */
const namespace = randomId();
const NODES = '/api/v1/custom-nodes';
let database: TestDatabase;
let server: TestServer;
let front: TestApp;
let host: TestApp;
let standing: TestApp;
let ann: Ask;

beforeAll(async () => {
  database = await openTestDatabase();
  server = await startServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ path: request.url }));
  });
  const common = { database, namespace, transporter: 'Fake', env: { EGRESS_ALLOW: '127.0.0.1' } };
  front = await startApp({ ...common, nodeId: 'front', services: frontServices });
  host = await startApp({ ...common, nodeId: 'host', services: [executor] });
  standing = await startApp({
    ...common,
    nodeId: 'standing',
    services: [workflowsService],
    clock: new ManualClock(Date.now()),
  });
  await until('the nodes know each other', () => {
    const of = (app: TestApp, action: string) => app.broker.registry.getActionEndpoints(action)?.endpoints.length ?? 0;
    return of(front, 'executor.start') === 1 && of(front, 'workflows.create') === 2 && of(host, 'workflows.plan') === 2;
  });
  ({ owner: ann } = await newTenant(front));
});
afterAll(async () => {
  for (const app of [standing, host, front]) await app?.close();
  await server?.close();
  await database?.close();
});

const thing = (path: string): JsonObject => ({
  name: 'thing',
  request: { url: `${server.url}/${path}` },
  outputs: [{ name: 'path' }],
});
const make = async (definition: JsonObject): Promise<void> => {
  expect((await ann('POST', NODES, definition)).status).toBe(201);
};

test('a definition is live on nodes that host runs and nothing else, its changes too', async () => {
  await make(thing('one'));
  const workflow = await workflowOf(ann, [{ id: 'a', type: 'custom-thing', config: {} }]);
  expect(await run(ann, workflow)).toMatchObject({ status: 'completed', output: { path: '/one' } });
  await ann('PUT', `${NODES}/custom-thing`, thing('two'));
  await until(
    'the host uses the new one',
    async () => ((await run(ann, workflow)).output as JsonObject).path === '/two',
  );
  await ann('DELETE', `${NODES}/custom-thing?force=true`);
  await until('the host knows that it is gone', async () => (await run(ann, workflow)).status === 'failed');
  await make(thing('three'));
  await until('the host uses the newest', async () => {
    const { output } = await run(ann, workflow);
    return output !== null && (output as JsonObject).path === '/three';
  });
});

test('a run on another node takes the newest definition after its wait', async () => {
  await make({ ...thing('before'), name: 'late' });
  const step = { type: 'custom-late', config: {} };
  const workflow = await workflowOf(ann, [
    { id: 'a', ...step },
    { id: 'go', type: 'wait_for_signal', config: { signal: 'go' } },
    { id: 'b', ...step },
  ]);
  const { body } = await ann('POST', `/api/v1/workflows/${workflow}/trigger`, {});
  const id = String(body.id);
  await until(
    'it waits',
    async () => ((await ann('GET', `/api/v1/executions/${id}`)).body.waiting as unknown[]).length,
  );
  await ann('PUT', `${NODES}/custom-late`, { request: { url: `${server.url}/after` } });
  await ann('POST', `/api/v1/executions/${id}/signal`, { signal: 'go' });
  expect(await ended(ann, id)).toMatchObject({ output: { path: '/after' } });
});

test('documents are checked against the existing custom nodes, on a node that knows them only by events', async () => {
  const { body: tenant } = await ann('GET', '/api/v1/tenant');
  const actor = { tenant_id: String(tenant.id), role: 'owner' as const };
  const steps = [{ id: 'a', type: 'custom-known', config: {} }];
  const dsl = { id: 'd', trigger: { type: 'manual' }, steps };
  const found = () => standing.call('workflows.validate', { dsl }, actor);
  const valid = async (): Promise<boolean> => (await found()).valid;
  expect((await found()).warnings).toMatchObject([{ message: expect.stringContaining('no custom node') }]);
  await make({ ...thing('x'), name: 'known' });
  await until('it is known', async () => (await found()).warnings.length === 0);
  await ann('PUT', `${NODES}/custom-known`, { config_fields: [{ name: 'city', required: true }] });
  await until('its change is known', async () => !(await valid()));
});
