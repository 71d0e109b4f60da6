import { Secret, TOTP } from 'otpauth';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { channelsService } from '../../../services/channels/channels.service';
import { authService } from '../../../services/auth/auth.service';
import type { Session } from '../../../contracts/auth/accounts';
import { removeFactors, waiveFactors } from '../../../services/auth/factors/operator';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask, type HttpAnswer } from '../../support/http';
import { ManualClock } from '../../support/manual-clock';
import { join, PASSWORD } from '../../support/team';
import { until } from '../../support/until';

const STEP_MS = 30_000;
const TEN_MINUTES = 10 * 60_000;

let app: TestApp;
let owner: Session;
const clock = new ManualClock(Date.now());
beforeAll(async () => {
  app = await startApp({ services: [apiGatewayService, authService, auditService, channelsService], clock });
});
beforeEach(async () => {
  clock.advance(15 * 60_000);
  owner = await registerTenant(app);
});
afterAll(() => app.close());

const codeOf = (secret: string, at = clock.now()) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });
const post = (path: string, body: object = {}, token: string | null = owner.token) =>
  ask(app, `POST /api/v1/auth/${path}`, { token, body });
const me = async (token: string) => (await ask(app, 'GET /api/v1/me', { token })).status;
const login = (email = owner.user.email, password = PASSWORD) =>
  post('login', { tenant_slug: owner.tenant.slug, email, password }, null);
const challengeOf = ({ body }: HttpAnswer) => (body.second_factor as { challenge: string }).challenge;
const complete = (challenge: string, proof: object) => post('second-factor', { challenge, ...proof }, null);

/** Adds an authenticator app; the code of the next step is the first that a sign-in can use. */
async function enrol(token = owner.token): Promise<{ secret: string; codes: string[] }> {
  const { body } = await post('totp', {}, token);
  const secret = body.secret as string;
  const confirmed = await post('totp/confirm', { enrolment: body.enrolment, code: codeOf(secret) }, token);
  expect(confirmed.status).toBe(200);
  clock.advance(STEP_MS);
  return { secret, codes: confirmed.body.recovery_codes as string[] };
}

describe('an authenticator app', () => {
  test('is enrolled by its first code, ends the other sessions, and comes with ten recovery codes', async () => {
    const other = (await login()).body.token as string;
    const { body } = await post('totp');
    expect(body).toMatchObject({ uri: expect.stringContaining(`secret=${body.secret as string}`) });
    expect(await post('totp/confirm', { enrolment: body.enrolment, code: '000000' })).toMatchObject({
      status: 401,
      body: { code: 'invalid_code' },
    });
    expect((await login()).status).toBe(200);
    const confirmed = await post('totp/confirm', { enrolment: body.enrolment, code: codeOf(body.secret as string) });
    const codes = confirmed.body.recovery_codes as string[];
    expect(new Set(codes).size).toBe(10);
    expect([await me(owner.token), await me(other)]).toEqual([200, 401]);
    const stored = JSON.stringify(await app.app.db.collection('users').find().toArray());
    for (const secret of [body.secret as string, ...codes]) expect(stored).not.toContain(secret);
    expect((await post('totp')).status).toBe(409);
  });

  test('of one user is not confirmed by another, and API keys add none', async () => {
    const bob = await join(app, owner.token, 'bob@example.com');
    const { body } = await post('totp');
    const proof = { enrolment: body.enrolment, code: codeOf(body.secret as string) };
    expect((await post('totp/confirm', proof, bob.token)).status).toBe(400);
    const { body: key } = await ask(app, 'POST /api/v1/api-keys', { token: owner.token, body: { name: 'ci' } });
    expect((await post('totp', {}, key.key as string)).status).toBe(403);
  });
});

describe('a sign-in to an account with a second factor', () => {
  test('is answered with a challenge, which a code completes once', async () => {
    const { secret } = await enrol();
    const first = await login();
    expect(first).toMatchObject({
      status: 401,
      body: { code: 'second_factor_challenge', second_factor: { methods: ['totp', 'recovery_code'] } },
    });
    expect(first.body.token).toBeUndefined();
    const challenge = challengeOf(first);
    expect(await me(challenge)).toBe(401);
    const done = await complete(challenge, { code: codeOf(secret) });
    expect(done).toMatchObject({ status: 200, body: { user: owner.user } });
    expect(await me(done.body.token as string)).toBe(200);
    clock.advance(STEP_MS);
    const again = await complete(challenge, { code: codeOf(secret) });
    expect(again).toMatchObject({ status: 400, body: { code: 'sign_in_failed' } });
  });

  test('takes a code of the step before and after, each step once, and none that is older', async () => {
    const { secret } = await enrol();
    clock.advance(4 * STEP_MS);
    const tried = async (shift: number) =>
      (await complete(challengeOf(await login()), { code: codeOf(secret, clock.now() + shift * STEP_MS) })).status;
    expect([await tried(-2), await tried(2)]).toEqual([401, 401]);
    expect([await tried(-1), await tried(-1), await tried(0)]).toEqual([200, 401, 200]);
    expect([await tried(-1), await tried(1), await tried(1)]).toEqual([401, 200, 401]);
  });

  test('needs the right password first, and the answer to a wrong one shows nothing', async () => {
    await enrol();
    expect(await login(owner.user.email, 'wrong')).toMatchObject({ status: 401, body: { code: 'invalid_login' } });
  });

  test('succeeds once when a code, a challenge or a recovery code is sent many times at once', async () => {
    const { secret, codes } = await enrol();
    const successes = async (proofs: readonly (readonly [string, object])[]) => {
      const answers = await Promise.all(proofs.map(([challenge, proof]) => complete(challenge, proof)));
      return answers.filter(({ status }) => status === 200).length;
    };
    const challenges = (await Promise.all([login(), login(), login()])).map(challengeOf) as [string, string, string];
    const code = codeOf(secret);
    expect(await successes(challenges.map((challenge) => [challenge, { code }] as const))).toBe(1);
    clock.advance(STEP_MS);
    const recovery_code = codes[0];
    const fresh = (await Promise.all([login(), login(), login()])).map(challengeOf);
    expect(await successes(fresh.map((challenge) => [challenge, { recovery_code }] as const))).toBe(1);
    const one = challengeOf(await login());
    expect(await successes([1, 2, 3].map((n) => [one, { recovery_code: codes[n] }] as const))).toBe(1);
  });

  test('takes each recovery code once, and those that were replaced not at all', async () => {
    const { codes } = await enrol();
    const used = async (code: string | undefined) =>
      (await complete(challengeOf(await login()), { recovery_code: code })).status;
    expect([await used(codes[0]?.toUpperCase().replaceAll('-', ' ')), await used(codes[0])]).toEqual([200, 401]);
    const renewed = await post('recovery-codes');
    const next = renewed.body.recovery_codes as string[];
    expect([await used(codes[1]), await used(next[0])]).toEqual([401, 200]);
  });

  test('ends after five minutes, with a change of the password, and with the sessions', async () => {
    const { secret, codes } = await enrol();
    const late = challengeOf(await login());
    clock.advance(5 * 60_000 + 1);
    expect((await complete(late, { code: codeOf(secret) })).status).toBe(400);
    const before = challengeOf(await login());
    await ask(app, 'DELETE /api/v1/auth/sessions', { token: owner.token });
    expect((await complete(before, { recovery_code: codes[0] })).status).toBe(400);
    clock.advance(2);
    const then = challengeOf(await login());
    await post('password', { current_password: PASSWORD, new_password: 'a new password' });
    expect((await complete(then, { recovery_code: codes[0] })).status).toBe(400);
    expect((await complete('x'.repeat(500), { code: '123456' })).status).toBe(400);
  });

  test('counts wrong codes of an account, whatever challenge they come with, and refuses the right one then', async () => {
    const { secret } = await enrol();
    for (let n = 0; n < 10; n += 1)
      expect((await complete(challengeOf(await login()), { code: `00000${n}` })).status).toBe(401);
    expect(await complete(challengeOf(await login()), { code: codeOf(secret) })).toMatchObject({ status: 429 });
    clock.advance(15 * 60_000);
    expect((await complete(challengeOf(await login()), { code: codeOf(secret) })).status).toBe(200);
  });
});

describe('changes of second factors', () => {
  test('need a session whose person was confirmed in the last ten minutes', async () => {
    const { secret } = await enrol();
    clock.advance(TEN_MINUTES);
    const remove = () => ask(app, 'DELETE /api/v1/auth/totp', { token: owner.token });
    expect(await remove()).toMatchObject({ status: 403, body: { code: 'reauthentication_required' } });
    expect((await post('recovery-codes')).status).toBe(403);
    expect((await post('confirm', { password: 'wrong' })).status).toBe(403);
    expect((await post('confirm', { code: '000000' })).status).toBe(401);
    expect((await post('confirm')).status).toBe(400);
    expect((await post('confirm', { code: codeOf(secret) })).status).toBe(204);
    expect((await post('recovery-codes')).status).toBe(200);
    clock.advance(TEN_MINUTES + 1);
    expect((await remove()).status).toBe(403);
    expect((await post('confirm', { password: PASSWORD })).status).toBe(204);
    expect((await remove()).status).toBe(204);
    expect((await login()).status).toBe(200);
    expect((await remove()).status).toBe(404);
  });

  test('of a member who has lost the factor are made by owners alone, and end the sessions of the member', async () => {
    const bob = await join(app, owner.token, 'bob@example.com');
    const admin = await join(app, owner.token, 'adam@example.com', 'admin');
    await enrol(bob.token);
    const reset = async (token: string) =>
      (await ask(app, `DELETE /api/v1/team/members/${bob.user.id}/second-factor`, { token })).status;
    expect([await reset(admin.token), await reset((await registerTenant(app)).token)]).toEqual([403, 404]);
    expect((await login(bob.user.email)).status).toBe(401);
    expect([await reset(owner.token), await me(bob.token)]).toEqual([204, 401]);
    expect((await login(bob.user.email)).status).toBe(200);
  });

  test('and sign-ins by them are on record, without codes and secrets', async () => {
    const { secret, codes } = await enrol();
    await complete(challengeOf(await login()), { code: '000000' });
    await complete(challengeOf(await login()), { code: codeOf(secret) });
    const events = async () => (await ask(app, 'GET /api/v1/audit', { token: owner.token })).body.data;
    const actions = async () => ((await events()) as { action: string }[]).map(({ action }) => action).toSorted();
    await until('the failure is on record', async () => (await actions()).length === 3);
    expect(await actions()).toEqual(['login.succeed', 'second_factor.enrol', 'second_factor.fail']);
    const text = JSON.stringify(await events());
    for (const each of [secret, ...codes]) expect(text).not.toContain(each);
  });
});

describe('what a client shows of the caller', () => {
  const account = async (token: string) => (await ask(app, 'GET /api/v1/auth/me', { token })).body;

  test('has the session, the second factors, the plan, and the ways to sign in', async () => {
    const { body: key } = await ask(app, 'POST /api/v1/api-keys', { token: owner.token, body: { name: 'ci' } });
    const none = { required: false, must_enrol: false, methods: [], totp_enrolled_at: null, recovery_codes_left: 0 };
    expect(await account(owner.token)).toMatchObject({
      user: { id: owner.user.id, email: owner.user.email, role: 'owner', second_factor: false },
      tenant: { id: owner.tenant.id },
      credential: 'user',
      session: { via: 'registration', current: true },
      second_factor: none,
      plan: { name: 'free', limits: { members: 50 } },
      sign_in_methods: { password: true, password_reset: false, suite: false },
    });
    expect(await account(key.key as string)).toMatchObject({ credential: 'api_key', session: null });
    await enrol();
    const methods = ['totp', 'recovery_code'];
    expect((await account(owner.token)).second_factor).toMatchObject({ methods, recovery_codes_left: 10 });
    expect((await ask(app, 'GET /api/v1/auth/methods')).body).toEqual({
      password: true,
      passkey: true,
      password_reset: false,
      suite: false,
    });
  });
});

describe('a workspace that requires a second factor', () => {
  const requireFactor = (token = owner.token) =>
    ask(app, 'PUT /api/v1/tenant/settings', { token, body: { require_second_factor: true } });
  const members = (token: string) => ask(app, 'GET /api/v1/team/members', { token });

  test('is made by an owner who has one', async () => {
    const admin = await join(app, owner.token, 'adam@example.com', 'admin');
    expect((await requireFactor(admin.token)).status).toBe(403);
    expect((await requireFactor()).status).toBe(409);
    await enrol();
    expect(await requireFactor()).toMatchObject({ status: 200, body: { settings: { require_second_factor: true } } });
    expect((await members(owner.token)).status).toBe(200);
    expect((await ask(app, 'DELETE /api/v1/auth/totp', { token: owner.token })).status).toBe(409);
  });

  test('lets members without one set one up, and do nothing else until they have; API keys go on', async () => {
    const admin = await join(app, owner.token, 'adam@example.com', 'admin');
    const { body: key } = await ask(app, 'POST /api/v1/api-keys', { token: admin.token, body: { name: 'ci' } });
    expect((await members(admin.token)).status).toBe(200);
    await enrol();
    await requireFactor();
    const { token } = (await login(admin.user.email)).body as { token: string };
    for (const each of [admin.token, token]) {
      const refused = { status: 403, body: { code: 'second_factor_required' } };
      expect(await members(each)).toMatchObject(refused);
      expect(await ask(app, 'GET /api/v1/tenant', { token: each })).toMatchObject(refused);
      expect(await ask(app, 'POST /api/v1/api-keys', { token: each, body: { name: 'way out' } })).toMatchObject(
        refused,
      );
      expect(await me(each)).toBe(200);
    }
    expect((await members(key.key as string)).status).toBe(200);
    await enrol(token);
    expect([(await members(token)).status, await me(admin.token)]).toEqual([200, 401]);
  });

  test('does not answer again, for an Idempotency-Key, what it answered before', async () => {
    const admin = await join(app, owner.token, 'adam@example.com', 'admin');
    const create = () => {
      const headers = { 'idempotency-key': 'one' };
      return ask(app, 'POST /api/v1/api-keys', { token: admin.token, body: { name: 'ci' }, headers });
    };
    expect((await create()).status).toBe(201);
    await enrol();
    await requireFactor();
    expect(await create()).toMatchObject({ status: 403, body: { code: 'second_factor_required' } });
  });
});

describe('the command of the operator', () => {
  const parts = () => ({ db: app.app.db, audit: app.app.audit, now: clock.now() });
  const events = async (action: string) =>
    (await ask(app, `GET /api/v1/audit?action=${action}`, { token: owner.token })).body.data as Record<
      string,
      unknown
    >[];

  test('removes the second factors of an account, ends its sessions and is in the audit log', async () => {
    await enrol();
    await expect(removeFactors(parts(), owner.tenant.slug, 'unknown@example.com')).rejects.toThrow('has no member');
    await removeFactors(parts(), owner.tenant.slug, owner.user.email.toUpperCase());
    clock.advance(2_000);
    const { status, body } = await login();
    expect(status).toBe(200);
    expect(await me(owner.token)).toBe(401);
    owner = { ...owner, token: body.token as string };
    expect(await events('member.reset_second_factor')).toMatchObject([
      { actor: { type: 'service', id: null }, target: { type: 'user', id: owner.user.id, name: owner.user.email } },
    ]);
    const verdict = await ask(app, 'GET /api/v1/audit/verify', { token: owner.token });
    expect(verdict.body).toMatchObject({ valid: true });
  });

  test('lets a tenant go without a second factor', async () => {
    await enrol();
    await ask(app, 'PUT /api/v1/tenant/settings', { token: owner.token, body: { require_second_factor: true } });
    await waiveFactors(parts(), owner.tenant.slug);
    clock.advance(2_000);
    const { body } = await ask(app, 'GET /api/v1/tenant', { token: owner.token });
    expect(body.settings).toMatchObject({ require_second_factor: false });
    expect((await events('settings.update'))[0]).toMatchObject({
      actor: { type: 'service' },
      before: { require_second_factor: true },
      after: { require_second_factor: false },
    });
    await expect(waiveFactors(parts(), 'no-such-tenant')).rejects.toThrow('There is no tenant');
  });
});
