import type { TestApp } from '../../../support/app';
import { Api, freePort } from '../../../support/server';
import { Browser, outcomeOf } from '../../../support/sso/browser';
import { eventsOf, FRONTEND, newOwner, type Owner, startHouse } from '../../../support/sso/house';
import { type Account, type OpenidProvider, startProvider } from '../../../support/sso/provider';
import { enrolTotp } from '../../../support/totp';

let app: TestApp;
let provider: OpenidProvider;
let people = 0;

beforeAll(async () => {
  const port = String(await freePort());
  const redirect_uris = [`http://127.0.0.1:${port}/api/v1/auth/suite/callback`];
  provider = await startProvider([{ client_id: 'suite', client_secret: 'a secret', redirect_uris }]);
  app = await startHouse({
    PORT: port,
    // Nothing inside is open to tenants; the operator's own provider is.
    EGRESS_ALLOW: '',
    SIGNIN_SUITE_CLIENT_ID: 'suite',
    SIGNIN_SUITE_CLIENT_SECRET: 'a secret',
    SIGNIN_SUITE_ISSUER: provider.issuer,
  });
});
afterAll(() => Promise.all([app.close(), provider.close()]));

/** A new user, with an address that the provider vouches for. */
const person = (given: Partial<Account> = {}): Account & { email: string } => {
  people += 1;
  return { sub: `person-${people}`, email: `person-${people}@example.com`, email_verified: true, ...given };
};

async function signIn(account: Account, slug?: string): Promise<Record<string, string>> {
  await provider.account(account);
  const query = slug === undefined ? '' : `?tenant_slug=${slug}`;
  return outcomeOf(await new Browser().follow(`${app.url}/api/v1/auth/suite/authorize${query}`, FRONTEND));
}

interface Me {
  id: string;
  email: string;
  role: string;
  tenant: { id: string; slug: string };
}

async function me(outcome: Record<string, string>): Promise<Me> {
  expect(outcome).toEqual({ token: expect.any(String) });
  const response = await fetch(`${app.url}/api/v1/me`, { headers: { authorization: `Bearer ${outcome.token}` } });
  return (await response.json()) as Me;
}

const verify = ({ user }: Owner) =>
  app.app.db
    .collection<{ _id: string }>('users')
    .updateOne({ _id: user.id }, { $set: { email_verified_at: new Date() } });

/** Requires the tenant's own provider of some or all members. */
async function bind(token: string, requirement: object): Promise<void> {
  const oidc = { issuer: 'https://127.0.0.1', client_id: 'c', client_secret: 's' };
  const { status } = await fetch(`${app.url}/api/v1/sso/config`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'oidc', oidc, ...requirement }),
  });
  expect(status).toBe(200);
}

describe('an account with a second factor', () => {
  const signedIn = (token: string): Api => {
    const api = new Api(app.url);
    api.token = token;
    return api;
  };

  it('is asked for it after the provider, and signs in with the challenge of the redirect', async () => {
    const account = person();
    const { token } = await signIn(account);
    const { recoveryCodes } = await enrolTotp(signedIn(token as string));
    const outcome = await signIn(account);
    expect(outcome).toEqual({
      error: 'second_factor_challenge',
      error_description: expect.any(String),
      challenge: expect.any(String),
      methods: 'totp recovery_code',
    });
    const proof = { challenge: outcome.challenge, recovery_code: recoveryCodes[0] };
    const done = await new Api(app.url).call<{ token: string }>('POST', '/api/v1/auth/second-factor', proof);
    expect(await me({ token: done.token })).toMatchObject({ email: account.email });
    expect((await new Api(app.url).ask('POST', '/api/v1/auth/second-factor', proof)).status).toBe(401);
  });

  it('that has never signed in by the provider is refused', async () => {
    const { email, ...account } = person();
    const owner = await newOwner(app, { email });
    await verify(owner);
    await enrolTotp(owner.api);
    const outcome = await signIn({ ...account, email });
    expect(outcome).toMatchObject({ error: 'forbidden' });
    expect(Object.keys(outcome).sort()).toEqual(['error', 'error_description']);
  });
});

describe('sign-in by the suite', () => {
  it('makes a tenant for a newcomer, who owns it, and finds it again', async () => {
    const account = person();
    const first = await me(await signIn(account));
    expect(first).toMatchObject({ email: account.email, role: 'owner' });
    expect(first.tenant.slug).toMatch(/^person-\d+-[0-9a-f]{10}$/);
    // The address may change at the provider; the subject does not.
    expect(await me(await signIn({ ...account, email: 'renamed@example.com' }))).toMatchObject({ id: first.id });
  });

  it('makes one tenant for one newcomer in two windows', async () => {
    const account = person();
    await provider.account(account);
    const windows = [new Browser(), new Browser()];
    const ready = await Promise.all(
      windows.map((browser) =>
        browser.follow(`${app.url}/api/v1/auth/suite/authorize`, `${app.url}/api/v1/auth/suite/callback`),
      ),
    );
    const ends = await Promise.all(ready.map((url, index) => (windows[index] as Browser).open(url)));
    const outcomes = ends.map(({ location }) => outcomeOf(location as string));
    expect(outcomes.filter(({ token }) => token !== undefined).length).toBeGreaterThanOrEqual(1);
    expect(await app.app.db.collection('users').countDocuments({ email: account.email })).toBe(1);
  });

  it('finds an account by its verified address, in the tenant that was used last', async () => {
    const { email, ...account } = person();
    const older = await newOwner(app, { email });
    const newer = await newOwner(app, { email });
    await Promise.all([older, newer].map(verify));
    const login = { tenant_slug: older.tenant.slug, email, password: 'correct horse battery' };
    await older.api.call('POST', '/api/v1/auth/login', login);
    expect(await me(await signIn({ ...account, email }))).toMatchObject({ tenant: { id: older.tenant.id } });
    const asked = await me(await signIn({ ...account, email }, newer.tenant.slug));
    expect(asked).toMatchObject({ id: newer.user.id, role: 'owner' });
  });

  it('ends the password and the sessions that an account had before, once', async () => {
    const { email, ...account } = person();
    const owner = await newOwner(app, { email });
    await verify(owner);
    const login = { tenant_slug: owner.tenant.slug, email, password: 'correct horse battery' };
    const statusOf = async (token: string): Promise<number> =>
      (await fetch(`${app.url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status;
    const { token } = await owner.api.call<{ token: string }>('POST', '/api/v1/auth/login', login);
    const first = await signIn({ ...account, email });
    expect(await me(first)).toMatchObject({ id: owner.user.id });
    expect(await statusOf(token)).toBe(401);
    expect((await owner.api.ask('POST', '/api/v1/auth/login', login)).status).toBe(401);
    await signIn({ ...account, email });
    expect(await statusOf(first.token as string)).toBe(200);
    const own = { headers: { authorization: `Bearer ${first.token}` } };
    const listed = await fetch(`${app.url}/api/v1/audit?action=password.end`, own);
    expect(((await listed.json()) as { data: unknown[] }).data).toHaveLength(1);
  });

  it('does not lead into an account that another person has made for the address with a password of theirs', async () => {
    const account = person();
    const trap = await newOwner(app, { email: account.email });
    const own = await me(await signIn(account));
    expect(own.tenant.id).not.toBe(trap.tenant.id);
    const other = person();
    const second = await newOwner(app, { email: other.email });
    expect(await signIn(other, second.tenant.slug)).toMatchObject({ error: 'sign_in_refused' });
  });

  it('takes no user into a tenant without an account of theirs, with the same error as for a tenant that does not exist', async () => {
    const { tenant } = await newOwner(app);
    const outcomes = [await signIn(person(), tenant.slug), await signIn(person(), 'no-such-tenant')];
    expect(outcomes[0]).toMatchObject({ error: 'sign_in_refused' });
    expect(outcomes[1]).toEqual(outcomes[0]);
  });

  it('takes a user into the tenant that has invited them', async () => {
    const { api, tenant } = await newOwner(app);
    const guest = person();
    await api.call('POST', '/api/v1/team/invite', { email: guest.email, role: 'admin' });
    expect(await me(await signIn(guest, tenant.slug))).toMatchObject({
      email: guest.email,
      role: 'admin',
      tenant: { id: tenant.id },
    });
    // An invitation does not replace the provider that a tenant requires.
    const strict = await newOwner(app);
    const token = strict.api.token as string;
    for (const role of ['member', 'owner'])
      for (const requirement of [{ enforce: true }, { enforce_domains: ['example.com'] }]) {
        const other = person();
        await strict.api.call('POST', '/api/v1/team/invite', { email: other.email, role });
        await bind(token, requirement);
        expect(await signIn(other, strict.tenant.slug)).toMatchObject({ error: 'sso_required' });
      }
  });

  it('takes no address that is not verified, and makes nothing for it', async () => {
    const account = person({ email_verified: false });
    expect(await signIn(account)).toMatchObject({ error: 'sign_in_refused' });
    expect(await app.app.db.collection('users').countDocuments({ email: account.email })).toBe(0);
  });

  it('is no way round the provider of a tenant, but for its owners', async () => {
    const boss = person();
    const home = await me(await signIn(boss));
    const owner = (await signIn(boss)).token as string;
    await bind(owner, { enforce: true });
    const guest = person();
    await app.call('auth.sign_in', {
      tenant_id: home.tenant.id,
      email: guest.email,
      role: 'member',
      sync_role: false,
      create: true,
      via: 'suite',
      subject: 'known otherwise',
    });
    expect(await signIn(guest, home.tenant.slug)).toMatchObject({ error: 'sso_required' });
    await bind(owner, { enforce_domains: ['elsewhere.example'] });
    expect(await signIn(guest, home.tenant.slug)).toHaveProperty('token');
    await bind(owner, { enforce_domains: [guest.email.split('@')[1]] });
    expect(await signIn(guest, home.tenant.slug)).toMatchObject({ error: 'sso_required' });
    expect(await me(await signIn(boss))).toMatchObject({ id: home.id });
  });

  it('is on record in the tenant', async () => {
    const account = person();
    const { email } = account;
    const own = await newOwner(app, { email });
    await verify(own);
    own.api.token = (await signIn(account, own.tenant.slug)).token as string;
    expect((await eventsOf(own))[0]).toMatchObject({
      action: 'sso.sign_in',
      actor: { email },
      after: { via: 'suite' },
    });
  });

  it('keeps its cookie to its own way back', async () => {
    const { cookies } = await new Browser().open(`${app.url}/api/v1/auth/suite/authorize`);
    expect(cookies).toEqual([expect.stringContaining('; Path=/api/v1/auth/suite/callback; ')]);
    await provider.account(person());
    const browser = new Browser();
    const { cookies: kept, location } = await browser.open(`${app.url}/api/v1/auth/suite/authorize`);
    const back = await browser.follow(location as string, `${app.url}/api/v1/auth/suite/callback`);
    // The answer to one kind of request is none to the other kind, wherever its cookie is brought.
    const elsewhere = await fetch(back.replace('/suite/callback', '/sso/callback'), {
      headers: { cookie: kept[0]?.split(';')[0] as string },
      redirect: 'manual',
    });
    expect(outcomeOf(elsewhere.headers.get('location') as string)).toEqual({
      error: 'sign_in_failed',
      error_description: expect.stringContaining('has not started this sign-in'),
    });
  });
});

describe('without SIGNIN_SUITE_*', () => {
  it('is answered 503, with the names of what is to be set', async () => {
    const bare = await startHouse();
    try {
      const page = await new Browser().open(`${bare.url}/api/v1/auth/suite/authorize`);
      expect(page.status).toBe(503);
      expect(JSON.parse(page.text)).toMatchObject({
        code: 'provider_not_configured',
        error: expect.stringContaining('SIGNIN_SUITE_CLIENT_ID and SIGNIN_SUITE_CLIENT_SECRET'),
      });
      const back = await new Browser().open(`${bare.url}/api/v1/auth/suite/callback?code=a&state=b`);
      expect(outcomeOf(back.location as string)).toMatchObject({ error: 'provider_not_configured' });
    } finally {
      await bare.close();
    }
  });
});
