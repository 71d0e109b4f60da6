import { authService } from '../../../services/auth/auth.service';
import type { ParamsOf } from '../../../contracts/catalogue';
import type { Session } from '../../../contracts/auth/accounts';
import { registerTenant } from '../../support/accounts';
import { SERVICE, startApp, type TestApp } from '../../support/app';

type Claim = ParamsOf<'auth.sign_in'>;

let app: TestApp;
let owner: Session;
beforeAll(async () => {
  app = await startApp({ services: [authService] });
});
beforeEach(async () => {
  owner = await registerTenant(app);
});
afterAll(() => app.close());

const users = () => app.app.db.collection<{ _id: string; email_verified_at?: Date | null }>('users');
const claim = (given: Partial<Claim> = {}): Claim => ({
  tenant_id: owner.tenant.id,
  email: 'bob@example.com',
  role: 'member',
  sync_role: false,
  create: true,
  via: 'oidc',
  subject: 'bob-1',
  ...given,
});
const signIn = (given: Partial<Claim> = {}) => app.call('auth.sign_in', claim(given));
const asOwner = () => ({ tenant_id: owner.tenant.id, user_id: owner.user.id });
const count = () => users().countDocuments({ tenant_id: owner.tenant.id });

describe('a user whom an identity provider vouches for', () => {
  test('is made at the first sign-in, without a password, and known by the identity from then on', async () => {
    const first = await signIn();
    expect(first.user).toMatchObject({ email: 'bob@example.com', role: 'member' });
    const again = await signIn({ email: 'robert@example.com' });
    expect(again.user).toEqual(first.user);
    const login = { tenant_slug: owner.tenant.slug, email: 'bob@example.com', password: 'null' };
    await expect(app.call('auth.login', login)).rejects.toMatchObject({ type: 'invalid_login' });
    expect((await app.call('auth.verify', { token: first.token })).user_id).toBe(first.user.id);
  });

  test('is one user, also with two sign-ins at the same time', async () => {
    const sessions = await Promise.all([signIn(), signIn(), signIn()]);
    expect(new Set(sessions.map(({ user }) => user.id)).size).toBe(1);
    expect(await count()).toBe(2);
  });

  test('with the address of a user is that user, in this tenant', async () => {
    const session = await signIn({ email: owner.user.email, subject: 'ann-1' });
    expect(session.user).toEqual(owner.user);
    expect(await users().findOne({ _id: owner.user.id })).toMatchObject({
      identities: [{ via: 'oidc', subject: 'ann-1' }],
      password_hash: expect.any(String),
    });
  });

  test('by a provider that is open to everyone is no user with an unconfirmed address: another person may have made the account', async () => {
    const suite = { via: 'suite', email: owner.user.email, subject: 'ann-1' } as const;
    await expect(signIn(suite)).rejects.toMatchObject({ type: 'forbidden' });
    await users().updateOne({ _id: owner.user.id }, { $set: { email_verified_at: new Date() } });
    expect((await signIn(suite)).user).toEqual(owner.user);
  });

  test("has a confirmed address by the provider that is open to everyone, and never by the tenant's own, which may claim any address", async () => {
    const byOwn = await signIn();
    const bySuite = await signIn({ via: 'suite', email: 'cat@example.com', subject: 'cat-1' });
    const verified = async (id: string) => (await users().findOne({ _id: id }))?.email_verified_at;
    expect([await verified(byOwn.user.id), await verified(bySuite.user.id)]).toEqual([null, expect.any(Date)]);
  });

  test('is not made where that is disabled, except for an invited user, who gets the role of the invitation', async () => {
    await expect(signIn({ create: false })).rejects.toMatchObject({ type: 'forbidden' });
    await app.call('auth.invite', { email: 'bob@example.com', role: 'admin' }, asOwner());
    expect((await signIn({ create: false })).user.role).toBe('admin');
    expect((await app.call('auth.invites', {}, asOwner())).data).toEqual([]);
  });

  test('is one user too when invited and with two sign-ins at the same time', async () => {
    await app.call('auth.invite', { email: 'bob@example.com', role: 'admin' }, asOwner());
    const sessions = await Promise.all([signIn(), signIn(), signIn()]);
    expect(sessions.map(({ user }) => user)).toEqual(Array(3).fill(sessions[0]?.user));
    expect(await count()).toBe(2);
  });

  test('gets the role of the mapping with `sync_role` alone, and then at once', async () => {
    const first = await signIn({ role: 'admin' });
    expect((await signIn({ role: 'member' })).user.role).toBe('admin');
    await app.call('auth.verify', { token: first.token });
    expect((await signIn({ role: 'member', sync_role: true })).user.role).toBe('member');
    expect((await app.call('auth.verify', { token: first.token })).role).toBe('member');
  });

  test('is made no owner by a mapping, and loses no ownership by one', async () => {
    expect((await signIn({ role: 'owner', sync_role: true })).user.role).toBe('admin');
    const ann = { email: owner.user.email, subject: 'ann-1', role: 'member', sync_role: true } as const;
    expect((await signIn(ann)).user.role).toBe('owner');
    expect((await signIn(ann)).user.role).toBe('owner');
  });

  test('comes in as a new user after being removed', async () => {
    const first = await signIn();
    await app.call('auth.remove_member', { id: first.user.id }, asOwner());
    const again = await signIn();
    expect(again.user.id).not.toBe(first.user.id);
    await expect(app.call('auth.verify', { token: first.token })).rejects.toMatchObject({ type: 'unauthenticated' });
  });

  test('is refused over the limit of members', async () => {
    const fill = Array.from({ length: 49 }, (_, i) => ({
      _id: `${owner.tenant.id}-${i}`,
      tenant_id: owner.tenant.id,
      email: `u${i}@example.com`,
    }));
    await users().insertMany(fill as never);
    await expect(signIn()).rejects.toMatchObject({ type: 'quota_exceeded', code: 402 });
    await app.call('auth.set_plan', { plan: 'pro' }, { tenant_id: owner.tenant.id, role: 'service' });
    expect((await signIn()).user.email).toBe('bob@example.com');
  });

  test('is asked for by services alone', async () => {
    await expect(app.call('auth.sign_in', claim(), asOwner())).rejects.toMatchObject({ type: 'forbidden' });
    await expect(app.call('auth.sign_in', claim(), null)).rejects.toMatchObject({ type: 'unauthenticated' });
    await expect(app.call('auth.sign_in', claim({ tenant_id: 'none' }), SERVICE)).rejects.toMatchObject({
      type: 'not_found',
    });
  });
});

describe('what other services do to a tenant', () => {
  test('its plan counts at once; an organization is kept unless one is named', async () => {
    const service = { tenant_id: owner.tenant.id, role: 'service' } as const;
    expect(await app.call('auth.set_plan', { plan: 'enterprise', organization: 'o1' }, service)).toMatchObject({
      plan: 'enterprise',
      organization_id: 'o1',
    });
    expect(await app.call('auth.set_plan', { plan: 'pro' }, service)).toMatchObject({ organization_id: 'o1' });
    expect((await app.call('auth.entitlements', {}, service)).plan).toBe('pro');
    await expect(app.call('auth.set_plan', { plan: 'pro' }, asOwner())).rejects.toMatchObject({ type: 'forbidden' });
  });

  test('its owners are returned with their addresses', async () => {
    await signIn({ role: 'admin' });
    const { data } = await app.call('auth.owners', {}, { tenant_id: owner.tenant.id, role: 'service' });
    expect(data).toEqual([{ id: owner.user.id, email: owner.user.email }]);
  });
});
