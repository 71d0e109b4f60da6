import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import type { Session } from '../../../contracts/auth/accounts';
import type { SessionView } from '../../../contracts/auth/sessions';
import { registerTenant } from '../../support/accounts';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { ask } from '../../support/http';
import { ManualClock } from '../../support/manual-clock';
import { join, PASSWORD } from '../../support/team';
import { until } from '../../support/until';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0';

let database: TestDatabase;
let near: TestApp;
let far: TestApp;
let owner: Session;
const clock = new ManualClock(Date.now());
beforeAll(async () => {
  database = await openTestDatabase();
  const services = [apiGatewayService, authService, auditService];
  const bus = { transporter: 'Fake', namespace: 'two-nodes-of-sessions' };
  near = await startApp({ services, database, clock, ...bus });
  far = await startApp({ services, database, clock, ...bus });
  await Promise.all([near, far].map(({ broker }) => broker.waitForServices('auth')));
  await until('they know each other', () => near.broker.registry.nodes.count() === 2);
});
beforeEach(async () => {
  owner = await registerTenant(near);
});
afterAll(async () => {
  await Promise.all([near.close(), far.close()]);
  await database.close();
});

const me = async (token: string, on = near) => (await ask(on, 'GET /api/v1/me', { token })).status;
const everywhere = async (token: string) => [await me(token), await me(token, far)];
const login = async (email = owner.user.email, userAgent = FIREFOX): Promise<string> => {
  const body = { tenant_slug: owner.tenant.slug, email, password: PASSWORD };
  const answer = await ask(near, 'POST /api/v1/auth/login', { body, headers: { 'user-agent': userAgent } });
  return answer.body.token as string;
};
const list = async (token: string, query = '') =>
  (await ask(near, `GET /api/v1/auth/sessions${query}`, { token })).body.data as SessionView[];
const end = async (token: string, id: string) =>
  (await ask(near, `DELETE /api/v1/auth/sessions/${id}`, { token })).status;
const currentOf = async (token: string) => (await list(token)).find(({ current }) => current) as SessionView;

describe('the list of sessions', () => {
  test('has how, where and when each began, newest first, and marks the one that asks', async () => {
    clock.advance(1_000);
    const token = await login();
    const began = new Date(clock.now());
    const lifetime = 12 * 3_600_000;
    const sessions = await list(token);
    expect(sessions).toEqual([
      {
        id: expect.any(String),
        via: 'password',
        device: 'Firefox on Linux',
        address: '127.0.0.1',
        created_at: began.toISOString(),
        last_used_at: began.toISOString(),
        expires_at: new Date(began.getTime() + lifetime).toISOString(),
        current: true,
      },
      expect.objectContaining({ via: 'registration', current: false }),
    ]);
    expect(await list(token, '?limit=1&offset=1')).toHaveLength(1);
    clock.advance(lifetime + 1_000);
    expect(await list(await login())).toHaveLength(1);
  });

  test('says when a session was last used, to five minutes', async () => {
    const { id, last_used_at } = await currentOf(owner.token);
    clock.advance(6 * 60_000);
    await me(owner.token);
    await until('the use is recorded', async () => (await currentOf(owner.token)).last_used_at !== last_used_at);
    const used = await currentOf(owner.token);
    expect(used).toMatchObject({ id, last_used_at: new Date(clock.now()).toISOString() });
    clock.advance(60_000);
    expect(await me(owner.token)).toBe(200);
    expect(await currentOf(owner.token)).toEqual(used);
  });

  test('is of the caller alone, and closed to API keys', async () => {
    const bob = await join(near, owner.token, 'bob@example.com');
    const foreign = await registerTenant(near);
    expect((await list(bob.token)).map(({ via }) => via)).toEqual(['invitation']);
    const { id } = await currentOf(bob.token);
    expect([await end(owner.token, id), await end(foreign.token, id)]).toEqual([404, 404]);
    const { body: key } = await ask(near, 'POST /api/v1/api-keys', { token: bob.token, body: { name: 'ci' } });
    expect(await ask(near, 'GET /api/v1/auth/sessions', { token: key.key as string })).toMatchObject({ status: 403 });
    expect(await end(key.key as string, id)).toBe(403);
    expect(await me(bob.token)).toBe(200);
  });
});

describe('a session that is ended', () => {
  test('is refused on every node at once, and the others are not', async () => {
    const other = await login();
    const { id } = await currentOf(other);
    expect([...(await everywhere(other)), ...(await everywhere(owner.token))]).toEqual([200, 200, 200, 200]);
    expect(await end(owner.token, id)).toBe(204);
    expect([...(await everywhere(other)), ...(await everywhere(owner.token))]).toEqual([401, 401, 200, 200]);
    expect(await list(owner.token)).toHaveLength(1);
    expect(await end(owner.token, id)).toBe(404);
  });

  test('with all others, leaves the one that asked, until another one does the same', async () => {
    const others = [await login(), await login()];
    for (const token of others) expect(await everywhere(token)).toEqual([200, 200]);
    const endOthers = (token: string) => ask(near, 'DELETE /api/v1/auth/sessions', { token });
    expect((await endOthers(owner.token)).status).toBe(204);
    for (const token of others) expect(await everywhere(token)).toEqual([401, 401]);
    expect(await everywhere(owner.token)).toEqual([200, 200]);
    expect((await list(owner.token)).map(({ current }) => current)).toEqual([true]);
    const next = await login();
    expect((await endOthers(next)).status).toBe(204);
    expect([...(await everywhere(next)), ...(await everywhere(owner.token))]).toEqual([200, 200, 401, 401]);
    clock.advance(2);
    // The session that was spared is not spared by what ends all of them.
    await ask(near, 'POST /api/v1/auth/logout', { token: next, body: { everywhere: true } });
    expect(await everywhere(next)).toEqual([401, 401]);
  });

  test('does not come back when sign-ins and ends happen at the same time', async () => {
    const tokens = await Promise.all([login(), login(), login()]);
    const ids = await Promise.all(tokens.map(async (token) => (await currentOf(token)).id));
    await Promise.all([...ids.map((id) => end(owner.token, id)), ...tokens.map((token) => me(token)), login()]);
    for (const token of tokens) expect(await everywhere(token)).toEqual([401, 401]);
    expect(await me(owner.token)).toBe(200);
  });
});

test('a token of a version without records of sessions stays valid, and ends with the others', async () => {
  const old = await login();
  await near.app.db.collection<{ _id: string }>('sessions').deleteOne({ _id: (await currentOf(old)).id });
  expect(await everywhere(old)).toEqual([200, 200]);
  expect((await list(old)).map(({ via }) => via)).toEqual(['registration']);
  await ask(near, 'DELETE /api/v1/auth/sessions', { token: owner.token });
  expect(await everywhere(old)).toEqual([401, 401]);
});

describe("a member's sessions", () => {
  const endAll = async (token: string, id: string) =>
    (await ask(near, `DELETE /api/v1/team/members/${id}/sessions`, { token })).status;

  test('are ended by admins, those of owners by owners alone', async () => {
    const admin = await join(near, owner.token, 'adam@example.com', 'admin');
    const bob = await join(near, owner.token, 'bob@example.com');
    const foreign = await registerTenant(near);
    expect(await everywhere(bob.token)).toEqual([200, 200]);
    expect([await endAll(bob.token, admin.user.id), await endAll(foreign.token, bob.user.id)]).toEqual([403, 404]);
    expect([await endAll(admin.token, owner.user.id), await me(owner.token)]).toEqual([403, 200]);
    expect([await endAll(admin.token, bob.user.id), ...(await everywhere(bob.token))]).toEqual([204, 401, 401]);
    expect([await endAll(owner.token, owner.user.id), await me(owner.token)]).toEqual([204, 401]);
  });

  test('are gone with the member', async () => {
    const bob = await join(near, owner.token, 'bob@example.com');
    await ask(near, `DELETE /api/v1/team/members/${bob.user.id}`, { token: owner.token });
    expect(await near.app.db.collection('sessions').countDocuments({ user_id: bob.user.id })).toBe(0);
  });
});

test('each end of a session is on record', async () => {
  const bob = await join(near, owner.token, 'bob@example.com');
  const { id } = await currentOf(await login());
  await end(owner.token, id);
  await ask(near, 'DELETE /api/v1/auth/sessions', { token: owner.token });
  await ask(near, `DELETE /api/v1/team/members/${bob.user.id}/sessions`, { token: owner.token });
  const { body } = await ask(near, 'GET /api/v1/audit?limit=3', { token: owner.token });
  expect(body.data).toMatchObject([
    { action: 'member.end_sessions', target: { id: bob.user.id } },
    { action: 'session.end_others', target: { id: owner.user.id } },
    { action: 'session.end', target: { type: 'session', id, name: 'Firefox on Linux' } },
  ]);
});
