import { authService } from '../../../services/auth/auth.service';
import { registerInput, registerTenant } from '../../support/accounts';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { ManualClock } from '../../support/manual-clock';
import { until } from '../../support/until';

describe('signing in', () => {
  let app: TestApp;
  const clock = new ManualClock();
  beforeAll(async () => {
    app = await startApp({ services: [authService], clock });
  });
  afterAll(() => app.close());

  test('takes the slug and the address in any case, and the password as it was set', async () => {
    const { tenant, user } = await registerTenant(app, { tenant_slug: 'case', email: 'ann@example.com' });
    const session = await app.call('auth.login', {
      ...registerInput(),
      tenant_slug: ' CASE ',
      email: ' Ann@Example.com ',
    });
    expect(session).toEqual({ token: expect.any(String), tenant, user });
  });

  test('the same characters typed in another form are the same password', async () => {
    await registerTenant(app, { tenant_slug: 'unicode', password: 'caf\u00e9 au lait' });
    const login = { tenant_slug: 'unicode', email: 'ann@example.com', password: 'cafe\u0301 au lait' };
    expect((await app.call('auth.login', login)).tenant.slug).toBe('unicode');
  });

  test('says the same whatever is wrong', async () => {
    const right = registerInput({ tenant_slug: 'words' });
    await app.call('auth.register', right);
    const attempts = [{ tenant_slug: 'no-such-tenant' }, { email: 'bob@example.com' }, { password: 'something else' }];
    const errors = await Promise.all(
      attempts.map((wrong) => app.call('auth.login', { ...right, ...wrong }).catch((error: unknown) => error)),
    );
    for (const error of errors)
      expect(error).toMatchObject({ type: 'invalid_login', code: 401, message: (errors[0] as Error).message });
  });

  test('takes as long for an unknown tenant as for a wrong password', async () => {
    const right = registerInput({ tenant_slug: 'timing' });
    await app.call('auth.register', right);
    const timed = async (wrong: object, address: string): Promise<number> => {
      const begun = performance.now();
      await expect(app.call('auth.login', { ...right, ...wrong, address })).rejects.toMatchObject({
        type: 'invalid_login',
      });
      return performance.now() - begun;
    };
    const least = { password: Infinity, tenant: Infinity, user: Infinity };
    // Measured in turns, the minimum of each counts: other work on the machine slows all three alike.
    for (let i = 0; i < 24; i += 1) {
      least.password = Math.min(least.password, await timed({ password: 'something else' }, `9.0.0.${i}`));
      least.tenant = Math.min(least.tenant, await timed({ tenant_slug: 'no-such-tenant' }, `9.0.1.${i}`));
      least.user = Math.min(least.user, await timed({ email: 'bob@example.com' }, `9.0.2.${i}`));
    }
    for (const time of [least.tenant, least.user]) {
      expect(time).toBeGreaterThan(least.password / 2);
      expect(time).toBeLessThan(least.password * 2);
    }
  });

  test('is refused after ten failures from one address, and possible again a quarter of an hour later', async () => {
    const right = registerInput({ tenant_slug: 'throttled' });
    await app.call('auth.register', right);
    const attempt = (password: string, address: string) => app.call('auth.login', { ...right, password, address });
    for (let i = 0; i < 10; i += 1)
      await expect(attempt('wrong', '1.1.1.1')).rejects.toMatchObject({ type: 'invalid_login' });
    await expect(attempt(right.password, '1.1.1.1')).rejects.toMatchObject({
      type: 'rate_limited',
      data: { retry_after: 900 },
    });
    expect((await attempt(right.password, '2.2.2.2')).tenant.slug).toBe('throttled');
    clock.advance(15 * 60_000 + 1);
    expect((await attempt(right.password, '1.1.1.1')).tenant.slug).toBe('throttled');
  });
});

describe('verifying credentials', () => {
  let database: TestDatabase;
  let app: TestApp;
  const clock = new ManualClock();
  const users = () => app.app.db.collection<{ _id: string }>('users');
  const tenants = () => app.app.db.collection<{ _id: string }>('tenants');
  beforeAll(async () => {
    database = await openTestDatabase();
    app = await startApp({ services: [authService], clock, database });
  });
  afterAll(async () => {
    await app.close();
    await database.close();
  });

  test('a token gives a principal that services accept', async () => {
    const { token, user } = await registerTenant(app);
    const verified = await app.call('auth.verify', { token });
    expect(verified).toMatchObject({ user_id: user.id, tenant_id: user.tenant_id, role: 'owner' });
    expect(app.app.principals.verify(verified.principal, clock.now())).toMatchObject({
      kind: 'user',
      tenant_id: user.tenant_id,
      user_id: user.id,
      email: user.email,
      role: 'owner',
    });
  });

  test.each(['', 'x', 'a.b.c', 'evs_', `evs_${'A'.repeat(43)}`, 'x'.repeat(3_000)])('%j is refused', async (token) => {
    await expect(app.call('auth.verify', { token })).rejects.toMatchObject({
      type: token === '' ? 'invalid_request' : 'unauthenticated',
    });
  });

  test('an expired token is refused', async () => {
    const { token } = await registerTenant(app);
    clock.advance(12 * 3_600_000 + 1_000);
    await expect(app.call('auth.verify', { token })).rejects.toMatchObject({ type: 'unauthenticated', code: 401 });
  });

  test('a hot credential costs one read of the database a second, however many calls there are', async () => {
    const { token } = await registerTenant(app);
    const reads = jest.spyOn(app.app.db.model('User').collection, 'findOne');
    await Promise.all(Array.from({ length: 50 }, () => app.call('auth.verify', { token })));
    await Promise.all(Array.from({ length: 50 }, () => app.call('auth.verify', { token })));
    expect(reads).toHaveBeenCalledTimes(1);
    clock.advance(1_001);
    await app.call('auth.verify', { token });
    expect(reads).toHaveBeenCalledTimes(2);
    reads.mockRestore();
  });

  test('a changed role and a removed user count at once after the event, and within a second without it', async () => {
    const { token, user } = await registerTenant(app);
    expect((await app.call('auth.verify', { token })).role).toBe('owner');
    await tenants().updateOne({ _id: user.tenant_id }, { $set: { owners: ['another user'] } });
    await users().updateOne({ _id: user.id }, { $set: { role: 'member' } });
    await app.broker.broadcast('cache.stale', { patterns: [`auth:user:${user.id}`] });
    expect((await app.call('auth.verify', { token })).role).toBe('member');
    await users().deleteOne({ _id: user.id });
    clock.advance(1_001);
    await expect(app.call('auth.verify', { token })).rejects.toMatchObject({ type: 'unauthenticated' });
  });

  test('a lookup during a change is not cached', async () => {
    const { token, user } = await registerTenant(app);
    await tenants().updateOne({ _id: user.tenant_id }, { $set: { owners: ['another user'] } });
    await users().updateOne({ _id: user.id }, { $set: { role: 'member' } });
    const collection = app.app.db.model('User').collection;
    const findOne = collection.findOne.bind(collection);
    const slow = jest.spyOn(collection, 'findOne').mockImplementationOnce((async (...args: []) => {
      const before = await findOne(...args);
      await users().updateOne({ _id: user.id }, { $set: { role: 'admin' } });
      await app.broker.broadcast('cache.stale', { patterns: ['auth:user:x'] });
      return before;
    }) as never);
    await app.call('auth.verify', { token });
    slow.mockRestore();
    expect((await app.call('auth.verify', { token })).role).toBe('admin');
  });

  test('an API key carries its maker, is listed without its value, and is worthless once revoked', async () => {
    const { user } = await registerTenant(app);
    const owner = { tenant_id: user.tenant_id, user_id: user.id };
    const made = await app.call('auth.create_api_key', { name: 'ci' }, owner);
    expect(made.key).toMatch(/^evs_[A-Za-z0-9_-]{43}$/);
    expect(made).toMatchObject({
      name: 'ci',
      prefix: made.key.slice(0, 10),
      note: expect.stringContaining('once'),
      created_by: user.id,
    });
    const verified = await app.call('auth.verify', { token: made.key });
    expect(app.app.principals.verify(verified.principal, clock.now())).toMatchObject({
      kind: 'api_key',
      user_id: user.id,
      role: 'owner',
    });

    const listed = await until('the use is noted', async () => {
      const { data } = await app.call('auth.list_api_keys', {}, owner);
      return data[0]?.last_used_at === null ? null : data;
    });
    expect(listed).toEqual([
      {
        id: made.id,
        name: 'ci',
        prefix: made.prefix,
        scope: 'admin',
        user_id: user.id,
        user: user.email,
        service_account: false,
        created_by: user.id,
        created_at: made.created_at,
        expires_at: null,
        rotated_at: null,
        previous_valid_until: null,
        last_used_at: new Date(clock.now()).toISOString(),
      },
    ]);
    expect(JSON.stringify(await app.app.db.collection('api_keys').find().toArray())).not.toContain(made.key.slice(10));

    await app.call('auth.revoke_api_key', { id: made.id }, owner);
    await expect(app.call('auth.verify', { token: made.key })).rejects.toMatchObject({ type: 'unauthenticated' });
    await expect(app.call('auth.revoke_api_key', { id: made.id }, owner)).rejects.toMatchObject({ type: 'not_found' });
  });

  test('the use of a key is written at most once a minute', async () => {
    const { user } = await registerTenant(app);
    const { key, id } = await app.call(
      'auth.create_api_key',
      { name: 'busy' },
      { tenant_id: user.tenant_id, user_id: user.id },
    );
    const writes = jest.spyOn(app.app.db.model('ApiKey').collection, 'updateOne');
    for (let second = 0; second < 60; second += 1) {
      await app.call('auth.verify', { token: key });
      clock.advance(1_001);
    }
    expect(writes.mock.calls.filter(([filter]) => filter._id === (id as never))).toHaveLength(1);
    await app.call('auth.verify', { token: key });
    expect(writes.mock.calls.filter(([filter]) => filter._id === (id as never))).toHaveLength(2);
    writes.mockRestore();
  });

  test('members see and revoke their own keys, owners all of the tenant, callers of other tenants none', async () => {
    const { user } = await registerTenant(app);
    const owner = { tenant_id: user.tenant_id, user_id: user.id };
    const member = { tenant_id: user.tenant_id, role: 'member', user_id: 'm1' } as const;
    const outsider = { tenant_id: 'elsewhere' };
    const ownersKey = await app.call('auth.create_api_key', { name: "owner's" }, owner);
    clock.advance(1);
    const membersKey = await app.call('auth.create_api_key', { name: "member's" }, member);
    const names = async (actor: Parameters<TestApp['call']>[2]) =>
      (await app.call('auth.list_api_keys', {}, actor)).data.map(({ name }) => name);
    expect(await names(owner)).toEqual(["owner's", "member's"]);
    expect(await names(member)).toEqual(["member's"]);
    expect(await names(outsider)).toEqual([]);
    for (const actor of [member, outsider]) {
      await expect(app.call('auth.revoke_api_key', { id: ownersKey.id }, actor)).rejects.toMatchObject({
        type: 'not_found',
      });
    }
    await app.call('auth.revoke_api_key', { id: membersKey.id }, owner);
  });

  test('a second process follows a revocation within a second', async () => {
    const { user } = await registerTenant(app);
    const owner = { tenant_id: user.tenant_id, user_id: user.id };
    const { key, id } = await app.call('auth.create_api_key', { name: 'both' }, owner);
    const other = await startApp({ services: [authService], clock, database });
    try {
      await other.call('auth.verify', { token: key });
      await app.call('auth.revoke_api_key', { id }, owner);
      clock.advance(1_001);
      await expect(other.call('auth.verify', { token: key })).rejects.toMatchObject({ type: 'unauthenticated' });
    } finally {
      await other.close();
    }
  });
});
