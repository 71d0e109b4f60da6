import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import type { Session } from '../../../contracts/auth/accounts';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { ManualClock } from '../../support/manual-clock';
import { until } from '../../support/until';
import { invite, join, PASSWORD } from '../../support/team';

let app: TestApp;
let owner: Session;
const clock = new ManualClock(Date.now());
beforeAll(async () => {
  app = await startApp({ services: [apiGatewayService, authService], clock, env: { BASE_URL: 'https://flows.test' } });
});
beforeEach(async () => {
  owner = await registerTenant(app);
});
afterAll(() => app.close());

const members = async (token = owner.token) =>
  (await ask(app, 'GET /api/v1/team/members', { token })).body.data as { id: string; email: string; role: string }[];
const invites = async () =>
  (await ask(app, 'GET /api/v1/team/invites', { token: owner.token })).body.data as Record<string, unknown>[];
const accept = (token: string, password = PASSWORD) =>
  ask(app, 'POST /api/v1/auth/accept-invite', { body: { token, password } });
const setRole = (token: string, id: string, role: string) =>
  ask(app, `PUT /api/v1/team/members/${id}/role`, { token, body: { role } });
const remove = (token: string, id: string) => ask(app, `DELETE /api/v1/team/members/${id}`, { token });
const me = async (token: string) => (await ask(app, 'GET /api/v1/me', { token })).status;

/** Runs an action right after the nth read of a collection from now, before the reader continues. */
function interrupted(model: string, how: 'findOne' | 'countDocuments', nth: number, act: () => Promise<unknown>): void {
  const { collection } = app.app.db.model(model);
  const read = collection[how].bind(collection) as (...args: unknown[]) => Promise<unknown>;
  let reads = 0;
  const spy = jest.spyOn(collection, how).mockImplementation((async (...args: unknown[]) => {
    const found = await read(...args);
    reads += 1;
    if (reads === nth) {
      spy.mockRestore();
      await act();
    }
    return found;
  }) as never);
}

describe('an invitation', () => {
  test('is made by an administrator, shows its token only to them, and makes a member who can sign in', async () => {
    clock.advance(1);
    const made = await ask(app, 'POST /api/v1/team/invite', {
      token: owner.token,
      body: { email: ' Bob@Example.com', role: 'admin' },
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      email: 'bob@example.com',
      role: 'admin',
      status: 'pending',
      invited_by: owner.user.id,
      created_at: new Date(clock.now()).toISOString(),
      expires_at: new Date(clock.now() + 7 * 86_400_000).toISOString(),
      invite_url: expect.stringMatching(/^https:\/\/flows\.test\/console\/accept-invite\?token=[\w-]{43}$/),
      mailed: false,
    });
    const token = new URL(made.body.invite_url as string).searchParams.get('token') as string;
    expect(JSON.stringify(await invites())).not.toContain(token);
    expect(JSON.stringify(await app.app.db.collection('invites').find().toArray())).not.toContain(token);

    const accepted = await accept(token);
    expect(accepted).toMatchObject({ status: 200, body: { user: { email: 'bob@example.com', role: 'admin' } } });
    expect(accepted.body.tenant).toEqual(owner.tenant);
    expect(await members(accepted.body.token as string)).toMatchObject([
      { email: 'ann@example.com', role: 'owner', sign_in: ['password'] },
      { email: 'bob@example.com', role: 'admin', sign_in: ['password'], email_verified: false },
    ]);
    const login = { tenant_slug: owner.tenant.slug, email: 'bob@example.com', password: PASSWORD };
    expect((await ask(app, 'POST /api/v1/auth/login', { body: login })).status).toBe(200);
    expect(await invites()).toEqual([]);
  });

  test('works once, also for two at the same time', async () => {
    const token = await invite(app, owner.token, 'bob@example.com');
    const both = await Promise.all([accept(token), accept(token, 'another password')]);
    const [winner, loser] = both.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(winner).toBe(200);
    // A request that is slightly later finds the member; one that is later still finds no invitation.
    expect([400, 409]).toContain(loser);
    expect((await accept(token)).body).toMatchObject({ code: 'invalid_token' });
    expect(await members()).toHaveLength(2);
  });

  test('is worth nothing after seven days, and is shown as expired', async () => {
    const token = await invite(app, owner.token, 'bob@example.com');
    clock.advance(7 * 86_400_000);
    const { token: fresh } = await app.call('auth.login', {
      tenant_slug: owner.tenant.slug,
      email: 'ann@example.com',
      password: PASSWORD,
    });
    expect(await accept(token)).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
    const { body } = await ask(app, 'GET /api/v1/team/invites', { token: fresh });
    expect(body.data).toMatchObject([{ email: 'bob@example.com', status: 'expired' }]);
  });

  test('that is withdrawn while it is being accepted makes no member', async () => {
    const token = await invite(app, owner.token, 'bob@example.com');
    const [row] = await invites();
    interrupted('Invite', 'findOne', 1, () =>
      ask(app, `DELETE /api/v1/team/invites/${row?.id as string}`, { token: owner.token }),
    );
    expect((await accept(token)).body).toMatchObject({ code: 'invalid_token' });
    expect(await members()).toHaveLength(1);
  });

  test('is replaced by another one to the same address', async () => {
    const first = await invite(app, owner.token, 'bob@example.com');
    const second = await invite(app, owner.token, 'bob@example.com', 'admin');
    expect(await invites()).toMatchObject([{ email: 'bob@example.com', role: 'admin' }]);
    expect((await accept(first)).status).toBe(400);
    expect((await accept(second)).body.user).toMatchObject({ role: 'admin' });
  });

  test('is void once withdrawn', async () => {
    const token = await invite(app, owner.token, 'bob@example.com');
    const [row] = await invites();
    const line = `DELETE /api/v1/team/invites/${row?.id as string}` as const;
    expect((await ask(app, line, { token: owner.token })).status).toBe(204);
    expect((await ask(app, line, { token: owner.token })).status).toBe(404);
    expect((await accept(token)).status).toBe(400);
  });

  test('is void once its sender is no longer allowed to invite: the sender knows its token', async () => {
    const admin = await join(app, owner.token, 'eve@example.com', 'admin');
    const kept = await invite(app, admin.token, 'eve2@example.com', 'admin');
    await setRole(owner.token, admin.user.id, 'member');
    expect((await accept(kept)).body).toMatchObject({ code: 'invalid_token' });
    await setRole(owner.token, admin.user.id, 'admin');
    const again = await invite(app, admin.token, 'eve3@example.com', 'admin');
    await remove(owner.token, admin.user.id);
    expect((await accept(again)).body).toMatchObject({ code: 'invalid_token' });
    expect(await members()).toHaveLength(1);
  });

  test('of an admin can make an admin, and no owner; of an owner also that', async () => {
    const admin = await join(app, owner.token, 'adam@example.com', 'admin');
    const asked = (token: string, role: string) =>
      ask(app, 'POST /api/v1/team/invite', { token, body: { email: 'bob@example.com', role } });
    expect((await asked(admin.token, 'owner')).status).toBe(403);
    expect((await asked(admin.token, 'admin')).status).toBe(201);
    expect((await asked(admin.token, 'root')).status).toBe(400);
    const second = await join(app, owner.token, 'olga@example.com', 'owner');
    expect(second.user.role).toBe('owner');
    expect((await remove(second.token, owner.user.id)).status).toBe(204);
  });

  test('to a user who has joined in another way before is void', async () => {
    const token = await invite(app, owner.token, 'bob@example.com');
    const users = app.app.db.collection<{ _id: string }>('users');
    const bob = { _id: 'in-another-way', tenant_id: owner.tenant.id, email: 'bob@example.com', identities: [] };
    await users.insertOne({ ...bob, role: 'member', created_at: new Date() } as never);
    expect((await accept(token)).status).toBe(409);
    expect(await invites()).toEqual([]);
  });

  test('to a member is refused', async () => {
    await join(app, owner.token, 'bob@example.com');
    const body = { email: 'bob@example.com', role: 'member' };
    expect(await ask(app, 'POST /api/v1/team/invite', { token: owner.token, body })).toMatchObject({ status: 409 });
  });

  test('that broke off while it was accepted is accepted by the same token', async () => {
    const token = await invite(app, owner.token, 'olga@example.com', 'owner');
    const broken = jest
      .spyOn(app.app.db.model('Tenant').collection, 'updateOne')
      .mockRejectedValueOnce(new Error('cut'));
    expect((await accept(token)).status).toBe(500);
    broken.mockRestore();
    const [row] = await invites();
    expect((await ask(app, `DELETE /api/v1/team/invites/${row?.id as string}`, { token: owner.token })).status).toBe(
      404,
    );
    expect((await accept(token)).body.user).toMatchObject({ email: 'olga@example.com', role: 'owner' });
    expect(await members()).toHaveLength(2);
  });

  test('guesses are counted by address', async () => {
    const guesses = await Promise.all(Array.from({ length: 25 }, (_, i) => accept(`guess-${i}`)));
    expect(guesses.filter(({ status }) => status === 429)).toHaveLength(5);
    expect(guesses.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('900');
    clock.advance(15 * 60_000);
  });
});

describe('the limit of members', () => {
  let seated = 0;
  /** Members who are simply there. */
  const seat = async (count: number) => {
    const fill = Array.from({ length: count }, () => ({
      _id: `seated-${(seated += 1)}`,
      tenant_id: owner.tenant.id,
      email: `u${seated}@example.com`,
      role: 'member',
      identities: [],
      created_at: new Date(clock.now()),
    }));
    await app.app.db.collection<{ _id: string }>('users').insertMany(fill as never);
    return fill.map(({ _id }) => _id);
  };

  test('refuses an invitation for which there is no seat, counting those that are open', async () => {
    await seat(48);
    await invite(app, owner.token, 'last@example.com');
    await invite(app, owner.token, 'last@example.com');
    const body = { email: 'late@example.com', role: 'member' };
    expect(await ask(app, 'POST /api/v1/team/invite', { token: owner.token, body })).toMatchObject({
      status: 402,
      body: { code: 'quota_exceeded', limit: 'members', max: 50, error: expect.stringContaining('50 members') },
    });
  });

  test('is never passed by a user who takes a seat that was free at the first check', async () => {
    await seat(47);
    const first = await invite(app, owner.token, 'first@example.com');
    const second = await invite(app, owner.token, 'second@example.com');
    await seat(1);
    // Looked at when the request comes, then before the user is made, then after.
    interrupted('User', 'countDocuments', 2, () => accept(first));
    expect(await accept(second)).toMatchObject({ status: 402, body: { code: 'quota_exceeded' } });
    expect(await members()).toHaveLength(50);
  });

  test('is never passed, also not by two who accept at the same time', async () => {
    const [leaving] = await seat(39);
    const tokens = await Promise.all([1, 2, 3].map((i) => invite(app, owner.token, `new${i}@example.com`)));
    await seat(9);
    const answers = await Promise.all(tokens.map((token) => accept(token)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const { status } of answers) expect([200, 402]).toContain(status);
    expect((await members()).length).toBeLessThanOrEqual(50);
    // A refused user has lost nothing: the invitation waits for a seat.
    const refused = tokens.filter((_, i) => answers[i]?.status === 402);
    await remove(owner.token, leaving as string);
    expect((await accept(refused[0] as string)).status).toBe(200);
  });
});

describe('a role', () => {
  test('is changed by an owner, and counts for tokens and API keys at once', async () => {
    const bob = await join(app, owner.token, 'bob@example.com');
    const key = (await ask(app, 'POST /api/v1/api-keys', { token: bob.token, body: { name: 'ci' } })).body
      .key as string;
    expect(await members(key)).toBeUndefined();
    expect(await setRole(owner.token, bob.user.id, 'admin')).toMatchObject({ status: 200, body: { role: 'admin' } });
    expect(await members(key)).toHaveLength(2);
    expect(await members(bob.token)).toHaveLength(2);
    expect((await setRole(bob.token, owner.user.id, 'member')).status).toBe(403);
    await setRole(owner.token, bob.user.id, 'member');
    expect(await members(key)).toBeUndefined();
  });

  test("of an unknown user, or of another tenant's member, is 404", async () => {
    const other = await registerTenant(app);
    for (const id of ['no-such-user', other.user.id]) {
      expect((await setRole(owner.token, id, 'member')).status).toBe(404);
      expect((await remove(owner.token, id)).status).toBe(404);
    }
    expect(await me(other.token)).toBe(200);
  });
});

describe('the last owner', () => {
  test('can neither be demoted nor removed', async () => {
    for (const attempt of [setRole(owner.token, owner.user.id, 'admin'), remove(owner.token, owner.user.id)]) {
      expect(await attempt).toMatchObject({ status: 409, body: { code: 'conflict' } });
    }
    expect(await members()).toMatchObject([{ role: 'owner' }]);
  });

  test('is left when two owners remove or demote each other at the same time, whichever is first', async () => {
    for (let round = 0; round < 12; round += 1) {
      const first = await registerTenant(app);
      const second = await join(app, first.token, 'olga@example.com', 'owner');
      const out = (by: Session, whom: Session, how: number) =>
        how === 0 ? remove(by.token, whom.user.id) : setRole(by.token, whom.user.id, 'member');
      await Promise.all([out(first, second, round % 2), out(second, first, Math.floor(round / 2) % 2)]);
      const tokens = [first.token, second.token];
      const roles = await Promise.all(tokens.map((token) => ask(app, 'GET /api/v1/me', { token })));
      expect(roles.filter(({ body }) => body.role === 'owner').length).toBeGreaterThanOrEqual(1);
    }
  });

  test('is left among many who are demoted, removed and promoted at the same time', async () => {
    const ids = [owner.user.id];
    for (let i = 0; i < 4; i += 1) ids.push((await join(app, owner.token, `o${i}@example.com`, 'owner')).user.id);
    const actor = { tenant_id: owner.tenant.id };
    for (let round = 0; round < 10; round += 1) {
      const acts = [...ids, ...ids].map((id, i) => {
        if ((i + round) % 4 === 3) return app.call('auth.set_role', { id, role: 'owner' }, actor);
        if (round === 9 && i > 6) return app.call('auth.remove_member', { id }, actor);
        return app.call('auth.set_role', { id, role: 'member' }, actor);
      });
      await Promise.allSettled(acts);
      const left = (await app.call('auth.members', {}, actor)).data.filter(({ role }) => role === 'owner');
      expect(left.length).toBeGreaterThanOrEqual(1);
    }
  });
});

test('a user who is removed while being made an owner is no owner, and does not count as the last one', async () => {
  const bob = await join(app, owner.token, 'bob@example.com');
  const byOwner = { tenant_id: owner.tenant.id };
  // The read of the promotion itself; the one before it is for the record of the change.
  interrupted('User', 'findOne', 2, () => app.call('auth.remove_member', { id: bob.user.id }, byOwner));
  const promotion = app.call('auth.set_role', { id: bob.user.id, role: 'owner' }, byOwner);
  await expect(promotion).rejects.toMatchObject({ type: 'not_found' });
  const tenants = app.app.db.collection<{ _id: string; owners: string[] }>('tenants');
  expect((await tenants.findOne({ _id: owner.tenant.id }))?.owners).toEqual([owner.user.id]);
  expect((await remove(owner.token, owner.user.id)).status).toBe(409);
});

describe('a removal', () => {
  test('ends tokens and API keys, frees the address, and is final for the old ones', async () => {
    const bob = await join(app, owner.token, 'bob@example.com');
    const key = (await ask(app, 'POST /api/v1/api-keys', { token: bob.token, body: { name: 'ci' } })).body
      .key as string;
    expect((await remove(owner.token, bob.user.id)).status).toBe(204);
    expect([await me(bob.token), await me(key)]).toEqual([401, 401]);
    expect((await remove(owner.token, bob.user.id)).status).toBe(404);
    expect(await app.app.db.collection('api_keys').countDocuments({ user_id: bob.user.id })).toBe(0);
    const again = await join(app, owner.token, 'bob@example.com');
    expect(again.user.id).not.toBe(bob.user.id);
    expect([await me(bob.token), await me(key), await me(again.token)]).toEqual([401, 401, 200]);
  });

  test('removes the invitations of the removed member, which would hold seats that no user can take', async () => {
    const admin = await join(app, owner.token, 'gone@example.com', 'admin');
    await invite(app, admin.token, 'by-the-gone@example.com');
    await invite(app, owner.token, 'by-the-owner@example.com');
    await remove(owner.token, admin.user.id);
    expect(await invites()).toMatchObject([{ email: 'by-the-owner@example.com' }]);
  });

  test('counts from its first write on, and the sweep finishes what a crash has left', async () => {
    const bob = await join(app, owner.token, 'bob@example.com');
    const cut = jest.spyOn(app.app.db.model('ApiKey').collection, 'deleteMany').mockRejectedValueOnce(new Error('cut'));
    expect((await remove(owner.token, bob.user.id)).status).toBe(500);
    cut.mockRestore();
    clock.advance(1_001);
    expect(await me(bob.token)).toBe(401);
    expect(await members()).toHaveLength(1);
    const users = app.app.db.collection<{ _id: string }>('users');
    expect(await users.countDocuments({ _id: bob.user.id })).toBe(1);
    await until('the record is gone', async () => {
      clock.advance(10 * 60_000);
      return (await users.countDocuments({ _id: bob.user.id })) === 0;
    });
  });
});
