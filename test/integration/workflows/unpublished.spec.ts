import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import type { JsonObject } from '../../../lib/json';
import { type Actor, openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { ManualClock } from '../../support/manual-clock';
import { until } from '../../support/until';
import { codeOf, document, FakeAuth, FakeExecutor } from './fakes';

let database: TestDatabase;
let app: TestApp;
let auth: FakeAuth;
const clock = new ManualClock();
const actor: Actor = { tenant_id: 'tenant', role: 'owner' };
const UNFINISHED: JsonObject = { id: 'd', trigger: { type: 'manual' }, steps: [{ id: 'a', type: 'no_such_type' }] };

const start = (): Promise<TestApp> =>
  startApp({
    services: [auth.service, new FakeExecutor().service, secretsService, workflowsService],
    database,
    clock,
  });

beforeEach(async () => {
  database = await openTestDatabase();
  auth = new FakeAuth();
  app = await start();
});

afterEach(async () => {
  jest.restoreAllMocks();
  await app?.close();
  await database?.close();
});

const create = (dsl: JsonObject = UNFINISHED) =>
  app.call('workflows.create', { name: 'w', dsl, publish: false }, actor);
const draftOf = (id: string) => app.call('workflows.draft', { id }, actor);
const stored = () => app.app.db.collection('workflow_drafts').find({}).toArray();

test('a workflow that is created as a draft keeps any document, and nothing can start it', async () => {
  const made = await create();
  expect(made).toMatchObject({ version: 0, enabled: false, status: 'active', dsl: { steps: [] } });
  expect(await draftOf(made.id)).toMatchObject({ dsl: UNFINISHED, base_hash: made.dsl_hash });
  const { data } = await app.call('workflows.list', {}, actor);
  expect(data).toEqual([expect.objectContaining({ id: made.id, version: 0, enabled: false })]);
  expect(await codeOf(app.call('workflows.trigger', { id: made.id, trigger: {} }, actor))).toBe('workflow_disabled');
  expect(await codeOf(app.call('workflows.enable', { id: made.id }, actor))).toBe('conflict');
  expect(await codeOf(app.call('workflows.export', { id: made.id }, actor))).toBe('conflict');
});

test('its first publication makes it live as version 1, and later ones leave it disabled where it is', async () => {
  const { id } = await create();
  await app.call('workflows.put_draft', { id, dsl: document() }, actor);
  const { workflow, version } = await app.call('workflows.publish', { id, message: 'first' }, actor);
  expect(workflow).toMatchObject({ version: 1, enabled: true, dsl: document() });
  expect(version).toMatchObject({ version: 1, message: 'first' });
  expect(await draftOf(id)).toBeNull();
  await app.call('workflows.disable', { id }, actor);
  const dsl = { ...document(), description: 'changed' };
  const again = await app.call('workflows.publish', { id, dsl }, actor);
  expect(again.workflow).toMatchObject({ version: 2, enabled: false });
});

test('a draft that is not valid is not published, and stays', async () => {
  const { id } = await create();
  expect(await codeOf(app.call('workflows.publish', { id }, actor))).toBe('invalid_dsl');
  expect(await draftOf(id)).toMatchObject({ dsl: UNFINISHED });
  expect(await app.call('workflows.get', { id }, actor)).toMatchObject({ version: 0, enabled: false });
});

test('it counts against the limit of active workflows from its publication on', async () => {
  auth.tenants.set(actor.tenant_id, { active: 1 });
  await app.call('workflows.create', { name: 'live', dsl: document() }, actor);
  const { id } = await create(document());
  expect(await codeOf(app.call('workflows.publish', { id }, actor))).toBe('workflow_limit');
  expect(await draftOf(id)).toMatchObject({ dsl: document() });
});

test('a copy of it is a draft, too', async () => {
  const { id } = await create();
  const copy = await app.call('workflows.duplicate', { id }, actor);
  expect(copy).toMatchObject({ name: 'w (copy)', version: 0, enabled: false });
  expect(await draftOf(copy.id)).toMatchObject({ dsl: UNFINISHED });
});

test('a document that is no object, or too large, creates nothing', async () => {
  expect(await codeOf(create([] as unknown as JsonObject))).toBe('invalid_request');
  expect(await codeOf(create({ values: Array.from({ length: 100_001 }, () => 0) }))).toBe('invalid_request');
  expect(await stored()).toEqual([]);
  expect((await app.call('workflows.list', {}, actor)).data).toEqual([]);
});

test('a refused workflow leaves no draft', async () => {
  auth.tenants.set(actor.tenant_id, { active: 0 });
  expect(await codeOf(create())).toBe('quota_exceeded');
  expect(await stored()).toEqual([]);
});

describe('a process that dies while it creates one', () => {
  const later = () => clock.advance(11 * 60_000);

  test('before the workflow is stored leaves a draft that the next process removes', async () => {
    const workflows = app.app.db.collection('workflows');
    const { id } = await create();
    await workflows.deleteOne({ _id: id as never });
    await app.app.db.collection('workflow_drafts').updateOne({ _id: id as never }, { $set: { pending: true } });
    await app.close();
    app = await start();
    expect(await stored()).toHaveLength(1);
    later();
    await until('the draft is removed', async () => (await stored()).length === 0);
  });

  test('after that leaves a workflow with its draft, which stays', async () => {
    const { id } = await create();
    await app.app.db.collection('workflow_drafts').updateOne({ _id: id as never }, { $set: { pending: true } });
    await app.close();
    app = await start();
    later();
    await until('the draft is confirmed', async () => (await stored()).every(({ pending }) => pending === undefined));
    expect(await draftOf(id)).toMatchObject({ dsl: UNFINISHED });
  });
});
