import type { Session } from '../../../contracts/auth/accounts';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { LeapingClock } from '../../support/leaping-clock';
import { type MailServer, startMailServer } from '../../support/mail-server';
import { allServices } from '../../support/services';
import { OPERATOR, signUpOperator } from './support/operator';

const HOUR_MS = 3_600_000;
const DSL = { id: 'd', trigger: { type: 'http' }, steps: [{ id: 'a', type: 'log', config: { message: 'x' } }] };

let clock: LeapingClock;
let mails: MailServer;
let app: TestApp;
let operator: Session;
let owner: Session;

beforeAll(async () => {
  clock = new LeapingClock();
  mails = await startMailServer();
  app = await startApp({ services: [allServices], clock, env: { ...mails.env, OPERATORS: OPERATOR } });
  operator = await signUpOperator(app, mails);
}, 60_000);
afterAll(async () => {
  await app.close();
  await mails.close();
});
beforeEach(async () => {
  owner = await registerTenant(app);
});

const limitOf = (name: string) => `/api/v1/operator/tenants/${owner.tenant.id}/limits/${name}` as const;
const setLimit = (name: string, body: object) =>
  ask(app, `PUT ${limitOf(name)}`, { token: operator.token, body: { note: 'Contract 17', ...body } });
const removeLimit = (name: string) => ask(app, `DELETE ${limitOf(name)}`, { token: operator.token });
const asOwner = (line: `GET /${string}`) => ask(app, line, { token: owner.token });
const createWorkflow = () => ask(app, 'POST /api/v1/workflows', { token: owner.token, body: { name: 'x', dsl: DSL } });
const subscription = async () => (await asOwner('GET /api/v1/billing/subscription')).body;
const inHours = (hours: number): string => new Date(clock.now() + hours * HOUR_MS).toISOString();

describe('a limit of a tenant', () => {
  test('replaces that of its plan at once, and is shown to the tenant beside it', async () => {
    const expires = inHours(3);
    const { status, body } = await setLimit('active_workflows', { value: 1, expires_at: expires });
    expect([status, body.limits, body.plan_limits]).toEqual([
      200,
      expect.objectContaining({ active_workflows: 1, members: 50 }),
      expect.objectContaining({ active_workflows: 25, members: 50 }),
    ]);
    expect(body.overrides).toEqual([
      { limit: 'active_workflows', value: 1, expires_at: expires, note: 'Contract 17', set_at: expect.any(String) },
    ]);
    expect((await createWorkflow()).status).toBe(201);
    expect(await createWorkflow()).toMatchObject({ status: 403, body: { code: 'workflow_limit', max: 1 } });
    expect(await subscription()).toMatchObject({
      limits: { active_workflows: 1 },
      overrides: [{ limit: 'active_workflows', plan_value: 25, expires_at: expires }],
    });
  });

  test('ends at its time: then that of the plan applies', async () => {
    await setLimit('members', { value: 0, expires_at: inHours(1) });
    const invite = () =>
      ask(app, 'POST /api/v1/team/invite', { token: owner.token, body: { email: 'bo@example.com', role: 'member' } });
    expect((await invite()).body).toMatchObject({ code: 'quota_exceeded', limit: 'members', max: 0 });
    clock.leap(1.01 * HOUR_MS);
    expect((await invite()).status).toBe(201);
    expect(await subscription()).toMatchObject({ limits: { members: 50 }, overrides: [] });
  });

  test('may be none, changes no other one, and is removed', async () => {
    await setLimit('storage_mb', { value: null });
    await setLimit('datasets', { value: 7 });
    expect((await subscription()).limits).toMatchObject({ storage_mb: null, datasets: 7, members: 50 });
    expect((await removeLimit('storage_mb')).body.overrides).toEqual([expect.objectContaining({ limit: 'datasets' })]);
    expect((await subscription()).limits).toMatchObject({ storage_mb: 1_024, datasets: 7 });
    expect(await removeLimit('storage_mb')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('is in both logs with what it was before', async () => {
    await setLimit('datasets', { value: 7 });
    await setLimit('datasets', { value: 9, note: 'Contract 18' });
    await removeLimit('datasets');
    const first = { datasets: 7, expires_at: null, note: 'Contract 17' };
    const second = { datasets: 9, expires_at: null, note: 'Contract 18' };
    const events = [
      expect.objectContaining({ action: 'tenant.remove_limit', before: second, after: null }),
      expect.objectContaining({ action: 'tenant.set_limit', before: first, after: second }),
      expect.objectContaining({ action: 'tenant.set_limit', before: null, after: first }),
    ];
    expect((await asOwner('GET /api/v1/audit?limit=3')).body.data).toEqual(events);
    const log = await ask(app, 'GET /api/v1/operator/audit?limit=3', { token: operator.token });
    expect(log.body.data).toEqual(events);
  });

  test.each([
    ['is negative', 'members', { value: -1 }],
    ['is no whole number', 'members', { value: 1.5 }],
    ['is missing', 'members', {}],
    ['has no note', 'members', { value: 1, note: ' ' }],
    ['has expired', 'members', { value: 1, expires_at: '2020-01-01' }],
    ['is none of a plan', 'nodes', { value: 1 }],
  ])('is refused when it %s', async (_why, name, body) => {
    expect((await setLimit(name, body)).status).toBe(400);
  });
});
