import { channelsService } from '../../../services/channels/channels.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { type Actor, openTestDatabase, SERVICE, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { ManualClock } from '../../support/manual-clock';
import { until } from '../../support/until';
import { codeOf, document, FakeAuth, FakeExecutor } from './fakes';

let database: TestDatabase;
let app: TestApp;
let clock: ManualClock;
let executor: FakeExecutor;
const actor: Actor = { tenant_id: 'tenant', role: 'admin' };

const start = (): Promise<TestApp> =>
  startApp({
    services: [new FakeAuth().service, executor.service, secretsService, workflowsService, channelsService],
    database,
    clock,
  });

beforeEach(async () => {
  database = await openTestDatabase();
  clock = new ManualClock();
  executor = new FakeExecutor();
  app = await start();
});

afterEach(async () => {
  jest.restoreAllMocks();
  await app?.close();
  await database?.close();
});

const rows = async () => ({
  workflows: await app.app.db.collection('workflows').countDocuments({}),
  keys: await app.app.db.collection('workflow_keys').countDocuments({}),
});

async function workflowWithRun() {
  const made = await app.call('workflows.create', { name: 'w', dsl: document() }, actor);
  const { key } = await app.call('workflows.create_key', { id: made.id }, actor);
  await app.call('workflows.trigger', { id: made.id, trigger: {} }, actor);
  return { id: made.id, key };
}

/** Moves time as often as it takes: sweeps run beside the clock. */
const gone = () =>
  until('the mark is gone', async () => {
    clock.advance(15_000);
    return (await rows()).workflows === 0;
  });

test('a deleted workflow is gone at once, with its runs and keys, and its mark a little later', async () => {
  const { id, key } = await workflowWithRun();
  await app.call('workflows.remove', { id }, actor);
  expect(await codeOf(app.call('workflows.get', { id }, actor))).toBe('not_found');
  expect(await codeOf(app.call('workflows.remove', { id }, actor))).toBe('not_found');
  expect(await codeOf(app.call('workflows.trigger', { id, trigger: {} }, actor))).toBe('not_found');
  expect(await app.call('workflows.startable', { id }, SERVICE)).toBeNull();
  expect((await app.call('workflows.list', {}, actor)).data).toEqual([]);
  expect(await app.call('workflows.check_key', { id, key }, { ...actor, role: 'service' })).toEqual({ valid: false });
  expect(executor.runs.size).toBe(0);
  expect(await rows()).toEqual({ workflows: 1, keys: 0 });
  await gone();
});

test('only an admin or owner deletes', async () => {
  const { id } = await workflowWithRun();
  expect(await codeOf(app.call('workflows.remove', { id }, { ...actor, role: 'member' }))).toBe('forbidden');
  expect(executor.runs.size).toBe(1);
});

test('a run that started while the workflow was deleted goes as well', async () => {
  const { id } = await workflowWithRun();
  await app.call('workflows.remove', { id }, actor);
  executor.runs.set('late', { tenant: actor.tenant_id, params: { workflow_id: id } as never, view: {} as never });
  await gone();
  expect(executor.runs.size).toBe(0);
});

test('a host that comes back at once keeps the mark until no start can be under way', async () => {
  const { id } = await workflowWithRun();
  await app.call('workflows.remove', { id }, actor);
  await app.close();
  app = await start();
  clock.advance(0);
  await until('the sweep at the start is through', () => executor.purges.length === 2);
  executor.runs.set('late', { tenant: actor.tenant_id, params: { workflow_id: id } as never, view: {} as never });
  expect((await rows()).workflows).toBe(1);
  await gone();
  expect(executor.runs.size).toBe(0);
});

test('when the executor is away the deletion stands, and is finished later', async () => {
  const { id } = await workflowWithRun();
  executor.failingPurges = 3;
  await app.call('workflows.remove', { id }, actor);
  expect(await codeOf(app.call('workflows.get', { id }, actor))).toBe('not_found');
  expect(executor.runs.size).toBe(1);
  await gone();
  expect(executor.runs.size).toBe(0);
  expect(await rows()).toEqual({ workflows: 0, keys: 0 });
});

test.each([
  ['before its keys are gone', (a: TestApp) => a.app.db.model('workflow_key'), 'deleteMany'],
  ['before its mark is taken away', (a: TestApp) => a.app.db.model('workflow'), 'deleteOne'],
] as const)('a host that dies %s leaves the rest to the next one', async (_title, modelOf, write) => {
  const { id } = await workflowWithRun();
  const model = modelOf(app) as unknown as Record<string, () => unknown>;
  const dead = jest.spyOn(model, write).mockImplementation(() => ({ exec: () => Promise.reject(new Error('died')) }));
  await app.call('workflows.remove', { id }, actor);
  if (write === 'deleteOne')
    await until('the sweep has met the fault', () => (clock.advance(15_000), dead.mock.calls.length > 0));
  dead.mockRestore();
  await app.close();
  app = await start();
  await gone();
  expect(await rows()).toEqual({ workflows: 0, keys: 0 });
  expect(executor.runs.size).toBe(0);
});

test('one workflow that fails does not keep the others from being tidied up', async () => {
  const bad = await workflowWithRun();
  const good = await workflowWithRun();
  await app.call('workflows.remove', { id: bad.id }, actor);
  await app.call('workflows.remove', { id: good.id }, actor);
  executor.failingPurges = 1;
  await until('one mark is gone', async () => {
    clock.advance(11_000);
    return (await rows()).workflows < 2;
  });
  await gone();
});
