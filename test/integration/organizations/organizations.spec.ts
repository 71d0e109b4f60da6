import { auditService } from '../../../services/audit/audit.service';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import type { Session } from '../../../contracts/auth/accounts';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { join } from '../../support/team';

let app: TestApp;
let home: Session;

beforeAll(async () => {
  app = await startApp({ services: [authService, auditService, apiGatewayService] });
});
afterAll(() => app?.close());
beforeEach(async () => {
  home = await enterprise();
});

const setPlan = (tenantId: string, plan: 'free' | 'enterprise') =>
  app.call('auth.set_plan', { plan }, { tenant_id: tenantId, role: 'service' });

/** An owner of a new tenant on the enterprise plan. */
async function enterprise(email = 'ann@example.com'): Promise<Session> {
  const session = await registerTenant(app, { email });
  await setPlan(session.tenant.id, 'enterprise');
  return session;
}

const create = (token: string, name: unknown = 'Holding') =>
  ask(app, 'POST /api/v1/organizations', { token, body: { name } });
const made = async (token: string): Promise<string> => String((await create(token)).body.id);
const assign = (token: string, id: string, tenantId: string, body: object = {}) =>
  ask(app, `POST /api/v1/organizations/${id}/tenants/${tenantId}`, { token, body });
const statusesOf = (answers: readonly { status: number }[]) =>
  answers.map(({ status }) => status).sort((a, b) => a - b);
const release = (token: string, id: string, tenantId: string) =>
  ask(app, `DELETE /api/v1/organizations/${id}/tenants/${tenantId}`, { token });
const verified = (session: Session, more: object = {}) =>
  app.app.db
    .collection<{ _id: string }>('users')
    .updateOne({ _id: session.user.id }, { $set: { email_verified_at: new Date(), ...more } });
const actionsOf = async ({ token }: Session): Promise<string[]> => {
  const { body } = await ask(app, 'GET /api/v1/audit?action=organization.', { token });
  return (body.data as { action: string }[]).map(({ action }) => action);
};

describe('an organization', () => {
  it('is made by an owner on the enterprise plan, holds their tenant, and is shown to its members', async () => {
    const { status, body } = await create(home.token);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Holding',
      home_tenant_id: home.tenant.id,
      created_at: expect.any(String),
    });
    const listed = await ask(app, 'GET /api/v1/organizations', { token: home.token });
    expect(listed.body).toEqual({ data: [body], limit: 50, offset: 0 });
    const detail = await ask(app, `GET /api/v1/organizations/${String(body.id)}`, { token: home.token });
    const { id, slug, name } = home.tenant;
    expect(detail.body).toEqual({ ...body, tenants: [{ id, slug, name, plan: 'enterprise' }] });
    const tenant = await ask(app, 'GET /api/v1/tenant', { token: home.token });
    expect(tenant.body.organization_id).toBe(body.id);
    expect(await actionsOf(home)).toEqual(['organization.create']);
  });

  it('needs the enterprise plan, a name, and a tenant that belongs to none', async () => {
    const free = await registerTenant(app);
    expect((await create(free.token)).status).toBe(403);
    const member = await join(app, home.token, 'bob@example.com');
    expect((await create(member.token, '  ')).status).toBe(400);
    expect((await create(member.token)).status).toBe(201);
    expect((await create(home.token)).status).toBe(409);
    expect(await actionsOf(home)).toEqual(['organization.create']);
  });

  it('is made once by many who ask at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, (_, n) => create(home.token, `Name ${n}`)));
    expect(statusesOf(answers)).toEqual([201, 409, 409, 409, 409]);
    const { body } = await ask(app, 'GET /api/v1/organizations', { token: home.token });
    expect(body.data).toEqual([answers.find(({ status }) => status === 201)?.body]);
  });

  it('that a crash left without its tenant is taken over by the next try', async () => {
    const id = await made(home.token);
    await app.app.db.collection('tenants').updateOne({ organization_id: id }, { $set: { organization_id: null } });
    expect((await ask(app, `GET /api/v1/organizations/${id}`, { token: home.token })).status).toBe(404);
    const again = await create(home.token, 'Again');
    expect(again).toMatchObject({ status: 201, body: { id, name: 'Again' } });
  });

  it('is not there for anybody else', async () => {
    const id = await made(home.token);
    const outsider = await enterprise();
    expect((await ask(app, `GET /api/v1/organizations/${id}`, { token: outsider.token })).status).toBe(404);
    expect((await assign(outsider.token, id, outsider.tenant.id)).status).toBe(404);
    expect((await release(outsider.token, id, home.tenant.id)).status).toBe(404);
    expect((await ask(app, 'GET /api/v1/organizations', { token: outsider.token })).body).toMatchObject({ data: [] });
  });
});

describe('a tenant is added', () => {
  it('with a token of one of its owners, and both logs say so', async () => {
    const id = await made(home.token);
    const other = await registerTenant(app, { email: 'eve@example.com' });
    const answer = await assign(home.token, id, other.tenant.id, { owner_token: other.token });
    expect(answer.status).toBe(200);
    expect((answer.body.tenants as { id: string }[]).map((tenant) => tenant.id).sort()).toEqual(
      [home.tenant.id, other.tenant.id].sort(),
    );
    const seen = await ask(app, `GET /api/v1/organizations/${id}`, { token: other.token });
    expect(seen.status).toBe(200);
    expect(await actionsOf(home)).toEqual(['organization.assign', 'organization.create']);
    expect(await actionsOf(other)).toEqual(['organization.assign']);
    // Again: nothing changes, and nothing is recorded.
    expect((await assign(home.token, id, other.tenant.id, { owner_token: other.token })).status).toBe(200);
    expect(await actionsOf(other)).toEqual(['organization.assign']);
  });

  it('by a user who has confirmed the same address in both', async () => {
    const id = await made(home.token);
    const other = await registerTenant(app, { email: home.user.email });
    expect((await assign(home.token, id, other.tenant.id)).status).toBe(404);
    await verified(home);
    expect((await assign(home.token, id, other.tenant.id)).status).toBe(404);
    await verified(other);
    expect((await assign(home.token, id, other.tenant.id)).status).toBe(200);
  });

  it("not by an address that a tenant's own identity provider vouches for", async () => {
    const id = await made(home.token);
    const other = await registerTenant(app, { email: home.user.email });
    await verified(home, { identities: [{ via: 'oidc', subject: 'anybody' }] });
    await verified(other);
    expect((await assign(home.token, id, other.tenant.id)).status).toBe(404);
  });

  it('not with a token of a colleague who is no owner, of another tenant, or that is none', async () => {
    const id = await made(home.token);
    const other = await registerTenant(app, { email: 'eve@example.com' });
    const admin = await join(app, other.token, 'bob@example.com', 'admin');
    for (const owner_token of [admin.token, home.token, 'nonsense']) {
      expect((await assign(home.token, id, other.tenant.id, { owner_token })).status).toBe(404);
    }
    expect(await actionsOf(other)).toEqual([]);
  });

  it('answers the same for a tenant that does not exist', async () => {
    const id = await made(home.token);
    const other = await registerTenant(app, { email: 'eve@example.com' });
    const words = async (tenantId: string) => (await assign(home.token, id, tenantId)).body.error;
    expect(await words('00000000-0000-4000-8000-000000000000')).toBe(await words(other.tenant.id));
  });

  it('by the home tenant alone, while it is on the enterprise plan', async () => {
    const id = await made(home.token);
    const other = await registerTenant(app, { email: 'eve@example.com' });
    await assign(home.token, id, other.tenant.id, { owner_token: other.token });
    const third = await registerTenant(app, { email: 'eve@example.com' });
    const body = { owner_token: third.token };
    expect((await assign(other.token, id, third.tenant.id, body)).status).toBe(403);
    await setPlan(home.tenant.id, 'free');
    expect((await assign(home.token, id, third.tenant.id, body)).status).toBe(403);
  });

  it('to one organization at most, also when two ask at once', async () => {
    const rival = await enterprise();
    const [id, rivals] = [await made(home.token), await made(rival.token)];
    const other = await registerTenant(app, { email: 'eve@example.com' });
    const body = { owner_token: other.token };
    const answers = await Promise.all([
      assign(home.token, id, other.tenant.id, body),
      assign(rival.token, rivals, other.tenant.id, body),
    ]);
    expect(statusesOf(answers)).toEqual([200, 409]);
  });
});

describe('a tenant leaves', () => {
  it('by its own owner or by the home tenant, which itself stays', async () => {
    const id = await made(home.token);
    const [one, two] = [await registerTenant(app), await registerTenant(app)];
    for (const other of [one, two]) await assign(home.token, id, other.tenant.id, { owner_token: other.token });
    expect((await release(one.token, id, two.tenant.id)).status).toBe(404);
    expect((await release(one.token, id, one.tenant.id)).status).toBe(204);
    expect((await release(home.token, id, two.tenant.id)).status).toBe(204);
    expect((await release(home.token, id, two.tenant.id)).status).toBe(404);
    expect((await release(home.token, id, home.tenant.id)).status).toBe(409);
    expect((await ask(app, `GET /api/v1/organizations/${id}`, { token: one.token })).status).toBe(404);
    expect(await actionsOf(two)).toEqual(['organization.release', 'organization.assign']);
  });
});
