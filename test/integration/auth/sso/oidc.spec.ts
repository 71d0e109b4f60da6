import type { TestApp } from '../../../support/app';
import { Api, freePort } from '../../../support/server';
import { Browser, outcomeOf } from '../../../support/sso/browser';
import { eventsOf, FRONTEND, newOwner, type Owner, startHouse } from '../../../support/sso/house';
import { type Account, type OpenidProvider, startProvider } from '../../../support/sso/provider';
import { enrolTotp } from '../../../support/totp';

let app: TestApp;
let provider: OpenidProvider;
let owner: Owner;

beforeAll(async () => {
  const port = String(await freePort());
  const redirect_uris = [`http://127.0.0.1:${port}/api/v1/auth/sso/callback`];
  provider = await startProvider([
    { client_id: 'basic', client_secret: 'a secret of basic', redirect_uris },
    { client_id: 'post', client_secret: 'a-secret', redirect_uris, token_endpoint_auth_method: 'client_secret_post' },
    { client_id: 'open', redirect_uris, token_endpoint_auth_method: 'none' },
    { client_id: 'thin', client_secret: 'thin', redirect_uris },
  ]);
  app = await startHouse({ PORT: port });
  owner = await newOwner(app);
  await setUp(owner);
});
afterAll(() => Promise.all([app.close(), provider.close()]));

const setUp = ({ api }: Owner, given: object = {}, oidc: object = {}) =>
  api.call('PUT', '/api/v1/sso/config', {
    provider: 'oidc',
    oidc: { issuer: provider.issuer, client_id: 'basic', client_secret: 'a secret of basic', ...oidc },
    ...given,
  });

const authorize = ({ tenant }: Owner): string => `${app.url}/api/v1/auth/sso/authorize?tenant_slug=${tenant.slug}`;

/** Goes from our page to the provider, and back to the front end. */
async function signIn(account: Account | null, to: Owner = owner): Promise<Record<string, string>> {
  await provider.account(account);
  return outcomeOf(await new Browser().follow(authorize(to), FRONTEND));
}

const me = async (token: string | undefined): Promise<Record<string, unknown>> => {
  const response = await fetch(`${app.url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
  return (await response.json()) as Record<string, unknown>;
};

describe('second factors', () => {
  it('are left to the provider of the tenant: neither asked for, nor required of its sessions', async () => {
    const strict = await newOwner(app);
    await setUp(strict);
    await enrolTotp(strict.api);
    await strict.api.call('PUT', '/api/v1/tenant/settings', { require_second_factor: true });
    const { token } = await signIn(
      { sub: 'by-provider', email: 'by-provider@example.com', email_verified: true },
      strict,
    );
    const api = new Api(app.url);
    api.token = token as string;
    expect((await api.ask('GET', '/api/v1/api-keys')).status).toBe(200);
    const account = await api.call<{ second_factor: object }>('GET', '/api/v1/auth/me');
    expect(account.second_factor).toMatchObject({ required: true, must_enrol: false, totp_enrolled_at: null });
  });
});

describe('sign-in by OpenID Connect, with a certified provider', () => {
  it('is set up without warnings', async () => {
    expect(await setUp(owner)).toMatchObject({ warnings: [] });
  });

  it('asks for a code with PKCE, state and nonce', async () => {
    const { location } = await new Browser().open(authorize(owner));
    const { origin, searchParams } = new URL(location as string);
    expect(origin).toBe(provider.issuer);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'basic',
      response_type: 'code',
      redirect_uri: `${app.url}/api/v1/auth/sso/callback`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it.each([
    ['basic', 'a secret of basic'],
    ['post', 'a-secret'],
    ['open', null],
    ['thin', 'thin'],
  ])('makes a member by client %s, and finds the same member the next time', async (client_id, client_secret) => {
    const own = await newOwner(app);
    await setUp(own, {}, { client_id, client_secret });
    const account = { sub: `${client_id}-1`, email: 'Bea@Example.com', email_verified: true };
    const first = await me((await signIn(account, own)).token);
    expect(first).toMatchObject({ email: 'bea@example.com', role: 'member', sign_in: ['oidc'] });
    // The address may change at the provider; the subject does not.
    const second = await me((await signIn({ ...account, email: 'bea@married.test' }, own)).token);
    expect(second.id).toBe(first.id);
  });

  it('finds an account by an address that the provider vouches for, and leaves the owner owner', async () => {
    const { token } = await signIn({ sub: 'boss', email: owner.user.email, email_verified: true });
    expect(await me(token)).toMatchObject({ id: owner.user.id, role: 'owner' });
  });

  it('takes no address for which the provider does not vouch, neither a known one nor a new one', async () => {
    for (const email of [owner.user.email, 'no-one@example.com']) {
      for (const email_verified of [false, undefined]) {
        const outcome = await signIn({
          sub: `thief-${email}`,
          email,
          ...(email_verified === undefined ? {} : { email_verified }),
        });
        expect(outcome).toMatchObject({ error: 'sign_in_refused' });
        expect(outcome.error_description).toContain('has not verified');
      }
    }
    expect(await signIn({ sub: 'nameless' })).toMatchObject({ error: 'sign_in_refused' });
  });

  it('follows the groups at each sign-in', async () => {
    const own = await newOwner(app);
    await setUp(own, { default_role: null, role_mapping: { claim: 'groups', values: { ops: 'admin' } } });
    const account = { sub: 'g', email: 'gil@example.com', email_verified: true };
    expect(await signIn({ ...account, groups: ['owner'] }, own)).toMatchObject({ error: 'sign_in_refused' });
    expect(await me((await signIn({ ...account, groups: ['x', 'ops'] }, own)).token)).toMatchObject({ role: 'admin' });
  });

  it('tells the front end that the provider has refused, without the words of others', async () => {
    expect(await signIn(null)).toEqual({
      error: 'sign_in_failed',
      error_description: 'The identity provider refused: access_denied',
    });
  });

  it('is on record', async () => {
    await signIn({ sub: 'logged', email: 'logged@example.com', email_verified: true });
    expect((await eventsOf(owner))[0]).toMatchObject({
      action: 'sso.sign_in',
      actor: { email: 'logged@example.com', ip: '127.0.0.1' },
      after: { via: 'oidc', role: 'member' },
    });
    await signIn({ sub: 'kept-out', email: 'out@example.com', email_verified: false });
    expect((await eventsOf(owner))[0]).toMatchObject({
      action: 'sso.refuse',
      after: { reason: expect.stringContaining('has not verified') },
    });
  });
});

describe('what an OpenID sign-in does not take', () => {
  const account = { sub: 'dan', email: 'dan@example.com', email_verified: true };
  /** Up to the address by which the provider sends the browser back. */
  const answered = async (browser: Browser): Promise<string> => {
    await provider.account(account);
    return browser.follow(authorize(owner), `${app.url}/api/v1/auth/sso/callback`);
  };
  const open = async (browser: Browser, url: string) => outcomeOf((await browser.open(url)).location as string);

  it('the answer in another browser, which would be signed in as another user', async () => {
    const url = await answered(new Browser());
    expect(await open(new Browser(), url)).toMatchObject({ error: 'sign_in_failed' });
  });

  it('an answer twice', async () => {
    const browser = new Browser();
    const [cookie] = (await browser.open(authorize(owner))).cookies;
    const url = await answered(browser);
    expect(await open(browser, url)).toHaveProperty('token');
    expect(await open(browser, url)).toMatchObject({ error: 'sign_in_failed' });
    expect(cookie).toBeDefined();
  });

  it('another state, another issuer, no code', async () => {
    const change = async (name: string, value: string | null) => {
      const browser = new Browser();
      const url = new URL(await answered(browser));
      if (value === null) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
      return open(browser, url.href);
    };
    expect(await change('state', 'made-up')).toMatchObject({ error: 'sign_in_failed' });
    expect(await change('state', null)).toMatchObject({ error: 'sign_in_failed' });
    expect(await change('iss', 'https://evil.test')).toMatchObject({ error: 'sign_in_failed' });
    expect(await change('code', 'made-up')).toMatchObject({ error: 'sign_in_failed' });
    expect(await change('code', null)).toMatchObject({ error: 'sign_in_failed' });
  });

  it('an answer of the former provider, after an owner has put another one in its place', async () => {
    const own = await newOwner(app);
    await setUp(own);
    const browser = new Browser();
    await provider.account(account);
    const url = await browser.follow(authorize(own), `${app.url}/api/v1/auth/sso/callback`);
    await setUp(own, {}, { client_id: 'post', client_secret: 'a-secret' });
    expect((await open(browser, url)).error_description).toContain('changed during the sign-in');
  });

  it.each([
    '?',
    '?state=',
    '?code=a',
    '?state=%00&code=%00',
    '?error=x',
    '?answer=',
    '?state=__proto__',
    '?state=toString',
  ])('callback%s, without an internal error', async (query) => {
    const page = await new Browser().open(`${app.url}/api/v1/auth/sso/callback${query}`);
    expect(page.status).toBe(302);
    expect(outcomeOf(page.location as string)).toMatchObject({ error: 'sign_in_failed' });
  });

  it('any place to go but the front end', async () => {
    const redirects = 'redirect_uri=https://evil.test&return_to=https://evil.test&RelayState=https://evil.test';
    const { location } = await new Browser().open(`${app.url}/api/v1/auth/sso/callback?${redirects}`);
    expect(location?.startsWith(`${FRONTEND}#`)).toBe(true);
    const away = await new Browser().open(`${authorize(owner)}&${redirects}`);
    expect(new URL(away.location as string).origin).toBe(provider.issuer);
    expect(away.location).not.toContain('evil.test');
  });

  it('a tenant that is unknown or has none, both in the same words', async () => {
    const without = await newOwner(app);
    const ask = async (slug: string): Promise<Record<string, unknown>> => {
      const url = `${app.url}/api/v1/auth/sso/authorize?tenant_slug=${slug}`;
      return JSON.parse((await new Browser().open(url)).text) as Record<string, unknown>;
    };
    const [one, other] = [await ask('no-such-tenant'), await ask(without.tenant.slug)];
    expect(one).toMatchObject({ code: 'not_found' });
    expect({ ...other, request_id: '' }).toEqual({ ...one, request_id: '' });
  });
});

describe('a tenant in which only owners may use a password', () => {
  it('lets its owners sign in with theirs', async () => {
    const own = await newOwner(app);
    await setUp(own, { enforce: true });
    const check = await fetch(`${app.url}/api/v1/auth/sso/check?tenant_slug=${own.tenant.slug}`);
    expect(await check.json()).toEqual({ enabled: true, provider: 'oidc', enforce: true });
    const login = { tenant_slug: own.tenant.slug, email: own.user.email, password: 'correct horse battery' };
    expect((await own.api.ask('POST', '/api/v1/auth/login', login)).status).toBe(200);
  });
});
