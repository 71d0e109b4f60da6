import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import type { Session } from '../../../contracts/auth/accounts';
import { registerTenant } from '../../support/accounts';
import { openTestDatabase, SERVICE, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { ask } from '../../support/http';
import { type MailServer, startMailServer, tokenIn } from '../../support/mail-server';
import { ManualClock } from '../../support/manual-clock';
import { invite, PASSWORD } from '../../support/team';

const NEW = 'a new password';
const OIDC = { provider: 'oidc', oidc: { issuer: 'https://127.0.0.1', client_id: 'x', client_secret: 'secret' } };

let database: TestDatabase;
let mails: MailServer;
let app: TestApp;
/** The account in question, and what was made with it before the address is confirmed. */
let owner: Session;
let apiKey: string;
let invitation: string;
let link: string;
let count = 0;
const clock = new ManualClock(Date.now());
beforeAll(async () => {
  database = await openTestDatabase();
  mails = await startMailServer();
  app = await startApp({ services: [apiGatewayService, authService], clock, database, env: mails.env });
});
beforeEach(async () => {
  clock.advance(15 * 60_000);
  count += 1;
  const email = `ann${count}@example.com`;
  owner = await registerTenant(app, { email });
  apiKey = await newApiKey(owner.token);
  invitation = await invite(app, owner.token, `bob${count}@example.com`, 'owner');
  link = tokenIn(await mails.next(email, 'Confirm your e-mail address'));
});
afterAll(async () => {
  await app.close();
  await mails.close();
  await database.close();
});

const users = () => app.app.db.collection<{ _id: string; email_verified_at: Date | null }>('users');
const newApiKey = async (token: string) =>
  (await ask(app, 'POST /api/v1/api-keys', { token, body: { name: 'ci' } })).body.key as string;
const status = async (token: string) => (await ask(app, 'GET /api/v1/me', { token })).status;
const login = (password = PASSWORD) =>
  ask(app, 'POST /api/v1/auth/login', {
    body: { tenant_slug: owner.tenant.slug, email: owner.user.email, password },
  });
const accept = (token: string) => ask(app, 'POST /api/v1/auth/accept-invite', { body: { token, password: PASSWORD } });
const confirm = (session: string | null = null) =>
  ask(app, 'POST /api/v1/auth/verify-email', { token: session, body: { token: link } });
const setPassword = (token: string) =>
  ask(app, 'POST /api/v1/auth/password-reset/confirm', { body: { token, password: NEW } });
/** Statuses of the session, the API key and the invitation. */
const before = async () => [await status(owner.token), await status(apiKey), (await accept(invitation)).status];
const putSso = (token: string) => ask(app, 'PUT /api/v1/sso/config', { token, body: OIDC });

describe('the first confirmation of an address by its link', () => {
  test('with a session of the account ends nothing', async () => {
    expect((await confirm(owner.token)).body).toEqual({ email: owner.user.email, email_verified: true });
    expect(await before()).toEqual([200, 200, 200]);
    expect((await login()).status).toBe(200);
  });

  test.each([
    ['without a session', async () => null],
    [
      'with a session of another account',
      async () => (await registerTenant(app, { email: `cat${count}@example.com` })).token,
    ],
    ['with an API key of the account', async () => apiKey],
  ])('%s is refused, and ends nothing', async (_with, credential) => {
    expect((await confirm(await credential())).status).toBe(401);
    expect(await before()).toEqual([200, 200, 200]);
    expect((await users().findOne({ _id: owner.user.id }))?.email_verified_at).toBeNull();
    expect((await confirm(owner.token)).status).toBe(200);
  });

  test('with a session that has ended is refused, and its link goes on working', async () => {
    await ask(app, 'POST /api/v1/auth/logout', { token: owner.token });
    expect((await confirm(owner.token)).status).toBe(401);
    expect(await status(apiKey)).toBe(200);
    expect((await confirm((await login()).body.token as string)).status).toBe(200);
    expect(await status(apiKey)).toBe(200);
  });
});

describe('a password reset', () => {
  const reset = async () => {
    await ask(app, 'POST /api/v1/auth/password-reset', {
      body: { tenant_slug: owner.tenant.slug, email: owner.user.email },
    });
    await setPassword(tokenIn(await mails.next(owner.user.email, 'Set a new password')));
  };

  test('of an account whose address is not confirmed ends sessions, API keys and invitations', async () => {
    await reset();
    expect(await before()).toEqual([401, 401, 400]);
    expect((await login(NEW)).status).toBe(200);
  });

  test('leaves API keys that were made after the address was confirmed', async () => {
    await reset();
    const key = await newApiKey((await login(NEW)).body.token as string);
    await reset();
    expect(await status(key)).toBe(200);
  });
});

describe('the first sign-in by the suite', () => {
  const bySuite = () =>
    app.call(
      'auth.sign_in',
      {
        tenant_id: owner.tenant.id,
        email: owner.user.email,
        role: 'member',
        sync_role: false,
        create: false,
        via: 'suite',
        subject: `suite-${count}`,
      },
      SERVICE,
    );

  test('leaves API keys of an account that was confirmed with its session', async () => {
    await confirm(owner.token);
    await bySuite();
    expect(await before()).toEqual([401, 200, 200]);
  });

  test('ends API keys and invitations of an account that an earlier version confirmed', async () => {
    await users().updateOne({ _id: owner.user.id }, { $set: { email_verified_at: new Date(clock.now()) } });
    await bySuite();
    expect(await before()).toEqual([401, 401, 400]);
  });
});

describe('a confirmed address', () => {
  test('is needed to enable single sign-on', async () => {
    expect(await putSso(owner.token)).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('verify-email/resend') },
    });
    await confirm(owner.token);
    expect((await putSso(owner.token)).status).toBe(200);
  });

  test('by a password reset switches off single sign-on that its only owner had enabled before', async () => {
    await confirm(owner.token);
    await putSso(owner.token);
    await users().updateOne({ _id: owner.user.id }, { $set: { email_verified_at: null } });
    await ask(app, 'POST /api/v1/auth/password-reset', {
      body: { tenant_slug: owner.tenant.slug, email: owner.user.email },
    });
    await setPassword(tokenIn(await mails.next(owner.user.email, 'Set a new password')));
    const sso = await ask(app, `GET /api/v1/auth/sso/check?tenant_slug=${owner.tenant.slug}`);
    expect(sso.body).toMatchObject({ enabled: false });
  });
});
