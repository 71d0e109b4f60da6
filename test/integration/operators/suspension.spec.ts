import type { Session } from '../../../contracts/auth/accounts';
import { ROUTES } from '../../../services/api-gateway/routes';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { type MailServer, startMailServer } from '../../support/mail-server';
import { allServices } from '../../support/services';
import { join } from '../../support/team';
import { until } from '../../support/until';
import { OPERATOR, signUpOperator } from './support/operator';

/** What needs one of these roles, and no GET, changes or starts something. */
const CHANGING: ReadonlySet<string> = new Set(['member', 'admin', 'owner']);

let mails: MailServer;
let app: TestApp;
let operator: Session;
let owner: Session;
/** Workflows of the tenant. */
let hook: string;
let pausing: string;
let calling: string;
let timed: string;

beforeAll(async () => {
  mails = await startMailServer();
  app = await startApp({ services: [allServices], env: { ...mails.env, OPERATORS: OPERATOR } });
  operator = await signUpOperator(app, mails);
  owner = await registerTenant(app, { tenant_slug: 'shop-one' });
  hook = await create({ type: 'http' }, [{ id: 'a', type: 'log', config: { message: 'x' } }]);
  timed = await create({ type: 'schedule', config: { every: '1s' } }, [
    { id: 'a', type: 'log', config: { message: 'x' } },
  ]);
  pausing = await create({ type: 'http' }, [
    { id: 'pause', type: 'wait', config: { for: '2s' } },
    {
      id: 'more',
      type: 'foreach',
      config: { items: [1, 2, 3] },
      steps: [{ id: 'w', type: 'wait', config: { for: '100ms' } }],
    },
  ]);
  calling = await create({ type: 'http' }, [
    { id: 'pause', type: 'wait', config: { for: '2s' } },
    { id: 'child', type: 'sub_workflow', config: { workflow: hook } },
  ]);
}, 60_000);
afterAll(async () => {
  await app.close();
  await mails.close();
});
afterEach(async () => {
  await change('reopen', 'Paid');
});

async function create(trigger: object, steps: object[]): Promise<string> {
  const body = { name: `w${steps.length}`, dsl: { id: 'd', trigger, steps } };
  const { body: made, status } = await ask(app, 'POST /api/v1/workflows', { token: owner.token, body });
  if (status !== 201) throw new Error(JSON.stringify(made));
  return made.id as string;
}

const change = (what: 'suspend' | 'reopen', reason: string) =>
  ask(app, `POST /api/v1/operator/tenants/${owner.tenant.id}/${what}`, { token: operator.token, body: { reason } });
const suspend = async (): Promise<void> => {
  expect((await change('suspend', 'Unpaid since May')).status).toBe(200);
};
const asOwner = (line: `GET /${string}`, body?: object) => ask(app, line, { token: owner.token, body });
const start = async (workflow: string): Promise<string> =>
  (await asOwner(`POST /api/v1/workflows/${workflow}/trigger` as 'GET /', {})).body.id as string;
const stateOf = async (run: string) => (await asOwner(`GET /api/v1/executions/${run}`)).body;
const webhook = () => ask(app, `POST /webhooks/${hook}` as 'GET /', { body: {} });

describe('a suspended tenant', () => {
  test('starts no run by a webhook, and starts them again once it is reopened', async () => {
    expect((await webhook()).status).toBe(202);
    await suspend();
    const refused = await webhook();
    expect([refused.status, refused.body.code]).toEqual([423, 'tenant_suspended']);
    await change('reopen', 'Paid');
    expect((await webhook()).status).toBe(202);
  });

  test('is read by its members, who see why, and changed by none of them', async () => {
    await suspend();
    const tenant = await asOwner('GET /api/v1/tenant');
    expect(tenant.body.suspended).toEqual({ since: expect.any(String), reason: 'Unpaid since May' });
    expect((await asOwner('GET /api/v1/audit')).status).toBe(200);
    expect((await asOwner('GET /api/v1/executions')).status).toBe(200);
    const refused = { status: 423, body: { code: 'tenant_suspended' } };
    expect(await asOwner(`POST /api/v1/workflows/${hook}/trigger` as 'GET /', {})).toMatchObject(refused);
    expect(await asOwner('POST /api/v1/workflows' as 'GET /', {})).toMatchObject(refused);
    expect(await asOwner('PUT /api/v1/tenant/settings' as 'GET /', { require_approval: true })).toMatchObject(refused);
    expect(await asOwner(`DELETE /api/v1/workflows/${hook}` as 'GET /')).toMatchObject(refused);
  });

  test('refuses every route that changes or starts something, but for those that owners and admins need now', async () => {
    await suspend();
    const open: string[] = [];
    for (const { method, path, access } of ROUTES.filter(
      (route) => CHANGING.has(route.access) && route.method !== 'GET',
    )) {
      const line = `${method} ${path.replace(/:\w+/g, 'x')}` as 'GET /';
      const { status, body } = await ask(app, line, { token: owner.token, body: {} });
      if (status !== 423 || body.code !== 'tenant_suspended') open.push(`${access} ${method} ${path}`);
    }
    expect(open.sort()).toEqual([
      'admin DELETE /api/v1/team/members/:id/sessions',
      'owner DELETE /api/v1/team/members/:id',
      'owner DELETE /api/v1/team/members/:id/second-factor',
      'owner POST /api/v1/billing/checkout',
      'owner POST /api/v1/billing/portal',
    ]);
  });

  test('lets its members sign in, and its owners pay and remove members', async () => {
    const member = await join(app, owner.token, 'member@example.com');
    await suspend();
    const login = { tenant_slug: 'shop-one', email: owner.user.email, password: 'correct horse battery' };
    const again = await ask(app, 'POST /api/v1/auth/login', { body: login });
    expect([again.status, (again.body as unknown as Session).tenant.suspended]).toEqual([
      200,
      { since: expect.any(String), reason: 'Unpaid since May' },
    ]);
    expect((await asOwner('POST /api/v1/billing/portal' as 'GET /', {})).body.code).toBe('provider_not_configured');
    expect((await asOwner(`DELETE /api/v1/team/members/${member.user.id}` as 'GET /')).status).toBe(204);
  });

  test.each([
    ['waits', () => pausing],
    ['starts other runs', () => calling],
  ])('keeps a run that %s as it is, and the run goes on once the tenant is reopened', async (_how, workflow) => {
    const run = await start(workflow());
    await suspend();
    const { db } = app.app;
    const parked = () => db.collection<{ _id: string }>('executions').findOne({ _id: run, owner: null, parked: true });
    await until('the run is set aside', parked, 15_000);
    expect(await stateOf(run)).toMatchObject({ status: 'running', waiting: [{ kind: 'slot' }] });
    await change('reopen', 'Paid');
    await until('the run has completed', async () => (await stateOf(run)).status === 'completed', 15_000);
  });

  test('starts no run by a schedule, whose history says why', async () => {
    await suspend();
    const refused = async () => {
      const { body } = await asOwner(`GET /api/v1/workflows/${timed}/schedule`);
      return JSON.stringify(body).includes('tenant_suspended');
    };
    await until('a start is refused', refused, 15_000);
  });

  test('is in both logs with the reason, when it is suspended and when it is reopened', async () => {
    await suspend();
    await change('reopen', 'Paid');
    const of = (action: string, suspended: boolean, reason: string) =>
      expect.objectContaining({ action, before: { suspended: !suspended }, after: { suspended, reason } });
    const events = [of('tenant.reopen', false, 'Paid'), of('tenant.suspend', true, 'Unpaid since May')];
    const log = await ask(app, 'GET /api/v1/operator/audit?limit=2' as 'GET /', { token: operator.token });
    expect(log.body.data).toEqual(events);
    expect((await asOwner('GET /api/v1/audit?limit=2')).body.data).toEqual(events);
  });
});

test.each([
  ['suspended twice', async () => [await suspend(), await change('suspend', 'x')] as const],
  ['reopened while it is open', async () => [undefined, await change('reopen', 'x')] as const],
])('a tenant is not %s', async (_what, twice) => {
  const [, answer] = await twice();
  expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
});

test('a tenant is not suspended without a reason', async () => {
  expect((await change('suspend', ' ')).status).toBe(400);
});
