import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { type Actor, openTestDatabase, SERVICE, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { ManualClock } from '../../support/manual-clock';
import { codeOf, document, FakeAuth, FakeExecutor } from './fakes';

const LIMIT = 5;

let database: TestDatabase;
let apps: TestApp[];
const clock = new ManualClock();
const auth = new FakeAuth();
let actor: Actor;
let tenants = 0;

const start = (): Promise<TestApp> =>
  startApp({
    services: [auth.service, new FakeExecutor().service, secretsService, workflowsService],
    database,
    clock,
  });

beforeAll(async () => {
  database = await openTestDatabase();
  apps = [await start(), await start()];
});

afterAll(async () => {
  for (const app of apps ?? []) await app.close();
  await database?.close();
});

beforeEach(() => {
  tenants += 1;
  actor = { tenant_id: `limited-${tenants}`, role: 'owner' };
  auth.tenants.set(actor.tenant_id, { active: LIMIT });
});

afterEach(() => jest.restoreAllMocks());

const host = (n = 0): TestApp => apps[n % apps.length] as TestApp;
const create = (n = 0) => host(n).call('workflows.create', { name: `w${n}`, dsl: document() }, actor);
const act = (action: 'enable' | 'disable' | 'approve' | 'remove', id: string, n = 0) =>
  host(n).call(`workflows.${action}`, { id }, actor);

async function activeCount(): Promise<number> {
  const { data } = await host().call('workflows.list', { limit: 200 }, actor);
  return data.filter((row) => row.enabled && row.status === 'active').length;
}

const outcomes = async (calls: Promise<unknown>[]): Promise<string[]> =>
  Promise.all(
    calls.map((call) =>
      call.then(
        () => 'ok',
        (error: { type: string }) => error.type,
      ),
    ),
  );

const count = (words: string[], word: string): number => words.filter((other) => other === word).length;

test('of 20 creates at once on two hosts exactly as many succeed as the plan allows', async () => {
  const results = await outcomes(Array.from({ length: 20 }, (_, n) => create(n)));
  expect(count(results, 'ok')).toBe(LIMIT);
  expect(count(results, 'workflow_limit')).toBe(20 - LIMIT);
  expect(await activeCount()).toBe(LIMIT);
});

test('the refusal says what the plan allows and what to do', async () => {
  auth.tenants.set(actor.tenant_id, { active: 1 });
  await create();
  await expect(create()).rejects.toMatchObject({ code: 403, message: expect.stringMatching(/1 active.*disable/) });
});

test('disabling and deleting make room, and enabling needs it', async () => {
  const made = await Promise.all(Array.from({ length: LIMIT }, (_, n) => create(n)));
  const [first, second] = made.map((workflow) => workflow.id) as [string, string];
  await act('disable', first);
  await create();
  expect(await codeOf(act('enable', first))).toBe('workflow_limit');
  await act('remove', second);
  await act('enable', first);
  expect(await codeOf(create())).toBe('workflow_limit');
});

test('workflows that wait for approval take no room until they are approved', async () => {
  auth.tenants.set(actor.tenant_id, { active: 1, approval: true });
  const member: Actor = { ...actor, role: 'member' };
  const [a, b] = await Promise.all(
    ['a', 'b'].map((name) => host().call('workflows.create', { name, dsl: document() }, member)),
  );
  await act('approve', a?.id as string);
  expect(await codeOf(act('approve', b?.id as string))).toBe('workflow_limit');
});

test('enabling and disabling at once never lets more be active than the plan allows', async () => {
  const made = await Promise.all(Array.from({ length: LIMIT }, (_, n) => create(n)));
  for (const { id } of made) await act('disable', id);
  const others = await Promise.all(Array.from({ length: LIMIT }, (_, n) => create(n)));
  const calls = [...made, ...others].flatMap(({ id }, n) => [act('disable', id, n), act('enable', id, n + 1)]);
  const results = await outcomes(calls);
  expect(results.filter((word) => word !== 'ok' && word !== 'workflow_limit')).toEqual([]);
  expect(await activeCount()).toBeLessThanOrEqual(LIMIT);
  // What the ledger holds is what is active: the rest of the room can still be had, and no more.
  const room = LIMIT - (await activeCount());
  const more = await outcomes(Array.from({ length: LIMIT + 1 }, (_, n) => create(n)));
  expect(count(more, 'ok')).toBe(room);
});

test('enabling one workflow many times at once takes one place', async () => {
  const { id } = await create();
  await act('disable', id);
  await Promise.all(Array.from({ length: 10 }, (_, n) => act('enable', id, n)));
  const others = await outcomes(Array.from({ length: LIMIT }, (_, n) => create(n)));
  expect(count(others, 'ok')).toBe(LIMIT - 1);
});

test('a place claimed for a change that came too late is given back', async () => {
  auth.tenants.set(actor.tenant_id, { active: 1 });
  const { id } = await create();
  await act('disable', id);
  const model = host(0).app.db.model('workflow');
  const write = model.findOneAndUpdate.bind(model) as (...args: unknown[]) => { lean(): { exec(): Promise<unknown> } };
  jest.spyOn(model, 'findOneAndUpdate').mockImplementationOnce(((...args: unknown[]) => ({
    lean: () => ({
      async exec() {
        await host(1).call('workflows.update', { id, name: 'Other' }, actor);
        return write(...args)
          .lean()
          .exec();
      },
    }),
  })) as never);
  expect(await act('enable', id, 0)).toMatchObject({ enabled: true, name: 'Other' });
  await act('disable', id);
  await create();
});

test.each(['before', 'after'] as const)(
  'a create that dies %s its record is written costs no room for long',
  async (when) => {
    const model = host().app.db.model('workflow');
    const write = model.create.bind(model) as (record: unknown) => Promise<unknown>;
    jest.spyOn(model, 'create').mockImplementationOnce((async (record: unknown) => {
      if (when === 'after') await write(record);
      throw new Error('the host died');
    }) as never);
    await expect(create()).rejects.toThrow('the host died');
    const written = when === 'after' ? 1 : 0;
    const soon = await outcomes(Array.from({ length: LIMIT }, () => create()));
    expect(count(soon, 'ok')).toBe(LIMIT - 1);
    clock.advance(10 * 60_000);
    const later = await outcomes([create(), create()]);
    expect(count(later, 'ok')).toBe(1 - written);
    expect(await activeCount()).toBe(LIMIT);
  },
);

test('a place that could not be given back is found again', async () => {
  const made = await Promise.all(Array.from({ length: LIMIT }, () => create()));
  const ledgers = host().app.db.model('workflow_ledger');
  jest.spyOn(ledgers, 'updateOne').mockImplementationOnce((() => ({
    exec: () => Promise.reject(new Error('the database is away')),
  })) as never);
  expect(await act('disable', made[0]?.id as string)).toMatchObject({ enabled: false });
  expect(await codeOf(create())).toBe('workflow_limit');
  clock.advance(10 * 60_000);
  await create();
});

test('a plan without a limit lets everything pass, and a later limit counts what is there', async () => {
  auth.tenants.set(actor.tenant_id, { active: null });
  const made = await Promise.all(Array.from({ length: LIMIT + 2 }, (_, n) => create(n)));
  auth.tenants.set(actor.tenant_id, { active: LIMIT });
  expect(await codeOf(create())).toBe('workflow_limit');
  for (const { id } of made.slice(0, 2)) await act('disable', id);
  expect(await codeOf(create())).toBe('workflow_limit');
  await act('disable', made[2]?.id as string);
  await create();
});

test('a change on one host is seen on another within a second, without any message', async () => {
  const { id } = await create();
  const seen = async () => (await host(1).call('workflows.startable', { id }, SERVICE))?.enabled;
  expect(await seen()).toBe(true);
  await act('disable', id);
  expect((await host(0).call('workflows.startable', { id }, SERVICE))?.enabled).toBe(false);
  clock.advance(1_000);
  expect(await seen()).toBe(false);
});

test('a plan of none refuses the first', async () => {
  auth.tenants.set(actor.tenant_id, { active: 0 });
  expect(await codeOf(create())).toBe('workflow_limit');
});

describe('all workflows of a tenant, enabled or not, are at most ten times the active ones', () => {
  const ALL = 10;
  let id: string;
  const copy = () => host().call('workflows.duplicate', { id }, actor);

  beforeEach(async () => {
    auth.tenants.set(actor.tenant_id, { active: 1 });
    ({ id } = await create());
    const results = await outcomes(Array.from({ length: 2 * ALL }, copy));
    expect(count(results, 'ok')).toBe(ALL - 1);
    expect(count(results, 'quota_exceeded')).toBe(ALL + 1);
  });

  test('creating, importing and copying a further one is refused, and takes no place among the active ones', async () => {
    const { file } = await host().call('workflows.export', { id }, actor);
    await act('disable', id);
    await expect(copy()).rejects.toMatchObject({
      code: 402,
      message: 'Your plan allows 10 workflows, enabled or not, and all are in use; delete one, or upgrade the plan',
      data: { body: { limit: 'workflows', max: ALL } },
    });
    expect(await codeOf(create())).toBe('quota_exceeded');
    expect(await codeOf(host().call('workflows.import', file as never, actor))).toBe('quota_exceeded');
    await act('enable', id);
  });

  test('deleting one makes room', async () => {
    await act('remove', id);
    await create();
    expect(await codeOf(copy())).toBe('not_found');
  });
});
