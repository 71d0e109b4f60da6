import type { Session } from '../../../contracts/auth/accounts';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { type MailServer, startMailServer } from '../../support/mail-server';
import { allServices } from '../../support/services';
import { join } from '../../support/team';
import { OPERATOR, signUpOperator } from './support/operator';

const DSL = { id: 'd', trigger: { type: 'http' }, steps: [{ id: 'a', type: 'log', config: { message: 'x' } }] };

let mails: MailServer;
let app: TestApp;
let operator: Session;
let owner: Session;

beforeAll(async () => {
  mails = await startMailServer();
  app = await startApp({ services: [allServices], env: { ...mails.env, OPERATORS: OPERATOR } });
  operator = await signUpOperator(app, mails);
  owner = await registerTenant(app, { tenant_slug: 'shop-one', tenant_name: 'Shop (one)' });
  await registerTenant(app, { tenant_slug: 'shop-two', tenant_name: 'Second' });
  await join(app, owner.token, 'member@example.com');
  const flow = await ask(app, 'POST /api/v1/workflows', { token: owner.token, body: { name: 'x', dsl: DSL } });
  const run = await ask(app, `POST /api/v1/workflows/${flow.body.id as string}/trigger`, {
    token: owner.token,
    body: {},
  });
  expect(run.status).toBeLessThan(300);
}, 60_000);
afterAll(async () => {
  await app.close();
  await mails.close();
});

const get = (path: string) => ask(app, `GET /api/v1/operator${path as '/'}`, { token: operator.token });
const slugs = async (query: string) =>
  ((await get(`/tenants${query}`)).body.data as { slug: string }[]).map((row) => row.slug);
const setPlan = (id: string, body: object) =>
  ask(app, `PUT /api/v1/operator/tenants/${id}/plan`, { token: operator.token, body });

describe('the list of tenants', () => {
  test('has what each uses', async () => {
    const { body } = await get('/tenants?q=shop-one');
    expect(body.data).toEqual([
      expect.objectContaining({
        id: owner.tenant.id,
        slug: 'shop-one',
        plan: 'free',
        members: 2,
        active_workflows: 1,
        executions_this_month: 1,
      }),
    ]);
  });

  test('is searched by a part of the slug or the name, literally, and by id', async () => {
    expect(await slugs('?q=SHOP')).toEqual(['shop-one', 'shop-two']);
    expect(await slugs('?q=second')).toEqual(['shop-two']);
    expect(await slugs(`?q=${encodeURIComponent('(one)')}`)).toEqual(['shop-one']);
    expect(await slugs(`?q=${encodeURIComponent('.*')}`)).toEqual([]);
    expect(await slugs(`?q=${owner.tenant.id}`)).toEqual(['shop-one']);
  });

  test('is read to its end by cursor', async () => {
    const first = await get('/tenants?q=shop&limit=1');
    expect(first.body.next_cursor).toBe('shop-one');
    expect(await slugs('?q=shop&limit=1&cursor=shop-one')).toEqual(['shop-two']);
    expect((await get('/tenants?q=shop&limit=1&cursor=shop-one')).body.next_cursor).toBeNull();
  });
});

describe('a tenant', () => {
  test('is shown with owners, limits and usage', async () => {
    expect((await get(`/tenants/${owner.tenant.id}`)).body).toMatchObject({
      slug: 'shop-one',
      owners: [owner.user.email],
      limits: { members: 50 },
      usage: { members: 2, active_workflows: 1 },
      subscription: 'none',
      plan_is_sold: false,
    });
  });

  test('that does not exist is named in the answer', async () => {
    expect((await get('/tenants/unknown')).body).toMatchObject({ error: 'There is no tenant unknown' });
  });

  test('gets another plan at once, and both logs have it', async () => {
    const answer = await setPlan(owner.tenant.id, { plan: 'pro', reason: 'Contract 17' });
    expect([answer.status, answer.body.plan]).toEqual([200, 'pro']);
    const event = {
      action: 'tenant.set_plan',
      target: { type: 'tenant', id: owner.tenant.id, name: 'shop-one' },
      before: { plan: 'free' },
      after: { plan: 'pro', reason: 'Contract 17' },
    };
    expect((await get('/audit')).body.data).toEqual([
      expect.objectContaining({ ...event, actor: expect.objectContaining({ type: 'user', email: OPERATOR }) }),
    ]);
    const theirs = await ask(app, 'GET /api/v1/audit?action=tenant.set_plan', { token: owner.token });
    // Which of the operators it was is not shown to the tenant.
    expect(theirs.body.data).toEqual([
      expect.objectContaining({ ...event, actor: { type: 'service', id: null, email: null, ip: null } }),
    ]);
    expect((await ask(app, 'GET /api/v1/tenant', { token: owner.token })).body.plan).toBe('pro');
  });

  test.each([
    ['without a reason', { plan: 'pro' }],
    ['with a blank reason', { plan: 'pro', reason: '  ' }],
    ['with a plan that does not exist', { plan: 'gold', reason: 'x' }],
  ])('keeps its plan %s', async (_how, body) => {
    expect((await setPlan(owner.tenant.id, body)).status).toBe(400);
  });

  test('keeps the plan that a subscription decides', async () => {
    const two = ((await get('/tenants?q=shop-two')).body.data as { id: string }[])[0]?.id as string;
    await app.app.db.collection<{ _id: string }>('subscriptions').insertOne({
      _id: two,
      customers: [],
      plan: 'pro',
      status: 'active',
      notices: [],
      rev: 1,
      grace: null,
      applied: true,
      synced_at: new Date(),
    } as never);
    const answer = await setPlan(two, { plan: 'enterprise', reason: 'x' });
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
    expect((await get(`/tenants/${two}`)).body).toMatchObject({ plan: 'free', plan_is_sold: true });
  });
});
