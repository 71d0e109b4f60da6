import type { JsonObject } from '../../../lib/json';
import { channelsService } from '../../../services/channels/channels.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { type Actor, openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { until } from '../../support/until';
import { codeOf, document, FakeAuth, FakeExecutor } from './fakes';

let database: TestDatabase;
let app: TestApp;
const auth = new FakeAuth();
let ann: Actor;
let id: string;
let tenants = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  const executor = new FakeExecutor();
  app = await startApp({
    services: [auth.service, executor.service, secretsService, workflowsService, channelsService],
    database,
  });
});
afterAll(async () => {
  await app?.close();
  await database?.close();
});
beforeEach(async () => {
  tenants += 1;
  ann = { tenant_id: `tenant-${tenants}`, user_id: 'ann', role: 'owner' };
  id = (await app.call('workflows.create', { name: 'Sample', dsl: dslOf(1) }, ann)).id;
});

const dslOf = (value: number): JsonObject =>
  ({ ...document(), steps: [{ id: 'a', type: 'set', config: { value } }] }) as JsonObject;
const save = (message?: string) =>
  app.call('workflows.save_version', { id, ...(message === undefined ? {} : { message }) }, ann);
const put = (dsl: JsonObject) => app.call('workflows.update', { id, dsl }, ann);
const versions = async () => (await app.call('workflows.versions', { id }, ann)).data;
const get = (version: number) => app.call('workflows.version', { id, version }, ann);

test('a version has the DSL of the moment, with a message, and stays as it is', async () => {
  const first = await save('  as it began ');
  expect(first).toMatchObject({ version: 1, message: 'as it began', dsl: dslOf(1), created_by: 'ann' });
  await put(dslOf(2));
  expect(await save()).toMatchObject({ version: 2, message: null, dsl: dslOf(2) });
  expect(await get(1)).toEqual(first);
  expect(await versions()).toEqual([
    expect.objectContaining({ version: 2 }),
    {
      version: 1,
      message: 'as it began',
      dsl_hash: first.dsl_hash,
      created_by: 'ann',
      author: 'owner@example.com',
      created_at: first.created_at,
    },
  ]);
});

test('a change of the workflow alone makes none', async () => {
  await put(dslOf(2));
  expect(await versions()).toEqual([]);
});

test('many who save at the same time each get a number of their own', async () => {
  const saved = await Promise.all(Array.from({ length: 12 }, (_, n) => save(`of ${n}`)));
  expect(saved.map(({ version }) => version).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 12 }, (_, n) => n + 1),
  );
});

test('an old one is put back as a change like any other, which can itself be undone', async () => {
  await save();
  await put(dslOf(2));
  await save();
  const back = await app.call('workflows.restore_version', { id, version: 1 }, ann);
  expect(back).toMatchObject({ dsl: dslOf(1), version: 3 });
  expect(await versions()).toHaveLength(2);
  expect((await app.call('workflows.restore_version', { id, version: 2 }, ann)).dsl).toEqual(dslOf(2));
});

test('where changes of members wait for approval, what a member puts back waits too', async () => {
  await save();
  await put(dslOf(2));
  auth.tenants.set(ann.tenant_id, { approval: true });
  const restored = await app.call('workflows.restore_version', { id, version: 1 }, { ...ann, role: 'member' });
  expect(restored.status).toBe('pending_approval');
});

test('two of them, or one and what there is now, are compared', async () => {
  await save();
  await put(dslOf(2));
  const compare = (from: string, to: string) => app.call('workflows.compare_versions', { id, from, to }, ann);
  const changed = [{ id: 'a', changes: [{ path: 'config.value', before: 1, after: 2 }] }];
  expect(await compare('1', 'current')).toMatchObject({ from: '1', to: 'current', same: false, steps: { changed } });
  expect(await compare('current', 'current')).toMatchObject({ same: true });
  expect(await codeOf(compare('1', '9'))).toBe('not_found');
  expect(await codeOf(compare('1', '0'))).toBe('invalid_request');
});

test('the newest five hundred are kept', async () => {
  const records = Array.from({ length: 500 }, (_, n) => ({
    _id: `${id}:${n + 1}` as never,
    tenant_id: ann.tenant_id,
    workflow_id: id,
    version: n + 1,
    dsl: JSON.stringify(dslOf(n)),
    dsl_hash: 'x',
    created_by: 'ann',
    created_at: new Date(),
  }));
  await app.app.db.collection('workflow_versions').insertMany(records);
  expect((await save()).version).toBe(501);
  expect(await codeOf(get(1))).toBe('not_found');
  expect((await get(2)).version).toBe(2);
});

test('what is not there, or is another tenant’s, is not found', async () => {
  await save();
  const bob: Actor = { tenant_id: 'bob', user_id: 'bob', role: 'owner' };
  const asked = [
    () => app.call('workflows.version', { id, version: 2 }, ann),
    () => app.call('workflows.version', { id, version: 1 }, bob),
    () => app.call('workflows.versions', { id }, bob),
    () => app.call('workflows.save_version', { id }, bob),
    () => app.call('workflows.restore_version', { id, version: 1 }, bob),
    () => app.call('workflows.compare_versions', { id, from: '1', to: 'current' }, bob),
  ];
  for (const ask of asked) expect(await codeOf(ask())).toBe('not_found');
});

test('they go with their workflow', async () => {
  await save();
  await app.call('workflows.remove', { id }, ann);
  await until(
    'they are gone',
    async () => (await app.app.db.collection('workflow_versions').countDocuments({ workflow_id: id })) === 0,
  );
});
