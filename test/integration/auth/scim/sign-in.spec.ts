import type { TestApp } from '../../../support/app';
import { ask } from '../../../support/http';
import { freePort } from '../../../support/server';
import { oktaUser, patch, type Scim, scimKey, scimWith } from '../../../support/scim/client';
import { Browser, outcomeOf } from '../../../support/sso/browser';
import { FRONTEND, newOwner, type Owner, startHouse } from '../../../support/sso/house';
import { type Account, type OpenidProvider, startProvider } from '../../../support/sso/provider';

let app: TestApp;
let provider: OpenidProvider;
let owner: Owner;
let scim: Scim;

beforeAll(async () => {
  const port = String(await freePort());
  const redirect_uris = [`http://127.0.0.1:${port}/api/v1/auth/sso/callback`];
  provider = await startProvider([{ client_id: 'c', client_secret: 'a secret', redirect_uris }]);
  app = await startHouse({ PORT: port });
  owner = await newOwner(app);
  await owner.api.call('PUT', '/api/v1/sso/config', {
    provider: 'oidc',
    oidc: { issuer: provider.issuer, client_id: 'c', client_secret: 'a secret' },
    default_role: null,
    role_mapping: { claim: 'groups', values: { Ops: 'admin', Staff: 'member' } },
  });
  scim = scimWith(app, await scimKey(app, owner.token));
}, 60_000);
afterAll(() => Promise.all([app.close(), provider.close()]));

async function signIn(account: Account): Promise<Record<string, string>> {
  await provider.account(account);
  const start = `${app.url}/api/v1/auth/sso/authorize?tenant_slug=${owner.tenant.slug}`;
  return outcomeOf(await new Browser().follow(start, FRONTEND));
}

const me = async (token = '') => (await ask(app, 'GET /api/v1/me', { token })).body;

test('a provisioned user signs in by the address, with the role of its groups there, until it is deactivated', async () => {
  const { id, roles } = (await scim('POST /Users', oktaUser('Ann.Lee@example.com'))).body;
  expect(roles).toEqual([{ value: 'viewer', primary: true }]);
  const account = { sub: 'ann', email: 'ann.lee@example.com', email_verified: true };
  expect(await signIn(account)).toMatchObject({ error: 'sign_in_refused' });
  const group = (await scim('POST /Groups', { displayName: 'Staff', members: [{ value: id }] })).body;
  const first = await signIn({ ...account, groups: ['Ops'] });
  expect(await me(first.token)).toMatchObject({ id, role: 'member' });
  expect((await scim(`PATCH /Users/${id}`, patch({ op: 'Replace', path: 'active', value: 'False' }))).status).toBe(200);
  expect((await ask(app, 'GET /api/v1/me', { token: first.token as string })).status).toBe(401);
  expect(await signIn(account)).toMatchObject({
    error: 'forbidden',
    error_description: expect.stringContaining('deactivated'),
  });
  await scim(`PATCH /Users/${id}`, patch({ op: 'Replace', path: 'active', value: 'True' }));
  expect(await me((await signIn(account)).token)).toMatchObject({ id, role: 'member' });
  await scim(`DELETE /Groups/${group.id}`);
  expect(await me((await signIn({ ...account, groups: ['Ops'] })).token)).toMatchObject({ id, role: 'admin' });
});
