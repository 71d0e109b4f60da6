import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import type { Session } from '../../../contracts/auth/accounts';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { type Deviations, SoftwareAuthenticator } from '../../support/authenticator';
import { ask } from '../../support/http';
import { type MailServer, startMailServer, tokenIn } from '../../support/mail-server';
import { ManualClock } from '../../support/manual-clock';
import { ORIGIN, passkeysOf } from '../../support/passkeys';
import { join, PASSWORD } from '../../support/team';
import { until } from '../../support/until';

let app: TestApp;
let mails: MailServer;
let api: ReturnType<typeof passkeysOf>;
let owner: Session;
let device: SoftwareAuthenticator;
let codes: readonly string[];
let count = 0;
const clock = new ManualClock(Date.now());
beforeAll(async () => {
  mails = await startMailServer();
  app = await startApp({ services: [apiGatewayService, authService, auditService], clock, env: mails.env });
  api = passkeysOf(app);
});
beforeEach(async () => {
  clock.advance(15 * 60_000);
  count += 1;
  owner = await registerTenant(app, { email: `ann${count}@example.com` });
  device = new SoftwareAuthenticator(ORIGIN, true);
  ({ codes } = await api.add(owner.token, 'Laptop', device));
  clock.advance(1);
});
afterAll(async () => {
  await app.close();
  await mails.close();
});

const me = async (token: unknown) => (await ask(app, 'GET /api/v1/me', { token: String(token) })).status;
const login = (email = owner.user.email, password = PASSWORD) =>
  api.post('login', { tenant_slug: owner.tenant.slug, email, password });
const invalid = { status: 401, body: { code: 'invalid_passkey' } };
const sso = (settings: { enabled: boolean; enforce: boolean }) =>
  app.app.db
    .collection<{ _id: string }>('sso_configs')
    .replaceOne({ _id: owner.tenant.id }, { tenant_id: owner.tenant.id, provider: 'oidc', ...settings } as never, {
      upsert: true,
    });

/** What a forged answer differs in, and by whom it is refused. */
const FORGERIES: [string, Deviations][] = [
  ['at another origin', { origin: 'https://evil.example' }],
  ['at another scheme', { origin: 'file://localhost' }],
  ['in an embedded page', { crossOrigin: true }],
  ['for another RP ID', { rpId: 'evil.example' }],
  ['to another challenge', { challenge: 'AAAA' }],
  ['as an answer to another question', { type: 'webauthn.create' }],
  ['without the presence of the user', { userPresent: false }],
  ['with another kind of backup', { backupEligible: false }],
];

describe('a sign-in with a passkey alone', () => {
  test('needs neither workspace nor address, and no other factor', async () => {
    const { options } = await api.challenge();
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] });
    const { status, body } = await api.signIn(device);
    expect([status, body.user, body.tenant]).toEqual([
      200,
      owner.user,
      expect.objectContaining({ id: owner.tenant.id }),
    ]);
    const [session] = (await ask(app, 'GET /api/v1/auth/sessions', { token: body.token as string })).body
      .data as object[];
    expect(session).toMatchObject({ via: 'passkey', current: true });
    const { data } = (await api.list(body.token as string)).body as { data: { last_used_at: string }[] };
    expect(data[0]?.last_used_at).toBe(new Date(clock.now()).toISOString());
  });

  test.each<[string, Deviations]>([
    ...FORGERIES,
    ['without verification of the user', { userVerified: false }],
    ['for another user', { userHandle: Buffer.from('another user').toString('base64url') }],
    ['for no user', { userHandle: null }],
  ])('is refused %s', async (_what, deviations) => {
    expect(await api.signIn(device, deviations)).toMatchObject(invalid);
    expect((await api.signIn(device)).status).toBe(200);
  });

  test('takes a challenge once, for five minutes, whatever comes of it', async () => {
    const { challenge, options } = await api.challenge();
    const passkey = device.get(options);
    const answers = await Promise.all([1, 2, 3].map(() => api.post('passkey', { challenge, passkey })));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '400', '400']);
    expect((await api.post('passkey', { challenge, passkey })).body.code).toBe('sign_in_failed');
    const late = await api.challenge();
    clock.advance(5 * 60_000 + 1);
    expect((await api.post('passkey', { challenge: late.challenge, passkey: device.get(late.options) })).status).toBe(
      400,
    );
  });

  test('refuses the answer to one challenge with another, and texts that are none', async () => {
    const [one, other] = [await api.challenge(), await api.challenge()];
    expect(await api.post('passkey', { challenge: other.challenge, passkey: device.get(one.options) })).toMatchObject(
      invalid,
    );
    const enrolment = (await api.enrolment(owner.token)).body.enrolment;
    const second = ((await login()).body.second_factor as { challenge: string }).challenge;
    for (const challenge of [enrolment, second, 'x'.repeat(400)])
      expect((await api.post('passkey', { challenge, passkey: device.get(one.options) })).body.code).toBe(
        'sign_in_failed',
      );
  });

  test('refuses a counter that does not rise, and takes the next that does', async () => {
    device.counter = 10;
    expect((await api.signIn(device)).status).toBe(200);
    for (const counter of [11, 5, 0]) expect(await api.signIn(device, { counter })).toMatchObject(invalid);
    device.counter = 11;
    expect((await api.signIn(device)).status).toBe(200);
  });

  test('refuses another signature, and a passkey of no account', async () => {
    const { challenge, options } = await api.challenge();
    const forged = { ...new SoftwareAuthenticator(ORIGIN).get(options), id: device.id, rawId: device.id };
    forged.response.userHandle = Buffer.from(owner.user.id).toString('base64url');
    expect(await api.post('passkey', { challenge, passkey: forged })).toMatchObject(invalid);
    expect(await api.signIn(new SoftwareAuthenticator(ORIGIN))).toMatchObject(invalid);
  });

  test('for one account refuses the passkeys of others', async () => {
    const foreign = await registerTenant(app, { email: `eve${count}@example.com` });
    const { device: theirs } = await api.add(foreign.token);
    const mine = { tenant_slug: owner.tenant.slug, email: owner.user.email };
    expect(await api.signIn(theirs, {}, mine)).toMatchObject(invalid);
    expect(await api.signIn(device, {}, { ...mine, email: foreign.user.email })).toMatchObject(invalid);
    expect((await api.signIn(device, {}, mine)).status).toBe(200);
    expect((await api.signIn(theirs)).body.tenant).toMatchObject({ id: foreign.tenant.id });
  });

  test('ends with the membership', async () => {
    const bob = await join(app, owner.token, `bob${count}@example.com`);
    const { device: his } = await api.add(bob.token);
    await ask(app, `DELETE /api/v1/team/members/${bob.user.id}`, { token: owner.token });
    expect(await api.signIn(his)).toMatchObject(invalid);
  });

  test('lets only owners in where single sign-on is enforced, as a password does', async () => {
    const bob = await join(app, owner.token, `bob${count}@example.com`);
    const { device: his } = await api.add(bob.token);
    await sso({ enabled: true, enforce: true });
    expect(await api.signIn(his)).toMatchObject({ status: 403, body: { code: 'sso_required' } });
    expect((await api.signIn(device)).status).toBe(200);
    await sso({ enabled: true, enforce: false });
    expect((await api.signIn(his)).status).toBe(200);
  });

  test('is on record, and so is one that fails', async () => {
    await api.signIn(device, { userVerified: false });
    const { token } = (await api.signIn(device)).body as { token: string };
    const events = async (action: string) =>
      (await ask(app, `GET /api/v1/audit?action=${action}`, { token })).body.data as object[];
    const failed = await until('the failure is on record', async () => (await events('login.fail'))[0]);
    expect(failed).toMatchObject({ target: { id: owner.user.id }, after: { via: 'passkey' } });
    expect((await events('login.succeed'))[0]).toMatchObject({ after: { via: 'passkey', passkey: 'Laptop' } });
  });

  test('is refused after ten failures of a passkey from an address', async () => {
    for (let n = 0; n < 10; n += 1) expect((await api.signIn(device, { userVerified: false })).status).toBe(401);
    expect((await api.signIn(device)).status).toBe(429);
    clock.advance(15 * 60_000);
    expect((await api.signIn(device)).status).toBe(200);
  });

  test('does not outlive the first confirmation of the address by a reset of the password', async () => {
    await api.post('password-reset', { tenant_slug: owner.tenant.slug, email: owner.user.email });
    const token = tokenIn(await mails.next(owner.user.email, 'Set a new password'));
    expect((await api.post('password-reset/confirm', { token, password: 'a new password' })).status).toBe(204);
    const refused = await api.signIn(device);
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(refused.body.error).toContain('before the e-mail address of the account was confirmed');
    clock.advance(2);
    const { body } = await login(owner.user.email, 'a new password');
    const { challenge } = body.second_factor as { challenge: string };
    const { options } = await api.asked('second-factor/passkey', { challenge });
    const done = await api.post('second-factor', { challenge, passkey: device.get(options) });
    const { device: next } = await api.add(done.body.token as string, 'Phone');
    expect((await api.signIn(next)).status).toBe(200);
  });
});

describe('a passkey as second factor', () => {
  /** A login up to its challenge, with what a browser gets for it. */
  const challenged = async (email = owner.user.email) => {
    const { challenge } = (await login(email)).body.second_factor as { challenge: string };
    return api.asked('second-factor/passkey', { challenge });
  };
  const complete = (challenge: string, proof: object) => api.post('second-factor', { challenge, ...proof });

  test('completes a login, once, with or without verification of the user', async () => {
    const first = await login();
    expect(first.body).toMatchObject({
      code: 'second_factor_challenge',
      second_factor: { methods: ['passkey', 'recovery_code'] },
    });
    const { challenge, options } = await challenged();
    expect(options).toMatchObject({ userVerification: 'preferred', allowCredentials: [{ id: device.id }] });
    const done = await complete(challenge, { passkey: device.get(options, { userVerified: false }) });
    expect([done.status, await me(done.body.token)]).toEqual([200, 200]);
    const again = await complete(challenge, { passkey: device.get(options) });
    expect(again).toMatchObject({ status: 400, body: { code: 'sign_in_failed' } });
  });

  test.each(FORGERIES)('is refused %s', async (_what, deviations) => {
    const { challenge, options } = await challenged();
    expect(await complete(challenge, { passkey: device.get(options, deviations) })).toMatchObject(invalid);
    expect((await complete(challenge, { recovery_code: codes[0] })).status).toBe(200);
  });

  test('is that of the user who has shown the password, whatever the challenge', async () => {
    const bob = await join(app, owner.token, `bob${count}@example.com`);
    const foreign = await registerTenant(app, { email: `eve${count}@example.com` });
    const { challenge, options } = await challenged();
    for (const { token } of [bob, foreign]) {
      const { device: theirs } = await api.add(token);
      clock.advance(1);
      expect(await complete(challenge, { passkey: theirs.get(options) })).toMatchObject(invalid);
    }
    const his = await challenged(bob.user.email);
    expect(await complete(his.challenge, { passkey: device.get(options) })).toMatchObject(invalid);
    const alone = await api.challenge();
    expect(await complete(challenge, { passkey: device.get(alone.options) })).toMatchObject(invalid);
  });

  test('is refused once it is removed, and its failures are counted', async () => {
    const { id } = await api.add(owner.token, 'Phone');
    const phone = new SoftwareAuthenticator(ORIGIN);
    const { challenge, options } = await challenged();
    expect(await complete(challenge, { passkey: phone.get(options) })).toMatchObject(invalid);
    const [first] = (await api.list(owner.token)).body.data as { id: string }[];
    expect((await api.remove(owner.token, first?.id ?? '')).status).toBe(204);
    expect(await complete(challenge, { passkey: device.get(options) })).toMatchObject(invalid);
    expect(id).not.toBe(first?.id);
    for (let n = 0; n < 8; n += 1) await complete(challenge, { passkey: phone.get(options) });
    expect((await complete(challenge, { recovery_code: codes[0] })).status).toBe(429);
  });

  test('is not asked for by a challenge that is made up', async () => {
    const { options } = await api.challenge();
    const bare = { challenge: 'x'.repeat(400) };
    expect((await api.post('second-factor/passkey', bare)).body.code).toBe('sign_in_failed');
    expect((await api.post('second-factor', { ...bare, passkey: device.get(options) })).status).toBe(400);
  });
});
