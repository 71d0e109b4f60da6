import type { SsoTestView } from '../../../../contracts/auth/sso';
import { apiGatewayService } from '../../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../../services/audit/audit.service';
import { authService } from '../../../../services/auth/auth.service';
import type { TestApp } from '../../../support/app';
import { signingCertificate } from '../../../support/certificate';
import { ask } from '../../../support/http';
import { ManualClock } from '../../../support/manual-clock';
import { freePort } from '../../../support/server';
import { Browser, outcomeOf } from '../../../support/sso/browser';
import { FRONTEND, newOwner, type Owner, startHouse } from '../../../support/sso/house';
import { type Account, type OpenidProvider, startProvider } from '../../../support/sso/provider';
import { base64, requestIn, responseXml, type SamlFields, samlFields, signed } from '../../../support/sso/saml-idp';
import { join } from '../../../support/team';

const idp = signingCertificate();
const clock = new ManualClock(Date.now());
let app: TestApp;
let provider: OpenidProvider;
let owner: Owner;

beforeAll(async () => {
  const port = String(await freePort());
  const redirect_uris = [`http://127.0.0.1:${port}/api/v1/auth/sso/callback`];
  provider = await startProvider([{ client_id: 'c', client_secret: 'a secret', redirect_uris }]);
  app = await startHouse({ PORT: port }, { services: [apiGatewayService, authService, auditService], clock });
}, 60_000);
beforeEach(async () => {
  owner = await newOwner(app);
  await setUp();
});
afterAll(() => Promise.all([app.close(), provider.close()]));

const setUp = (given: object = {}) =>
  owner.api.call('PUT', '/api/v1/sso/config', {
    provider: 'oidc',
    enabled: false,
    oidc: { issuer: provider.issuer, client_id: 'c', client_secret: 'a secret' },
    ...given,
  });
const start = () => owner.api.call<SsoTestView & { url: string }>('POST', '/api/v1/sso/tests', {});
const view = (id: string) => owner.api.call<SsoTestView>('GET', `/api/v1/sso/tests/${id}`);
const members = async () => (await owner.api.call<{ data: object[] }>('GET', '/api/v1/team/members')).data;

/** Goes through a test with an OpenID provider, and returns its report. */
async function tested(account: Account | null): Promise<SsoTestView> {
  const { id, url } = await start();
  await provider.account(account);
  const end = await new Browser().follow(url, FRONTEND);
  expect(end).toBe(`${FRONTEND}/single-sign-on?test=${id}#sso_test=${id}`);
  return view(id);
}

const ANN = { sub: 'ann', email: 'new@example.com', email_verified: true };

describe('a test with an OpenID provider', () => {
  test('shows claims, user and role, signs no user in and creates no user, also before single sign-on is enabled', async () => {
    await setUp({ role_mapping: { claim: 'groups', values: { ops: 'admin' } } });
    const { state, report } = await tested({ ...ANN, groups: ['ops', 'all'] });
    expect(state).toBe('finished');
    expect(report).toMatchObject({
      user: { email: 'new@example.com', account: 'new', role: 'admin', decided_by: 'claim' },
      groups: ['ops', 'all'],
      problems: [{ severity: 'warning', where: 'enabled' }],
    });
    expect(report?.claims).toEqual(
      expect.arrayContaining([
        { name: 'sub', value: 'ann' },
        { name: 'email_verified', value: 'true' },
        { name: 'groups', value: '["ops","all"]' },
      ]),
    );
    expect(report?.claims.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['nonce', 'at_hash']));
    expect(await members()).toHaveLength(1);
    expect(JSON.stringify(report)).not.toContain('a secret');
  });

  test('says what keeps the user out, and what to do', async () => {
    const unverified = await tested({ ...ANN, email_verified: false });
    expect(unverified.report).toMatchObject({
      user: null,
      claims: expect.arrayContaining([{ name: 'email', value: 'new@example.com' }]) as object,
      problems: [{ severity: 'error', where: 'user', message: expect.stringContaining('has not verified') }],
    });
    await setUp({ enabled: true, default_role: null, role_mapping: { claim: 'teams', values: { ops: 'admin' } } });
    const { report } = await tested({ ...ANN, groups: ['ops'] });
    expect(report?.user).toMatchObject({ role: null });
    expect(report?.problems.map(({ severity, where }) => [severity, where])).toEqual([
      ['error', 'role mapping'],
      ['warning', 'claim teams'],
    ]);
    const refused = await tested(null);
    expect(refused.report?.problems[0]?.message).toContain('access_denied');
  });

  test('knows the accounts: an owner stays owner, whatever the groups say', async () => {
    await setUp({ enabled: true, role_mapping: { claim: 'groups', values: { all: 'viewer' } } });
    const { report } = await tested({ ...ANN, email: owner.user.email, groups: ['all'] });
    expect(report).toMatchObject({ user: { account: 'existing', role: 'owner', decided_by: 'account' }, problems: [] });
  });

  test('reports a wrong secret and a provider that is not there', async () => {
    await setUp({ oidc: { issuer: provider.issuer, client_id: 'c', client_secret: 'wrong' } });
    const wrong = await tested(ANN);
    expect(wrong.report?.problems).toMatchObject([
      { severity: 'error', action: expect.stringContaining('client secret') },
    ]);
    await setUp({ oidc: { issuer: 'http://127.0.0.1:1', client_id: 'c', client_secret: 'x' } });
    const { id, url } = await start();
    const page = await new Browser().open(url);
    expect(page.location).toContain(`sso_test=${id}`);
    expect((await view(id)).report?.problems).toMatchObject([{ severity: 'error', where: 'provider' }]);
  });
});

describe('a test', () => {
  test('begins once, in ten minutes, and ends in the browser in which it began', async () => {
    const { id, url } = await start();
    expect((await view(id)).state).toBe('waiting');
    await provider.account(ANN);
    const browser = new Browser();
    const back = await browser.follow(url, `${app.url}/api/v1/auth/sso/callback`);
    expect((await new Browser().open(url)).status).toBe(400);
    const another = await new Browser().open(back);
    expect(outcomeOf(another.location as string)).toMatchObject({ error: 'sign_in_failed' });
    expect((await view(id)).state).toBe('begun');
    expect((await browser.open(back)).location).toContain(`sso_test=${id}`);
    expect((await view(id)).state).toBe('finished');
    expect(outcomeOf((await browser.open(back)).location as string)).toMatchObject({ error: 'sign_in_failed' });
    const late = await start();
    clock.advance(10 * 60_000 + 1);
    expect((await new Browser().open(late.url)).status).toBe(400);
    expect((await view(late.id)).state).toBe('expired');
  });

  test('is seen by the owner who has started it alone', async () => {
    const { id } = await start();
    const second = await join(app, owner.token, 'second@example.com', 'owner');
    expect((await ask(app, `GET /api/v1/sso/tests/${id}`, { token: second.token })).status).toBe(404);
    const admin = await join(app, owner.token, 'admin@example.com', 'admin');
    expect((await ask(app, 'POST /api/v1/sso/tests', { token: admin.token, body: {} })).status).toBe(403);
    const other = await newOwner(app, { email: 'mallory@example.com' });
    expect((await other.api.ask('GET', `/api/v1/sso/tests/${id}`)).status).toBe(404);
    expect((await other.api.ask('POST', '/api/v1/sso/tests', {})).status).toBe(404);
  });

  test('is one of at most 20 at a time', async () => {
    for (let n = 0; n < 20; n += 1) await start();
    expect((await owner.api.ask('POST', '/api/v1/sso/tests', {})).status).toBe(409);
  });
});

describe('a test with a SAML provider', () => {
  const saml = { entry_point: 'https://idp.test/sso', issuer: 'https://idp.test/metadata', certificate: idp.cert };
  beforeEach(() =>
    setUp({ provider: 'saml', oidc: null, saml, role_mapping: { claim: 'groups', values: { ops: 'admin' } } }),
  );

  async function begun() {
    const { id, url } = await start();
    const browser = new Browser();
    const request = requestIn((await browser.open(url)).location as string);
    const form = (given: Partial<SamlFields> = {}, by = idp) => ({
      SAMLResponse: base64(
        signed(
          responseXml(
            samlFields({
              recipient: request.acs,
              audience: request.issuer,
              inResponseTo: request.id,
              now: clock.now(),
              ...given,
            }),
          ),
          by,
        ),
      ),
      RelayState: request.relayState,
    });
    const post = async (fields: Record<string, string>) =>
      (await browser.open(`${app.url}/api/v1/auth/sso/callback`, fields, true)).location as string;
    return { id, browser, form, post };
  }

  test('shows NameID and attributes after the browser that began it comes back', async () => {
    const { id, browser, form, post } = await begun();
    const next = await post(form({ attributes: { groups: ['ops', 'all'] } }));
    expect((await view(id)).report).toBeNull();
    expect(outcomeOf((await new Browser().open(next)).location as string)).toMatchObject({ error: 'sign_in_failed' });
    expect((await browser.open(next)).location).toContain(`sso_test=${id}`);
    expect((await view(id)).report).toMatchObject({
      claims: expect.arrayContaining([
        { name: 'NameID', value: 'ann@example.com' },
        { name: 'groups', value: '["ops","all"]' },
      ]) as object,
      user: { email: 'ann@example.com', account: 'existing', role: 'owner' },
    });
    expect(await members()).toHaveLength(1);
  });

  test('reports a response that cannot be trusted, and what to compare', async () => {
    const { id, browser, form, post } = await begun();
    await browser.open(await post(form({}, signingCertificate())));
    expect((await view(id)).report).toMatchObject({
      user: null,
      claims: [],
      problems: [{ severity: 'error', where: 'SAML response', action: expect.stringContaining('certificate') }],
    });
  });

  test('takes no answer to another request', async () => {
    const { id, form, post } = await begun();
    expect(outcomeOf(await post(form({ inResponseTo: '_other' })))).toMatchObject({ error: 'sign_in_failed' });
    expect((await view(id)).state).toBe('begun');
  });
});
