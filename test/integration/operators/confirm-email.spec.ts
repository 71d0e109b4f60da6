import type { Session } from '../../../contracts/auth/accounts';
import { confirmEmail } from '../../../services/auth/confirm-email';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { allServices } from '../../support/services';
import { join } from '../../support/team';
import { until } from '../../support/until';
import { OPERATOR } from './support/operator';

let app: TestApp;
/** The account of the operator, and that of another person with the same address. */
let operator: Session;
let impostor: Session;

beforeAll(async () => {
  // Without a mail server.
  app = await startApp({ services: [allServices], env: { OPERATORS: OPERATOR } });
  operator = await registerTenant(app, { email: OPERATOR, tenant_slug: 'operations' });
  impostor = await registerTenant(app, { email: OPERATOR, tenant_slug: 'impostor' });
}, 60_000);
afterAll(() => app.close());

const command = (email: string, slug?: string) => {
  const { db, audit, clock, config } = app.app;
  return confirmEmail({ db, audit, now: clock.now() }, { email, slug, operators: config.operators });
};
const me = async ({ token }: Session) => (await ask(app, 'GET /api/v1/me', { token })).body;

test('an account of an operator acts for one once its address is confirmed, and no other one with the address does', async () => {
  expect(await me(operator)).toMatchObject({ email_verified: false, operator: false });
  expect(await command(OPERATOR.toUpperCase(), 'operations')).toEqual({
    slug: 'operations',
    isNew: true,
    isProof: true,
  });
  await until('the account acts for an operator', async () => (await me(operator)).operator);
  expect(await me(operator)).toMatchObject({ email_verified: true });
  expect(await me(impostor)).toMatchObject({ email_verified: false, operator: false });
  const { body } = await ask(app, 'GET /api/v1/audit?action=email.verify', { token: operator.token });
  expect(body.data).toEqual([
    expect.objectContaining({
      actor: { type: 'service', id: null, email: null, ip: null },
      target: { type: 'user', id: operator.user.id, name: OPERATOR },
    }),
  ]);
});

test('a confirmed address is not confirmed again', async () => {
  const owner = await registerTenant(app, { tenant_slug: 'twice', email: 'twice@example.com' });
  await command('twice@example.com', 'twice');
  expect(await command('twice@example.com', 'twice')).toMatchObject({ isNew: false });
  const { body } = await ask(app, 'GET /api/v1/audit?action=email.verify', { token: owner.token });
  expect(body.data).toHaveLength(1);
});

test('keys and invitations that the account has made before stay valid', async () => {
  const owner = await registerTenant(app, { tenant_slug: 'kept', email: 'kept@example.com' });
  const { body } = await ask(app, 'POST /api/v1/api-keys', { token: owner.token, body: { name: 'ci' } });
  await command('kept@example.com');
  await until('the address is confirmed', async () => (await me(owner)).email_verified);
  expect((await ask(app, 'GET /api/v1/me', { token: body.key as string })).status).toBe(200);
});

describe('the workspace', () => {
  test('may be left out for an address with one account', async () => {
    await registerTenant(app, { tenant_slug: 'single', email: 'single@example.com' });
    expect(await command('single@example.com')).toMatchObject({ slug: 'single', isNew: true });
  });

  test('has to be named for an address with several accounts, which are listed', async () => {
    const owner = await registerTenant(app, { tenant_slug: 'first-one', email: 'both@example.com' });
    await registerTenant(app, { tenant_slug: 'second-one', email: 'other@example.com' });
    await join(app, (await registerTenant(app, { tenant_slug: 'third-one' })).token, 'both@example.com', 'viewer');
    await expect(command('both@example.com')).rejects.toThrow(
      /^both@example\.com has 2 accounts: name the workspace of the account, one of\n {2}first-one {2}owner, made .*\n {2}third-one {2}viewer, made /,
    );
    expect(await me(owner)).toMatchObject({ email_verified: false });
  });

  test('has to be named for an address of OPERATORS, with which another person may have registered', async () => {
    await expect(command(OPERATOR)).rejects.toThrow(`${OPERATOR} is in OPERATORS: name the workspace`);
    expect(await me(impostor)).toMatchObject({ email_verified: false });
  });
});

test.each([
  [
    'without an account',
    'unknown@example.com',
    undefined,
    'No workspace has a member with the address unknown@example.com',
  ],
  [
    'that is no member of the workspace',
    'unknown@example.com',
    'operations',
    'operations has no member with the address',
  ],
  ['of a workspace that does not exist', OPERATOR, 'no-such', 'There is no tenant no-such'],
])('an address %s is named in the error', async (_what, email, slug, message) => {
  await expect(command(email, slug)).rejects.toThrow(message);
});

test('an account that an identity provider of its tenant has signed in to is confirmed, and proves nothing', async () => {
  const { user } = await registerTenant(app, { tenant_slug: 'federated', email: 'federated@example.com' });
  const identities = [{ via: 'oidc', subject: 'x' }];
  await app.app.db.collection<{ _id: string }>('users').updateOne({ _id: user.id }, { $set: { identities } });
  expect(await command('federated@example.com')).toMatchObject({ isNew: true, isProof: false });
});
