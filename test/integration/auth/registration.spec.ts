import { registerInput, registerTenant } from '../../support/accounts';
import { type TestApp, startApp } from '../../support/app';
import { ManualClock } from '../../support/manual-clock';
import { authService } from '../../../services/auth/auth.service';
import { until } from '../../support/until';

describe('registration', () => {
  let app: TestApp;
  const clock = new ManualClock();
  beforeAll(async () => {
    app = await startApp({ services: [authService], clock });
  });
  afterEach(() => Promise.all([tenants().deleteMany({}), users().deleteMany({})]));
  afterAll(() => app.close());

  const tenants = () => app.app.db.collection('tenants');
  const users = () => app.app.db.collection('users');
  /** Sweeps re-arm themselves only when they have ended, so time goes on in steps. */
  const sweptUntil = (what: string, check: () => Promise<boolean>) =>
    until(what, () => {
      clock.advance(10 * 60_000);
      return check();
    });

  test('makes a tenant on the free plan and its owner', async () => {
    const session = await app.call('auth.register', registerInput({ tenant_slug: 'acme', email: ' Ann@Example.COM ' }));
    expect(session).toEqual({
      token: expect.any(String),
      user: { id: expect.any(String), email: 'ann@example.com', role: 'owner', tenant_id: session.tenant.id },
      tenant: {
        id: expect.any(String),
        slug: 'acme',
        name: 'Acme',
        plan: 'free',
        organization_id: null,
        settings: { require_approval: false, require_second_factor: false },
        suspended: null,
        created_at: new Date(clock.now()).toISOString(),
      },
    });
    expect(await users().findOne({})).toMatchObject({
      password_hash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/),
    });
    expect(await users().countDocuments({ registering_since: { $exists: true } })).toBe(0);
  });

  test('a slug is given once, also to many at the same time', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) =>
        app.call('auth.register', registerInput({ tenant_slug: 'acme', email: `u${i}@example.com` })),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ type: 'slug_taken', code: 409 });
    }
    expect(await users().countDocuments()).toBe(1);
  });

  test.each(['Acme', 'a', 'ab', '-acme', 'acme-', 'a_b', 'a'.repeat(64), '', 'ac me'])(
    'the slug %j is refused',
    async (slug) => {
      await expect(app.call('auth.register', registerInput({ tenant_slug: slug }))).rejects.toMatchObject({
        type: 'invalid_request',
      });
    },
  );

  test.each([
    ['a short password', { password: '1234567' }],
    ['a long password', { password: 'x'.repeat(201) }],
    ['an address without a host', { email: 'ann' }],
    ['no name', { tenant_name: '  ' }],
  ])('%s is refused', async (_title, wrong) => {
    await expect(app.call('auth.register', registerInput(wrong))).rejects.toMatchObject({ type: 'invalid_request' });
    expect(await tenants().countDocuments()).toBe(0);
  });

  test('a failure before the commit burns no slug, and the sweep removes what it left', async () => {
    const insert = jest
      .spyOn(app.app.db.model('Tenant').collection, 'insertOne')
      .mockRejectedValueOnce(new Error('cut'));
    await expect(app.call('auth.register', registerInput({ tenant_slug: 'acme' }))).rejects.toThrow('cut');
    insert.mockRestore();
    expect(await tenants().countDocuments()).toBe(0);
    expect(await users().countDocuments()).toBe(1);

    const session = await registerTenant(app, { tenant_slug: 'acme' });
    await sweptUntil('the orphan is gone', async () => (await users().countDocuments()) === 1);
    expect(await users().findOne({})).toMatchObject({ tenant_id: session.tenant.id });
  });

  test('a crash right after the commit leaves a tenant that works, and the sweep spares its owner', async () => {
    const confirm = jest
      .spyOn(app.app.db.model('User').collection, 'updateOne')
      .mockRejectedValueOnce(new Error('cut'));
    await expect(app.call('auth.register', registerInput({ tenant_slug: 'acme' }))).rejects.toThrow('cut');
    confirm.mockRestore();
    expect((await app.call('auth.login', registerInput({ tenant_slug: 'acme' }))).tenant.slug).toBe('acme');
    await sweptUntil(
      'the owner is confirmed',
      async () => (await users().countDocuments({ registering_since: { $exists: false } })) === 1,
    );
  });
});
