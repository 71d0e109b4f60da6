import type { KeyScope } from '../../../lib/key-scopes';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import type { Session } from '../../../contracts/auth/accounts';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask, type HttpAnswer } from '../../support/http';
import { ManualClock } from '../../support/manual-clock';
import { join } from '../../support/team';

const DAY_MS = 86_400_000;
const clock = new ManualClock(Date.now());

let app: TestApp;
let owner: Session;

beforeAll(async () => {
  app = await startApp({ services: [apiGatewayService, authService], clock });
  owner = await registerTenant(app);
}, 60_000);
afterAll(() => app.close());

type Key = Record<'id' | 'key' | 'prefix' | 'user' | 'user_id' | 'created_by', string> & {
  expires_at: string | null;
  scope: KeyScope;
};

const post = (token: string, path: string, body: object = {}): Promise<HttpAnswer> =>
  ask(app, `POST /api/v1/${path}` as 'POST /', { token, body });

async function keyOf(token: string, body: object = {}): Promise<Key> {
  const answer = await post(token, 'api-keys', { name: 'k', ...body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body as unknown as Key;
}

const me = (token: string): Promise<HttpAnswer> => ask(app, 'GET /api/v1/me', { token });
const inDays = (days: number): string => new Date(clock.now() + days * DAY_MS).toISOString();

describe('expiry', () => {
  test('ends a key at its time', async () => {
    const { key, expires_at } = await keyOf(owner.token, { expires_at: inDays(1) });
    expect(expires_at).toBe(inDays(1));
    expect((await me(key)).status).toBe(200);
    clock.advance(DAY_MS);
    expect((await me(key)).status).toBe(401);
  });

  test.each(['yesterday', '2020-01-01', ''])('is refused as %j', async (expires_at) => {
    const { status, body } = await post((await app.call('auth.login', credentials())).token, 'api-keys', {
      name: 'k',
      expires_at,
    });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('expires_at')]);
  });
});

const credentials = () => ({
  tenant_slug: owner.tenant.slug,
  email: owner.user.email,
  password: 'correct horse battery',
});
/** The clock has moved: the first session has ended. */
const session = async (): Promise<string> => (await app.call('auth.login', credentials())).token;

describe('rotation', () => {
  test('gives another value, and accepts the one of before for the overlap', async () => {
    const token = await session();
    const before = await keyOf(token, { scope: 'read', expires_at: inDays(30) });
    clock.advance(10 * DAY_MS);
    const again = await session();
    const { status, body } = await post(again, `api-keys/${before.id}/rotate`, { overlap_seconds: 3_600 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: before.id, name: 'k', scope: 'read', expires_at: inDays(30) });
    expect(body.key).not.toBe(before.key);
    expect([(await me(before.key)).status, (await me(String(body.key))).status]).toEqual([200, 200]);
    clock.advance(3_601_000);
    expect([(await me(before.key)).status, (await me(String(body.key))).status]).toEqual([401, 200]);
  });

  test('without overlap ends the value of before at once', async () => {
    const token = await session();
    const before = await keyOf(token);
    expect((await me(before.key)).status).toBe(200);
    await post(token, `api-keys/${before.id}/rotate`, { overlap_seconds: 0 });
    expect((await me(before.key)).status).toBe(401);
  });

  test("of another member's key finds nothing", async () => {
    const token = await session();
    const theirs = await keyOf(token);
    const other = await join(app, token, 'rotator@example.com');
    expect((await post(other.token, `api-keys/${theirs.id}/rotate`)).status).toBe(404);
  });
});

describe('service accounts', () => {
  const remove = (token: string, id: string) => ask(app, `DELETE /api/v1/team/members/${id}`, { token });

  test('have keys that stay when the one who made them leaves', async () => {
    const token = await session();
    const admin = await join(app, token, 'leaver@example.com', 'admin');
    const made = await post(admin.token, 'team/service-accounts', { name: 'deploy', role: 'member' });
    expect(made).toMatchObject({
      status: 201,
      body: { email: 'service:deploy', kind: 'service', role: 'member', sign_in: [] },
    });
    const id = String(made.body.id);
    const key = await keyOf(admin.token, { service_account_id: id, scope: 'edit' });
    expect(key).toMatchObject({
      user: 'service:deploy',
      user_id: id,
      created_by: admin.user.id,
      service_account: true,
    });
    expect((await me(key.key)).body).toMatchObject({ id, email: 'service:deploy', role: 'member' });
    expect((await remove(token, admin.user.id)).status).toBe(204);
    expect((await me(key.key)).status).toBe(200);
    expect((await remove(token, id)).status).toBe(204);
    expect((await me(key.key)).status).toBe(401);
  });

  test('cannot sign in, be an owner, or be made twice', async () => {
    const token = await session();
    const { body } = await post(token, 'team/service-accounts', { name: 'owner', role: 'admin' });
    const login = { tenant_slug: owner.tenant.slug, email: 'service:owner', password: 'correct horse battery' };
    expect((await ask(app, 'POST /api/v1/auth/login', { body: login })).status).toBe(401);
    const line = `PUT /api/v1/team/members/${String(body.id)}/role` as const;
    expect((await ask(app, line, { token, body: { role: 'owner' } })).status).toBe(409);
    expect((await ask(app, line, { token, body: { role: 'viewer' } })).body.role).toBe('viewer');
    expect((await post(token, 'team/service-accounts', { name: 'owner', role: 'viewer' })).status).toBe(409);
    expect((await post(token, 'team/service-accounts', { name: 'other', role: 'owner' })).status).toBe(400);
  });

  test('get no keys by members, and members no keys of others', async () => {
    const token = await session();
    const { body } = await post(token, 'team/service-accounts', { name: 'reports', role: 'viewer' });
    const member = await join(app, token, 'asker@example.com');
    const wanted = (service_account_id: unknown) => ({ name: 'k', service_account_id });
    expect((await post(member.token, 'api-keys', wanted(body.id))).status).toBe(403);
    expect((await post(token, 'api-keys', wanted(member.user.id))).status).toBe(404);
  });
});
