import type { TestApp } from '../../../support/app';
import { newOwner, type Owner, startHouse } from '../../../support/sso/house';

const OIDC = { issuer: 'https://localhost:1', client_id: 'everstep', client_secret: 'very secret' };
const PASSWORD = 'a password of theirs';
const REFUSED = { status: 403, body: { code: 'sso_required' } };

let app: TestApp;
let owner: Owner;
beforeAll(async () => {
  app = await startHouse();
});
beforeEach(async () => {
  owner = await newOwner(app);
});
afterAll(() => app.close());

const put = (settings: object) =>
  owner.api.ask('PUT', '/api/v1/sso/config', { provider: 'oidc', oidc: OIDC, ...settings });

async function invite(email: string, role = 'member', by = owner): Promise<string | null> {
  const made = await by.api.call<{ invite_url: string }>('POST', '/api/v1/team/invite', { email, role });
  return new URL(made.invite_url).searchParams.get('token');
}
const accept = (token: string | null) =>
  owner.api.ask<{ token: string }>('POST', '/api/v1/auth/accept-invite', { token, password: PASSWORD });
const join = async (email: string, role?: string, by?: Owner): Promise<string> => {
  const { status, body } = await accept(await invite(email, role, by));
  expect(status).toBe(200);
  return body.token;
};
const login = (email: string, by = owner, password = PASSWORD) =>
  owner.api.ask('POST', '/api/v1/auth/login', { tenant_slug: by.tenant.slug, email, password });
const statusOf = async (token: string): Promise<number> =>
  (await fetch(`${app.url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status;
const check = async (query: string): Promise<unknown> =>
  (await owner.api.ask('GET', `/api/v1/auth/sso/check?tenant_slug=${owner.tenant.slug}${query}`)).body;

describe('domains whose members must sign in with the provider', () => {
  it('are stored once each, in lower case and ASCII form, and left out they are none', async () => {
    const stored = await put({ enforce_domains: ['Corp.Example', 'müller.de', 'corp.example.'] });
    expect(stored.body).toMatchObject({ enforce: false, enforce_domains: ['corp.example', 'xn--mller-kva.de'] });
    const { body } = await owner.api.ask('GET', '/api/v1/sso/config');
    expect(body).toMatchObject({ enforce_domains: ['corp.example', 'xn--mller-kva.de'] });
    expect((await put({})).body).toMatchObject({ enforce_domains: [] });
  });

  it.each([
    ['no domain', { enforce_domains: ['corp.example', '@corp.example'] }, 'enforce_domains[1]'],
    ['a pattern', { enforce_domains: ['*.corp.example'] }, 'enforce_domains[0]'],
    ['a provider that is off', { enabled: false, enforce_domains: ['corp.example'] }, 'enforce_domains'],
    ['too many', { enforce_domains: Array.from({ length: 51 }, (_, n) => `d${n}.example`) }, 'enforce_domains'],
  ])('are refused with %s', async (_title, settings, path) => {
    expect(await put(settings)).toMatchObject({ status: 400, body: { details: [{ path }] } });
  });

  it('let in by password neither members nor admins of the domain, but everybody else and owners', async () => {
    await join('bob@corp.example');
    await join('ada@corp.example', 'admin');
    await join('guest@elsewhere.example');
    await join('sub@eu.corp.example');
    await join('boss@corp.example', 'owner');
    await put({ enforce_domains: ['corp.example'] });
    for (const email of ['bob@corp.example', 'ada@corp.example']) expect(await login(email)).toMatchObject(REFUSED);
    expect((await login('bob@corp.example', owner, 'wrong password')).status).toBe(401);
    for (const email of ['guest@elsewhere.example', 'sub@eu.corp.example', 'boss@corp.example'])
      expect((await login(email)).status).toBe(200);
    await put({});
    expect((await login('bob@corp.example')).status).toBe(200);
  });

  it('do not bind accounts of another tenant', async () => {
    const other = await newOwner(app);
    await join('bob@corp.example', 'member', other);
    await put({ enforce_domains: ['corp.example'] });
    expect((await login('bob@corp.example', other)).status).toBe(200);
  });

  it.each(['member', 'admin', 'owner'])('take no password for an invitation of the domain as %s', async (role) => {
    await put({ enforce_domains: ['corp.example'] });
    expect(await accept(await invite('bob@corp.example', role))).toMatchObject(REFUSED);
    await join('guest@elsewhere.example', role);
    await put({ enforce: true });
    expect(await accept(await invite('guest2@elsewhere.example', role))).toMatchObject(REFUSED);
  });

  it('end the sessions of those who were not bound before; API keys go on', async () => {
    const bob = await join('bob@corp.example');
    const guest = await join('guest@elsewhere.example');
    const made = await fetch(`${app.url}/api/v1/api-keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bob}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'ci' }),
    });
    const { key } = (await made.json()) as { key: string };
    await put({ enforce_domains: ['corp.example'] });
    expect(await statusOf(bob)).toBe(401);
    expect(await statusOf(key)).toBe(200);
    expect(await statusOf(guest)).toBe(200);
    expect((await owner.api.ask('GET', '/api/v1/me')).status).toBe(200);
    await put({ enforce_domains: ['corp.example', 'elsewhere.example'] });
    expect(await statusOf(guest)).toBe(401);
  });

  it('are not listed to the public, which may ask for one address', async () => {
    await put({ enforce_domains: ['corp.example'] });
    expect(await check('')).toEqual({ enabled: true, provider: 'oidc', enforce: false });
    expect(await check('&email=unknown@corp.example')).toMatchObject({ enforce: true });
    expect(await check('&email=unknown@elsewhere.example')).toMatchObject({ enforce: false });
  });
});
