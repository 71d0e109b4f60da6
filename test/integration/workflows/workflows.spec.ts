import type { Model } from 'mongoose';
import { hashJson, type JsonObject } from '../../../lib/json';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { type Actor, openTestDatabase, SERVICE, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { until } from '../../support/until';
import { codeOf, document, FakeAuth, FakeExecutor } from './fakes';

let database: TestDatabase;
let app: TestApp;
const auth = new FakeAuth();
const executor = new FakeExecutor();
let actor: Actor;
let tenants = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  app = await startApp({ services: [auth.service, executor.service, secretsService, workflowsService], database });
});

afterAll(async () => {
  await app?.close();
  await database?.close();
});

beforeEach(() => {
  tenants += 1;
  actor = { tenant_id: `tenant-${tenants}`, user_id: 'user-1', role: 'owner' };
  executor.runs.clear();
  executor.health = [];
});

const create = (fields: Partial<{ name: string; dsl: JsonObject; webhook_api_key: string | null }> = {}, as = actor) =>
  app.call('workflows.create', { name: 'Sample', dsl: document(), ...fields }, as);

const as = (role: 'member' | 'admin' | 'owner'): Actor => ({ ...actor, role });

describe('duplicating', () => {
  test('makes a disabled copy of the document under another name, without the key of the webhook', async () => {
    const made = await create({ name: 'Orders', webhook_api_key: 'a-key-of-more-than-16-characters' });
    const copy = await app.call('workflows.duplicate', { id: made.id }, as('member'));
    expect(copy).toMatchObject({ name: 'Orders (copy)', dsl: made.dsl, env: made.env, enabled: false, version: 1 });
    expect(copy.id).not.toBe(made.id);
    expect(copy.webhook_api_key_set).toBe(false);
    expect(await app.call('workflows.get', { id: made.id }, actor)).toMatchObject({ name: 'Orders', enabled: true });
  });

  test('shortens a name that would be too long', async () => {
    const made = await create({ name: 'x'.repeat(200) });
    const { name } = await app.call('workflows.duplicate', { id: made.id }, actor);
    expect(name).toBe(`${'x'.repeat(193)} (copy)`);
  });

  test('does not find the workflow of another tenant', async () => {
    const made = await create();
    const call = app.call('workflows.duplicate', { id: made.id }, { ...actor, tenant_id: 'another' });
    expect(await codeOf(call)).toBe('not_found');
  });
});

describe('creating', () => {
  test('a valid DSL becomes an active, enabled workflow of version 1', async () => {
    const made = await create({ name: '  Orders  ' });
    expect(made).toMatchObject({
      tenant_id: actor.tenant_id,
      name: 'Orders',
      description: '',
      env: 'dev',
      dsl: document(),
      dsl_hash: hashJson(document()),
      status: 'active',
      enabled: true,
      version: 1,
      webhook_api_key: null,
      webhook_api_key_set: false,
      created_by: 'user-1',
    });
    expect(await app.call('workflows.get', { id: made.id }, actor)).toEqual(made);
  });

  test('a field that is none of the allowed words is shown with its value and with them', async () => {
    const wrong = { env: 'prod', name: 7 } as unknown as { name: string };
    const failure = await create(wrong).catch((error: unknown) => error);
    const message = '"env" is "prod": allowed are dev, staging, production';
    expect(failure).toMatchObject({
      message: expect.stringContaining(`${message}.`),
      data: { details: expect.arrayContaining([{ path: 'env', message }]) },
    });
    const long = await create({ env: 'x'.repeat(1_000) } as object).catch((error: unknown) => error);
    expect((long as Error).message.length).toBeLessThan(150);
  });

  test.each([['x'], [7], [[]]])('a DSL that is %j is refused without an empty path', async (dsl) => {
    const failure = await create({ dsl: dsl as unknown as JsonObject }).catch((error: unknown) => error);
    expect((failure as Error).message).toMatch(/^The DSL is not valid: \w/);
  });

  test('an invalid DSL is refused with the path of every fault', async () => {
    const dsl = { id: 'x', trigger: { type: 'manual' }, steps: [{ id: 'a', type: 'sett' }], retires: 1 };
    const failure = await create({ dsl }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: 'invalid_dsl', code: 400 });
    const paths = (failure as { data: { details: { path: string }[] } }).data.details.map((detail) => detail.path);
    expect(paths).toEqual(expect.arrayContaining(['steps[0].type', 'retires']));
    expect((await app.call('workflows.list', {}, actor)).data).toEqual([]);
  });

  test.each([null, 'text', 7, [], undefined])('a DSL that is %p is refused', async (dsl) => {
    const code = await codeOf(create({ dsl: dsl as never }));
    expect(['invalid_dsl', 'invalid_request']).toContain(code);
  });

  test('a name of any script survives, and its file name stays ASCII', async () => {
    const name = 'Größe 注文 🚀 заказ';
    const made = await create({ name });
    expect((await app.call('workflows.get', { id: made.id }, actor)).name).toBe(name);
    expect((await app.call('workflows.export', { id: made.id }, actor)).filename).toBe('gro-e.service.json');
  });

  test('keys of a DSL that mean something to a database or to JavaScript come back as they were', async () => {
    const config = JSON.parse('{"$set":{"a.b":1},"a.b":{"$gt":0},"":"empty","constructor":2,"__proto__":{"x":1}}');
    const made = await create({ dsl: document({ values: config }) });
    const { dsl } = await app.call('workflows.get', { id: made.id }, actor);
    expect(JSON.stringify(dsl)).toBe(JSON.stringify(document({ values: config })));
  });

  test('a workflow of 500 steps and one of megabytes are kept whole', async () => {
    const steps = Array.from({ length: 500 }, (_, n) => ({ id: `s${n}`, type: 'set', config: { n } }));
    const many = await create({ dsl: { ...document(), steps } });
    expect((await app.call('workflows.get', { id: many.id }, actor)).dsl.steps).toHaveLength(500);
    const big = await create({ dsl: document({ text: 'ü'.repeat(2_500_000) }) });
    expect((await app.call('workflows.get', { id: big.id }, actor)).dsl).toEqual(big.dsl);
    expect(await codeOf(create({ dsl: document({ text: 'x'.repeat(7 * 1024 * 1024) }) }))).toBe('payload_too_large');
  });

  test('a secret that does not exist is a warning, with the place that names it', async () => {
    await app.call('secrets.put', { name: 'HERE', value: 'a value' }, actor);
    const made = await create({ dsl: document({ a: '{{ secret.HERE }}', b: '{{ secret.GONE }}' }) });
    expect(made.warnings).toHaveLength(1);
    expect(made.warnings?.[0]).toMatchObject({ path: 'steps[0].config.b', message: expect.stringContaining('GONE') });
  });

  test('validate tells the same as create, and stores nothing', async () => {
    expect(await app.call('workflows.validate', { dsl: document() }, actor)).toEqual({
      valid: true,
      errors: [],
      warnings: [],
    });
    const { valid, errors } = await app.call('workflows.validate', { dsl: { steps: [] } }, actor);
    expect(valid).toBe(false);
    expect(errors.length).toBeGreaterThan(0);
    expect((await app.call('workflows.list', {}, actor)).data).toEqual([]);
  });
});

describe('changing', () => {
  test('only given fields change, and the version rises with the DSL alone', async () => {
    const made = await create();
    const named = await app.call('workflows.update', { id: made.id, name: 'Other' }, actor);
    expect(named).toMatchObject({ name: 'Other', version: 1, dsl: made.dsl });
    const dsl = document({ greeting: 'bye' });
    const changed = await app.call('workflows.update', { id: made.id, dsl }, actor);
    expect(changed).toMatchObject({ name: 'Other', version: 2, dsl, dsl_hash: hashJson(dsl) });
    const reordered = Object.fromEntries(Object.entries(dsl).reverse());
    const same = await app.call('workflows.update', { id: made.id, dsl: reordered, description: 'd' }, actor);
    expect(same).toMatchObject({ version: 2, description: 'd' });
  });

  test('changes at the same time all survive', async () => {
    const made = await create();
    await Promise.all([
      app.call('workflows.update', { id: made.id, name: 'N' }, actor),
      app.call('workflows.update', { id: made.id, description: 'D' }, actor),
      app.call('workflows.update', { id: made.id, env: 'production' }, actor),
      app.call('workflows.disable', { id: made.id }, actor),
      ...Array.from({ length: 10 }, (_, n) =>
        app.call('workflows.update', { id: made.id, dsl: document({ n }) }, actor),
      ),
    ]);
    const record = await app.call('workflows.get', { id: made.id }, actor);
    expect(record).toMatchObject({ name: 'N', description: 'D', env: 'production', enabled: false, version: 11 });
  });

  test('a change of the DSL leaves the plan of the old one in place', async () => {
    const made = await create();
    const before = await app.call('workflows.startable', { id: made.id }, SERVICE);
    await app.call('workflows.update', { id: made.id, dsl: document({ greeting: 'bye' }) }, actor);
    const after = await app.call('workflows.startable', { id: made.id }, SERVICE);
    expect(after?.plan_hash).not.toBe(before?.plan_hash);
    const service: Actor = { ...actor, role: 'service' };
    for (const hash of [before?.plan_hash, after?.plan_hash]) {
      expect(await app.call('workflows.plan', { hash: hash as string }, service)).toMatchObject({ hash });
    }
    expect(await codeOf(app.call('workflows.plan', { hash: 'none' }, service))).toBe('not_found');
  });

  test.each([
    ['name', { name: '' }],
    ['name', { name: 7 }],
    ['env', { env: 'moon' }],
    ['description', { description: {} }],
    ['webhook_api_key', { webhook_api_key: 'short' }],
    ['webhook_api_key', { webhook_api_key: 'has a space in it, so no' }],
  ])('a wrong %s is refused with its path', async (path, fields) => {
    const made = await create();
    const failure = await app
      .call('workflows.update', { id: made.id, ...fields } as never, actor)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: 'invalid_request', data: { details: [{ path }] } });
  });
});

test('null for a field that may be left out is the same as leaving it out', async () => {
  const none = null as never;
  const made = await app.call(
    'workflows.create',
    { name: 'N', dsl: document(), description: none, env: none, webhook_api_key: null },
    actor,
  );
  const fields = { name: none, description: none, env: none };
  expect(await app.call('workflows.update', { id: made.id, ...fields }, actor)).toMatchObject({
    name: 'N',
    env: 'dev',
  });
  expect(await codeOf(app.call('workflows.update', { id: made.id, dsl: none }, actor))).toBe('invalid_dsl');
  const page = await app.call('workflows.list', { limit: none, offset: none }, actor);
  expect(page).toMatchObject({ limit: 50, offset: 0 });
  expect((await app.call('workflows.create_key', { id: made.id, name: none }, actor)).name).toBe('key');
  const { webhook_api_key: key } = await app.call('workflows.set_webhook_key', { id: made.id, key: none }, actor);
  expect(key).toMatch(/^whk_/);
  await app.call('workflows.trigger', { id: made.id, trigger: {}, idempotency_key: none }, actor);
});

describe('approval', () => {
  beforeEach(() => auth.tenants.set(actor.tenant_id, { approval: true }));

  test('what a member creates waits, and runs only after an admin approved it', async () => {
    const made = await create({}, as('member'));
    expect(made.status).toBe('pending_approval');
    expect(await codeOf(app.call('workflows.trigger', { id: made.id, trigger: {} }, actor))).toBe('workflow_pending');
    expect(await codeOf(app.call('workflows.approve', { id: made.id }, as('member')))).toBe('forbidden');
    expect((await app.call('workflows.approve', { id: made.id }, as('admin'))).status).toBe('active');
    await app.call('workflows.trigger', { id: made.id, trigger: {} }, as('member'));
    expect(executor.only.params.workflow_id).toBe(made.id);
  });

  test('approves only the document that was reviewed, by its version or hash', async () => {
    const made = await create({}, as('member'));
    const next = await app.call('workflows.update', { id: made.id, dsl: document({ n: 7 }) }, as('member'));
    expect(next.dsl_hash).not.toBe(made.dsl_hash);
    const approve = (reviewed: object) => app.call('workflows.approve', { id: made.id, ...reviewed }, as('admin'));
    for (const reviewed of [
      { version: made.version },
      { dsl_hash: made.dsl_hash },
      { version: next.version, dsl_hash: made.dsl_hash },
    ])
      await expect(approve(reviewed)).rejects.toMatchObject({
        type: 'conflict',
        data: { body: { reviewed, current: { version: next.version, dsl_hash: next.dsl_hash } } },
      });
    expect((await app.call('workflows.get', { id: made.id }, actor)).status).toBe('pending_approval');
    expect((await approve({ version: next.version, dsl_hash: next.dsl_hash })).status).toBe('active');
    expect(await codeOf(approve({ dsl_hash: made.dsl_hash }))).toBe('conflict');
    expect((await approve({})).status).toBe('active');
  });

  test('a member who changes the DSL sends it back to wait; a change of the name, or equal DSL, does not', async () => {
    const made = await create();
    expect(made.status).toBe('active');
    const change = (fields: object) => app.call('workflows.update', { id: made.id, ...fields }, as('member'));
    expect((await change({ name: 'Other' })).status).toBe('active');
    expect((await change({ dsl: document() })).status).toBe('active');
    expect((await change({ dsl: document({ n: 1 }) })).status).toBe('pending_approval');
    expect((await app.call('workflows.update', { id: made.id, dsl: document({ n: 2 }) }, actor)).status).toBe(
      'pending_approval',
    );
  });
});

describe('tenants', () => {
  test('another tenant meets 404 on every action, and sees nothing in lists', async () => {
    const made = await create();
    const key = await app.call('workflows.create_key', { id: made.id }, actor);
    const outsider: Actor = { tenant_id: 'outsider', role: 'owner' };
    const { id } = made;
    const calls = [
      app.call('workflows.get', { id }, outsider),
      app.call('workflows.update', { id, name: 'Mine' }, outsider),
      app.call('workflows.update', { id, dsl: {} }, outsider),
      app.call('workflows.remove', { id }, outsider),
      app.call('workflows.enable', { id }, outsider),
      app.call('workflows.disable', { id }, outsider),
      app.call('workflows.approve', { id }, outsider),
      app.call('workflows.export', { id }, outsider),
      app.call('workflows.health', { id }, outsider),
      app.call('workflows.schedule', { id }, outsider),
      app.call('workflows.trigger', { id, trigger: {} }, outsider),
      app.call('workflows.create_key', { id }, outsider),
      app.call('workflows.list_keys', { id }, outsider),
      app.call('workflows.revoke_key', { id, key_id: key.id }, outsider),
      app.call('workflows.set_webhook_key', { id }, outsider),
      app.call('workflows.clear_webhook_key', { id }, outsider),
    ];
    expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => 'not_found'));
    expect((await app.call('workflows.list', {}, outsider)).data).toEqual([]);
    expect((await app.call('workflows.health_all', {}, outsider)).data).toEqual([]);
    const other: Actor = { tenant_id: 'outsider', role: 'service' };
    expect(await app.call('workflows.check_key', { id, key: key.key }, other)).toEqual({ valid: false });
    expect(await app.call('workflows.get', { id }, actor)).toEqual(made);
  });

  test('without a credential nothing is done', async () => {
    expect(await codeOf(app.call('workflows.list', {}, null))).toBe('unauthenticated');
    expect(await codeOf(app.call('workflows.plan', { hash: 'x' }, actor))).toBe('forbidden');
  });

  test('a list is newest first, in pages', async () => {
    for (const name of ['a', 'b', 'c']) await create({ name });
    const page = await app.call('workflows.list', { limit: 2, offset: 1 }, actor);
    expect(page).toMatchObject({ limit: 2, offset: 1 });
    expect(page.data).toHaveLength(2);
    const all = await app.call('workflows.list', {}, actor);
    expect(all).toMatchObject({ limit: 50, offset: 0 });
    expect(all.data.slice(1)).toEqual(page.data);
    expect(all.data[0]).not.toHaveProperty('dsl');
    expect(await codeOf(app.call('workflows.list', { limit: 201 }, actor))).toBe('invalid_request');
    expect(await codeOf(app.call('workflows.list', { offset: -1 }, actor))).toBe('invalid_request');
  });
});

describe('starting by hand', () => {
  test('the object becomes the trigger and the input of the run', async () => {
    const made = await create();
    const execution = await app.call('workflows.trigger', { id: made.id, trigger: { order: 7 } }, actor);
    expect(execution).toMatchObject({ workflow_def_id: made.id, trigger_type: 'manual', status: 'running' });
    expect(executor.only.tenant).toBe(actor.tenant_id);
    expect(executor.only.params).toMatchObject({
      workflow_name: 'Sample',
      env: 'dev',
      trigger: { order: 7 },
    });
  });

  test('a disabled workflow is refused until it is enabled again', async () => {
    const { id } = await create();
    expect((await app.call('workflows.disable', { id }, actor)).enabled).toBe(false);
    expect(await codeOf(app.call('workflows.trigger', { id, trigger: {} }, actor))).toBe('workflow_disabled');
    expect((await app.call('workflows.enable', { id }, actor)).enabled).toBe(true);
    await app.call('workflows.trigger', { id, trigger: {} }, actor);
  });

  test('a secret that does not exist is refused by name', async () => {
    const { id } = await create({ dsl: document({ a: '{{ secret.LATER }}' }) });
    const failure = await app.call('workflows.trigger', { id, trigger: {} }, actor).catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: 'unknown_secret', message: expect.stringContaining('LATER') });
    await app.call('secrets.put', { name: 'LATER', value: 'a value' }, actor);
    await app.call('workflows.trigger', { id, trigger: {} }, actor);
    expect(executor.runs.size).toBe(1);
  });

  test('an idempotency key starts once, and is refused with another input', async () => {
    const { id } = await create();
    const start = (trigger: JsonObject, idempotency_key = 'k') =>
      app.call('workflows.trigger', { id, trigger, idempotency_key }, actor);
    const runs = await Promise.all([start({ n: 1 }), start({ n: 1 }), start({ n: 1 })]);
    expect(new Set(runs.map((run) => run.id)).size).toBe(1);
    expect(await codeOf(start({ n: 2 }))).toBe('idempotency_mismatch');
    await start({ n: 2 }, 'other');
    expect(executor.runs.size).toBe(2);
  });

  test.each([[[1]], ['text'], [null], [7]])('a trigger that is %p is refused', async (trigger) => {
    const { id } = await create();
    expect(await codeOf(app.call('workflows.trigger', { id, trigger: trigger as never }, actor))).toBe(
      'invalid_request',
    );
  });
});

describe('startable', () => {
  test('tells what a start needs, and null for what is unknown', async () => {
    const made = await create();
    expect(await app.call('workflows.startable', { id: made.id }, SERVICE)).toEqual({
      id: made.id,
      tenant_id: actor.tenant_id,
      name: 'Sample',
      env: 'dev',
      status: 'active',
      enabled: true,
      triggers: ['http'],
      plan_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      secrets: [],
      raw_body: false,
      signed: false,
      dedupes: false,
      webhook_key_hash: null,
    });
    expect(await app.call('workflows.startable', { id: '00000000-0000-4000-8000-000000000000' }, SERVICE)).toBeNull();
    expect(await app.call('workflows.startable', { id: 'no id' }, SERVICE)).toBeNull();
  });

  test('is read once for concurrent callers, and again after each change', async () => {
    const { id } = await create();
    const find = jest.spyOn(app.app.db.models.workflow as Model<unknown>, 'find');
    await Promise.all(Array.from({ length: 50 }, () => app.call('workflows.startable', { id }, SERVICE)));
    expect(find).toHaveBeenCalledTimes(1);
    find.mockRestore();
    await app.call('workflows.disable', { id }, actor);
    expect((await app.call('workflows.startable', { id }, SERVICE))?.enabled).toBe(false);
  });
});

describe('keys of /run', () => {
  test('a key is shown once, found by its value, listed without it, and ends when revoked', async () => {
    const { id } = await create();
    const made = await app.call('workflows.create_key', { id, name: 'ci' }, actor);
    expect(made.key).toMatch(/^evw_[A-Za-z0-9_-]{43}$/);
    const service: Actor = { ...actor, role: 'service' };
    const check = (key: string, workflow = id) => app.call('workflows.check_key', { id: workflow, key }, service);
    expect(await check(made.key)).toEqual({ valid: true });
    expect(await check(`${made.key}x`)).toEqual({ valid: false });
    expect(await check(made.key, (await create()).id)).toEqual({ valid: false });
    const { data } = await until('the use is noted', async () => {
      const list = await app.call('workflows.list_keys', { id }, actor);
      return list.data[0]?.last_used_at ? list : null;
    });
    expect(data).toEqual([
      {
        id: made.id,
        name: 'ci',
        prefix: made.key.slice(0, 8),
        created_at: made.created_at,
        last_used_at: expect.anything(),
      },
    ]);
    expect(JSON.stringify(await app.app.db.collection('workflow_keys').find({}).toArray())).not.toContain(made.key);
    await app.call('workflows.revoke_key', { id, key_id: made.id }, actor);
    expect(await check(made.key)).toEqual({ valid: false });
    expect(await codeOf(app.call('workflows.revoke_key', { id, key_id: made.id }, actor))).toBe('not_found');
  });
});

describe('the key of a webhook', () => {
  const GIVEN = 'a-key-of-my-own-choice';

  test('is shown in the answer that made it, and masked from then on', async () => {
    const made = await create({ webhook_api_key: GIVEN });
    expect(made).toMatchObject({ webhook_api_key: GIVEN, webhook_api_key_set: true });
    const shown = await app.call('workflows.get', { id: made.id }, actor);
    expect(shown).toMatchObject({ webhook_api_key: '********oice', webhook_api_key_set: true });
    const { webhook_api_key: made2 } = await app.call('workflows.set_webhook_key', { id: made.id }, actor);
    expect(made2.length).toBeGreaterThan(40);
    const renamed = await app.call('workflows.update', { id: made.id, name: 'Other' }, actor);
    expect(renamed.webhook_api_key).toBe(`********${made2.slice(-4)}`);
    const cleared = await app.call('workflows.update', { id: made.id, webhook_api_key: null }, actor);
    expect(cleared).toMatchObject({ webhook_api_key: null, webhook_api_key_set: false });
    await app.call('workflows.set_webhook_key', { id: made.id, key: GIVEN }, actor);
    await app.call('workflows.clear_webhook_key', { id: made.id }, actor);
    expect((await app.call('workflows.startable', { id: made.id }, SERVICE))?.webhook_key_hash).toBeNull();
    expect(JSON.stringify(await app.app.db.collection('workflows').find({}).toArray())).not.toContain(GIVEN);
  });
});

describe('files', () => {
  test('an exported workflow imports as a new one with the same content', async () => {
    const made = await create({ name: 'Orders, nightly', webhook_api_key: 'a-key-of-my-own-choice' });
    const { filename, file } = await app.call('workflows.export', { id: made.id }, actor);
    expect(filename).toBe('orders-nightly.service.json');
    expect(file).toEqual({
      format: 'everstep.workflow',
      format_version: 1,
      exported_at: expect.stringMatching(/Z$/),
      workflow: { name: made.name, description: '', env: 'dev', dsl: made.dsl },
    });
    const copy = await app.call('workflows.import', JSON.parse(JSON.stringify(file)), actor);
    expect(copy).toMatchObject({ name: made.name, dsl: made.dsl, version: 1, webhook_api_key_set: false });
    expect(copy.id).not.toBe(made.id);
  });

  test('a bare name and DSL import as well', async () => {
    expect(await app.call('workflows.import', { name: 'Bare', dsl: document() }, actor)).toMatchObject({
      name: 'Bare',
    });
  });

  test.each([
    [{ format: 'everstep.workflow', format_version: 2, workflow: {} }, 'format_version'],
    [{ format: 'other', format_version: 1, workflow: {} }, 'format'],
    [{ format: 'everstep.workflow', format_version: 1, workflow: 'x' }, 'workflow'],
    [{ format: 'everstep.workflow', format_version: 1, workflow: { dsl: document() } }, 'name'],
    [{}, 'name'],
  ])('a file that cannot be read is refused with the reason: %j', async (file, path) => {
    const failure = await app.call('workflows.import', file as never, actor).catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: 'invalid_request' });
    const { details } = (failure as { data: { details: { path: string }[] } }).data;
    expect(details.map((detail) => detail.path)).toContain(path);
  });
});

describe('health and schedule', () => {
  test('figures of the runs stand beside the workflow, and workflows without runs have zeros', async () => {
    const busy = await create({ name: 'busy' });
    const idle = await create({ name: 'idle' });
    executor.health = [
      {
        workflow_id: busy.id,
        total: 8,
        completed: 5,
        failed: 1,
        cancelled: 1,
        running: 1,
        waiting: 0,
        p50_ms: 10,
        p95_ms: 20,
        last_execution_at: '2026-01-01T00:00:00.000Z',
        last_error: 'no',
      },
    ];
    const health = await app.call('workflows.health', { id: busy.id }, actor);
    expect(health).toMatchObject({
      workflow_id: busy.id,
      name: 'busy',
      window_hours: 24,
      total: 8,
      success_rate: 0.8333,
    });
    const { data } = await app.call('workflows.health_all', {}, actor);
    expect(data.find((row) => row.workflow_id === busy.id)).toEqual(health);
    expect(data.find((row) => row.workflow_id === idle.id)).toMatchObject({ total: 0, success_rate: null });
  });

  test('a workflow that waits for calls has no schedule', async () => {
    const { id } = await create();
    expect(await app.call('workflows.schedule', { id }, actor)).toEqual({ schedule: null });
  });
});
