import { Secret, TOTP } from 'otpauth';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import type { Session } from '../../../contracts/auth/accounts';
import { removeFactors } from '../../../services/auth/factors/operator';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { type CreationOptions, type Deviations, encodeCbor, SoftwareAuthenticator } from '../../support/authenticator';
import { ask } from '../../support/http';
import { type MailServer, startMailServer } from '../../support/mail-server';
import { ManualClock } from '../../support/manual-clock';
import { ORIGIN, passkeysOf } from '../../support/passkeys';
import { join, PASSWORD } from '../../support/team';

const TEN_MINUTES = 10 * 60_000;

let app: TestApp;
let mails: MailServer;
let api: ReturnType<typeof passkeysOf>;
let owner: Session;
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
});
afterAll(async () => {
  await app.close();
  await mails.close();
});

const device = () => new SoftwareAuthenticator(ORIGIN);
const me = async (token: string) => (await ask(app, 'GET /api/v1/me', { token })).status;
const login = () => api.post('login', { tenant_slug: owner.tenant.slug, email: owner.user.email, password: PASSWORD });
const account = async (token = owner.token) => (await ask(app, 'GET /api/v1/auth/me', { token })).body;
const addTotp = async (token = owner.token) => {
  const { body } = await api.post('totp', {}, token);
  const totp = new TOTP({ secret: Secret.fromBase32(body.secret as string) });
  const code = totp.generate({ timestamp: clock.now() });
  return api.post('totp/confirm', { enrolment: body.enrolment, code }, token);
};
const removeTotp = () => ask(app, 'DELETE /api/v1/auth/totp', { token: owner.token });
const requireFactor = () =>
  ask(app, 'PUT /api/v1/tenant/settings', { token: owner.token, body: { require_second_factor: true } });

describe('a passkey', () => {
  test('is added after its check, ends the other sessions, and comes with ten recovery codes', async () => {
    const other = (await login()).body.token as string;
    const { body } = await api.enrolment(owner.token);
    expect(body.options).toMatchObject({
      rp: { id: 'localhost' },
      user: { name: `${owner.user.email} (${owner.tenant.slug})` },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
      excludeCredentials: [],
    });
    const key = device();
    const passkey = key.create(body.options as CreationOptions);
    const added = await api.post('passkeys', { enrolment: body.enrolment, passkey, name: ' Laptop ' }, owner.token);
    expect(added).toMatchObject({
      status: 201,
      body: { passkey: { name: 'Laptop', backup_eligible: true, backed_up: true, last_used_at: null } },
    });
    expect(new Set(added.body.recovery_codes as string[]).size).toBe(10);
    expect([await me(owner.token), await me(other)]).toEqual([200, 401]);
    expect(await account()).toMatchObject({
      user: { second_factor: true, sign_in: ['password', 'passkey'] },
      second_factor: { passkeys: 1, methods: ['passkey', 'recovery_code'], recovery_codes_left: 10 },
      sign_in_methods: { passkey: true },
    });
    const mail = await mails.next(owner.user.email, 'The second factor of your account');
    expect(mail.text).toContain('A passkey was added, and other sessions were ended.');
    const again = await api.enrolment(owner.token);
    expect(again.body.options).toMatchObject({ excludeCredentials: [{ id: key.id, transports: ['internal'] }] });
  });

  test('that is the second one ends no session and brings no codes', async () => {
    await api.add(owner.token);
    const { token } = (await api.signIn((await api.add(owner.token, 'Phone')).device)).body as { token: string };
    const { codes } = await api.add(owner.token, 'Key');
    expect([codes, await me(token)]).toEqual([[], 200]);
    const { data } = (await api.list(token)).body as { data: { name: string }[] };
    expect(data.map(({ name }) => name)).toEqual(['Laptop', 'Phone', 'Key']);
  });

  test('is named after the browser where no name is given', async () => {
    const { body } = await api.enrolment(owner.token);
    const added = await ask(app, 'POST /api/v1/auth/passkeys', {
      token: owner.token,
      body: { enrolment: body.enrolment, passkey: device().create(body.options as CreationOptions) },
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0' },
    });
    expect(added.body.passkey).toMatchObject({ name: 'Firefox on Linux' });
  });

  test('is renamed and removed by its user alone', async () => {
    const { id, device: key } = await api.add(owner.token);
    const bob = await join(app, owner.token, `bob${count}@example.com`);
    const rename = (token: string) =>
      ask(app, `PUT /api/v1/auth/passkeys/${id}`, { token, body: { name: 'Old laptop' } });
    expect([(await rename(bob.token)).status, (await api.remove(bob.token, id)).status]).toEqual([404, 404]);
    expect(await rename(owner.token)).toMatchObject({ status: 200, body: { id, name: 'Old laptop' } });
    expect((await api.remove(owner.token, id)).status).toBe(204);
    expect((await api.remove(owner.token, id)).status).toBe(404);
    expect((await account()).second_factor).toMatchObject({ methods: [], recovery_codes_left: 0 });
    expect(await api.signIn(key)).toMatchObject({ status: 401, body: { code: 'invalid_passkey' } });
    expect((await login()).status).toBe(200);
  });

  test('is one of at most twenty', async () => {
    for (let n = 0; n < 19; n += 1) await api.add(owner.token, `Key ${n}`);
    const pending = await Promise.all([1, 2].map(() => api.enrolment(owner.token)));
    const answers = await Promise.all(
      pending.map(({ body }) =>
        api.post(
          'passkeys',
          { enrolment: body.enrolment, passkey: device().create(body.options as CreationOptions) },
          owner.token,
        ),
      ),
    );
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['201', '409']);
    expect(await api.enrolment(owner.token)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  test('changes only in a session that was confirmed in the last ten minutes, also by a passkey', async () => {
    const { device: key, id } = await api.add(owner.token);
    clock.advance(TEN_MINUTES + 1);
    const refused = { status: 403, body: { code: 'reauthentication_required' } };
    expect(await api.enrolment(owner.token)).toMatchObject(refused);
    expect(await api.remove(owner.token, id)).toMatchObject(refused);
    const { challenge, options } = await api.asked('confirm/passkey', {}, owner.token);
    const confirm = (passkey: object) => api.post('confirm', { challenge, passkey }, owner.token);
    expect((await confirm(key.get(options))).status).toBe(204);
    expect(await confirm(key.get(options))).toMatchObject({ status: 400, body: { code: 'sign_in_failed' } });
    expect((await api.remove(owner.token, id)).status).toBe(204);
  });

  test('confirms with its user verified, and for its own user alone', async () => {
    const { device: key } = await api.add(owner.token);
    const bob = await join(app, owner.token, `bob${count}@example.com`);
    await api.add(bob.token);
    const unverified = await api.asked('confirm/passkey', {}, owner.token);
    const passkey = key.get(unverified.options, { userVerified: false });
    expect((await api.post('confirm', { challenge: unverified.challenge, passkey }, owner.token)).status).toBe(401);
    const { challenge, options } = await api.asked('confirm/passkey', {}, owner.token);
    expect((await api.post('confirm', { challenge, passkey: key.get(options) }, bob.token)).status).toBe(400);
  });

  test('is not added by API keys', async () => {
    const { body } = await ask(app, 'POST /api/v1/api-keys', { token: owner.token, body: { name: 'ci' } });
    expect((await api.enrolment(body.key as string)).status).toBe(403);
  });
});

describe('an enrolment', () => {
  const refusedBy = async (deviations: Deviations) => (await api.enrol(owner.token, device(), deviations)).body.code;

  test.each<[string, Deviations]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['an embedded page', { crossOrigin: true }],
    ['another RP ID', { rpId: 'evil.example' }],
    ['another challenge', { challenge: 'AAAA' }],
    ['an answer to another question', { type: 'webauthn.get' }],
    ['a user that was not verified', { userVerified: false }],
    ['a user that was not present', { userPresent: false }],
  ])('is refused with %s', async (_what, deviations) => {
    expect(await refusedBy(deviations)).toBe('invalid_passkey');
    expect(((await api.list(owner.token)).body.data as unknown[]).length).toBe(0);
  });

  test('works once, for fifteen minutes, and for its user', async () => {
    const bob = await join(app, owner.token, `bob${count}@example.com`);
    const [mine, late] = [await api.enrolment(owner.token), await api.enrolment(owner.token)];
    const add = ({ body }: typeof mine, token: string, key = device()) =>
      api.post('passkeys', { enrolment: body.enrolment, passkey: key.create(body.options as CreationOptions) }, token);
    expect((await add(mine, bob.token)).body.code).toBe('sign_in_failed');
    expect((await add(mine, owner.token)).status).toBe(201);
    expect((await add(mine, owner.token)).body.code).toBe('sign_in_failed');
    clock.advance(15 * 60_000 + 1);
    await api.post('confirm', { password: PASSWORD }, owner.token);
    expect((await add(late, owner.token)).body.code).toBe('sign_in_failed');
  });

  test('does not take a credential that an account, here or in another tenant, has already', async () => {
    const key = device();
    await api.add(owner.token, 'Laptop', key);
    const foreign = await registerTenant(app, { email: `eve${count}@example.com` });
    for (const { token } of [owner, foreign])
      expect(await api.enrol(token, key)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  test('takes no attestation with certificates, and no bytes that are no CBOR', async () => {
    const add = async (attestationObject: (made: string) => string) => {
      const { body } = await api.enrolment(owner.token);
      const made = device().create(body.options as CreationOptions);
      const response = { ...made.response, attestationObject: attestationObject(made.response.attestationObject) };
      return api.post('passkeys', { enrolment: body.enrolment, passkey: { ...made, response } }, owner.token);
    };
    const certified = new Map<string, unknown>([
      ['fmt', 'packed'],
      ['attStmt', new Map<string, unknown>([['x5c', [Buffer.from('no certificate')]]])],
      ['authData', Buffer.alloc(37)],
    ]);
    const refused = await add(() => encodeCbor(certified).toString('base64url'));
    expect(refused).toMatchObject({ status: 401, body: { code: 'invalid_passkey' } });
    expect(refused.body.error).toContain('certificates');
    // Arrays in arrays, as deep as the length allows.
    const deep = Buffer.alloc(6_000, 0x81).toString('base64url');
    for (const text of [deep, 'AAAA', Buffer.alloc(6_000, 0xff).toString('base64url')])
      expect((await add(() => text)).body.code).toBe('invalid_passkey');
    expect((await add((made) => made.padEnd(9_000, 'A'))).body.code).toBe('invalid_request');
  });
});

describe('where a second factor is required', () => {
  test('a passkey is one, and the last factor stays', async () => {
    const { id } = await api.add(owner.token);
    const admin = await join(app, owner.token, `adam${count}@example.com`, 'admin');
    expect((await requireFactor()).status).toBe(200);
    const members = () => ask(app, 'GET /api/v1/team/members', { token: admin.token });
    expect((await members()).body.code).toBe('second_factor_required');
    await api.add(admin.token);
    expect((await members()).status).toBe(200);
    const kept = await api.remove(owner.token, id);
    expect(kept).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(kept.body.error).toContain('add another passkey or an authenticator app first');
  });

  test('of two passkeys that are removed at once, one stays', async () => {
    const [first, second] = [await api.add(owner.token), await api.add(owner.token, 'Phone')];
    await requireFactor();
    const removed = await Promise.all([first, second].map(({ id }) => api.remove(owner.token, id)));
    expect(removed.map(({ status }) => String(status)).toSorted()).toEqual(['204', '409']);
  });

  test('an authenticator app may go while a passkey stays, with its recovery codes', async () => {
    const { id, codes } = await api.add(owner.token);
    expect((await addTotp()).body.recovery_codes).toBeNull();
    await requireFactor();
    expect((await removeTotp()).status).toBe(204);
    expect((await account()).second_factor).toMatchObject({ recovery_codes_left: codes.length });
    await addTotp();
    expect((await api.remove(owner.token, id)).status).toBe(204);
    expect((await removeTotp()).status).toBe(409);
  });
});

test('changes are in the audit log, without keys, and the operator removes passkeys too', async () => {
  const { id, device: key, codes } = await api.add(owner.token);
  await ask(app, `PUT /api/v1/auth/passkeys/${id}`, { token: owner.token, body: { name: 'Desk' } });
  const { token } = (await api.signIn(key)).body as { token: string };
  await api.remove(token, id);
  const { device: second } = await api.add(token);
  clock.advance(2);
  await removeFactors({ db: app.app.db, audit: app.app.audit, now: clock.now() }, owner.tenant.slug, owner.user.email);
  clock.advance(2_000);
  expect((await api.signIn(second)).status).toBe(401);
  const next = await login();
  expect([next.status, await me(token)]).toEqual([200, 401]);
  const log = (await ask(app, 'GET /api/v1/audit', { token: next.body.token as string })).body;
  const actions = (log.data as { action: string }[]).map(({ action }) => action);
  expect(actions).toEqual(
    expect.arrayContaining([
      'second_factor.enrol',
      'second_factor.rename',
      'second_factor.remove',
      'login.succeed',
      'member.reset_second_factor',
    ]),
  );
  for (const secret of [key.id, ...codes]) expect(JSON.stringify(log)).not.toContain(secret);
});
