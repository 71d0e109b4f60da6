import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import type { Session } from '../../../contracts/auth/accounts';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { invite, join, PASSWORD } from '../../support/team';

let app: TestApp;
let owner: Session;
beforeAll(async () => {
  app = await startApp({ services: [apiGatewayService, authService] });
});
beforeEach(async () => {
  owner = await registerTenant(app);
});
afterAll(() => app.close());

/** Single sign-on, as far as passwords have to do with it. */
async function setUp(settings: { enabled: boolean; enforce: boolean }): Promise<void> {
  const configs = app.app.db.collection<{ _id: string }>('sso_configs');
  const config = { tenant_id: owner.tenant.id, provider: 'oidc', ...settings };
  await configs.replaceOne({ _id: owner.tenant.id }, config as never, { upsert: true });
}
const login = (email: string, password = PASSWORD) =>
  ask(app, 'POST /api/v1/auth/login', { body: { tenant_slug: owner.tenant.slug, email, password } });

describe('where single sign-on is enforced', () => {
  test('a password does not let members and admins in, and an owner it does', async () => {
    await join(app, owner.token, 'bob@example.com');
    await join(app, owner.token, 'adam@example.com', 'admin');
    await setUp({ enabled: true, enforce: true });
    for (const email of ['bob@example.com', 'adam@example.com']) {
      expect(await login(email)).toMatchObject({ status: 403, body: { code: 'sso_required' } });
    }
    expect((await login(owner.user.email)).status).toBe(200);
  });

  test('only the right password hears of it', async () => {
    await join(app, owner.token, 'bob@example.com');
    await setUp({ enabled: true, enforce: true });
    expect(await login('bob@example.com', 'wrong')).toMatchObject({ status: 401, body: { code: 'invalid_login' } });
  });

  test('an invitation is accepted by signing in at the provider, not by a password', async () => {
    const token = await invite(app, owner.token, 'bob@example.com');
    await setUp({ enabled: true, enforce: true });
    const accept = () => ask(app, 'POST /api/v1/auth/accept-invite', { body: { token, password: PASSWORD } });
    expect(await accept()).toMatchObject({ status: 403, body: { code: 'sso_required' } });
    await setUp({ enabled: true, enforce: false });
    expect((await accept()).status).toBe(200);
  });

  test('API keys of before go on', async () => {
    const bob = await join(app, owner.token, 'bob@example.com');
    const { body } = await ask(app, 'POST /api/v1/api-keys', { token: bob.token, body: { name: 'ci' } });
    await setUp({ enabled: true, enforce: true });
    expect((await ask(app, 'GET /api/v1/me', { token: body.key as string })).status).toBe(200);
  });
});

test.each([
  ['not enforced', { enabled: true, enforce: false }],
  ['switched off', { enabled: false, enforce: true }],
])('single sign-on that is %s leaves passwords alone', async (_title, settings) => {
  await join(app, owner.token, 'bob@example.com');
  await setUp(settings);
  expect((await login('bob@example.com')).status).toBe(200);
});
