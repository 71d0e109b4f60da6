import { apiGatewayService } from '../../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../../services/audit/audit.service';
import { authService } from '../../../../services/auth/auth.service';
import type { Session } from '../../../../contracts/auth/accounts';
import { registerTenant } from '../../../support/accounts';
import { startApp, type TestApp } from '../../../support/app';
import { ask } from '../../../support/http';
import { entraUser, oktaUser, patch, type Scim, scimKey, scimWith } from '../../../support/scim/client';
import { join, PASSWORD } from '../../../support/team';

let app: TestApp;
let owner: Session;
let scim: Scim;

beforeAll(async () => {
  app = await startApp({ services: [apiGatewayService, authService, auditService] });
}, 60_000);
beforeEach(async () => {
  owner = await registerTenant(app);
  await app.call('auth.set_plan', { plan: 'enterprise' }, { tenant_id: owner.tenant.id, role: 'service' });
  scim = scimWith(app, await scimKey(app, owner.token));
});
afterAll(() => app.close());

const found = (name: string) =>
  scim(`GET /Users?filter=${encodeURIComponent(`userName eq "${name}"`)}&startIndex=1&count=100`);
const create = async (body: object) => {
  const answer = await scim('POST /Users', body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
};
const me = async (token: string) => (await ask(app, 'GET /api/v1/me', { token })).status;
const login = (email: string) =>
  ask(app, 'POST /api/v1/auth/login', { body: { tenant_slug: owner.tenant.slug, email, password: PASSWORD } });
const events = async () =>
  (await ask(app, 'GET /api/v1/audit?limit=50', { token: owner.token })).body.data as {
    action: string;
    after: object;
  }[];

describe('Okta', () => {
  test('finds no user, creates one, and finds it', async () => {
    expect((await found('ann@example.com')).body.totalResults).toBe(1);
    const missing = await found('New@example.com');
    expect(missing).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } });
    const made = await scim('POST /Users', oktaUser('New@example.com'));
    expect(made.status).toBe(201);
    expect(made.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    expect(made.headers.get('location')).toBe(`${app.url}/scim/v2/Users/${made.body.id}`);
    expect(made.body).toMatchObject({
      userName: 'New@example.com',
      externalId: 'okta-New@example.com',
      active: true,
      name: { givenName: 'Ann', familyName: 'Lee' },
      displayName: 'Ann Lee',
      emails: [{ value: 'new@example.com', type: 'work', primary: true }],
      roles: [{ value: 'member', primary: true }],
      meta: { resourceType: 'User', version: made.headers.get('etag') },
    });
    expect(JSON.stringify(made.body)).not.toContain('1mz050nq');
    expect((await found('new@EXAMPLE.com')).body).toMatchObject({ totalResults: 1, Resources: [{ id: made.body.id }] });
    expect(await events()).toContainEqual(
      expect.objectContaining({ action: 'member.join', after: expect.objectContaining({ via: 'scim' }) as object }),
    );
  });

  test('creates no second user with a name or an address that is taken', async () => {
    await create(oktaUser('one@example.com'));
    for (const body of [oktaUser('ONE@example.com'), oktaUser('other', { emails: [{ value: 'one@example.com' }] })]) {
      const { status, body: error } = await scim('POST /Users', body);
      expect([status, error.scimType, error.status]).toEqual([409, 'uniqueness', '409']);
      expect(error.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:Error']);
    }
  });

  test('replaces a user, and leaves out what it no longer says', async () => {
    const { id } = await create(oktaUser('two@example.com'));
    const { displayName: _gone, ...rest } = oktaUser('second@example.com', { name: { givenName: 'Bo' } });
    const { status, body } = await scim(`PUT /Users/${id}`, { ...rest, id });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      userName: 'second@example.com',
      name: { givenName: 'Bo' },
      emails: [{ value: 'second@example.com' }],
    });
    expect(body).not.toHaveProperty('displayName');
  });

  test('deactivates and reactivates a user by a PATCH without a path', async () => {
    const { id } = await create(oktaUser('three@example.com'));
    const off = await scim(`PATCH /Users/${id}`, patch({ op: 'replace', value: { active: false } }));
    expect(off.body).toMatchObject({ id, active: false, userName: 'three@example.com' });
    const on = await scim(`PATCH /Users/${id}`, patch({ op: 'replace', value: { active: true } }));
    expect(on.body.active).toBe(true);
    const actions = (await events()).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['member.deactivate', 'member.reactivate']));
  });

  test('reads all users, page by page, the oldest first', async () => {
    for (const name of ['a', 'b', 'c']) await create(oktaUser(`${name}@example.com`));
    const names = async (query: string) =>
      (await scim(`GET /Users?${query}`)).body.Resources.map(({ userName }) => userName);
    expect(await names('startIndex=1&count=2')).toEqual(['ann@example.com', 'a@example.com']);
    expect(await names('startIndex=3&count=2')).toEqual(['b@example.com', 'c@example.com']);
    expect(await names('startIndex=9')).toEqual([]);
    const { body } = await scim('GET /Users?count=0');
    expect(body).toMatchObject({ totalResults: 4, itemsPerPage: 0 });
  });
});

describe('Entra ID', () => {
  test('creates a user, and changes it as its provisioning service does', async () => {
    const { id } = await create(entraUser('bea@example.com'));
    const { status, body } = await scim(
      `PATCH /Users/${id}`,
      patch(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'bea.ray@example.com' },
        { op: 'Add', path: 'name.familyName', value: 'Ray-Lee' },
        { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'Legal' },
        { op: 'Replace', path: 'addresses[type eq "work"].formatted', value: 'Street 1' },
        { op: 'Replace', path: 'externalId', value: 'other' },
        { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '1' },
      ),
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      userName: 'bea@example.com',
      externalId: 'other',
      name: { familyName: 'Ray-Lee', givenName: 'Bea' },
      emails: [{ value: 'bea.ray@example.com' }],
    });
  });

  test('sends names of attributes with their parts in a PATCH without a path', async () => {
    const { id } = await create(entraUser('cat@example.com'));
    const value = { 'name.givenName': 'Cat', 'emails[type eq "work"].value': 'cats@example.com', displayName: 'Cat' };
    const { body } = await scim(`PATCH /Users/${id}`, patch({ op: 'Replace', value }));
    expect(body).toMatchObject({
      name: { givenName: 'Cat' },
      displayName: 'Cat',
      emails: [{ value: 'cats@example.com' }],
    });
  });

  test('deactivates with a text instead of a boolean', async () => {
    const { id } = await create(entraUser('dan@example.com'));
    const { body } = await scim(`PATCH /Users/${id}`, patch({ op: 'Replace', path: 'active', value: 'False' }));
    expect(body.active).toBe(false);
    expect((await scim('GET /Users?filter=active%20eq%20%22False%22')).body.totalResults).toBe(1);
    expect((await scim('GET /Users?filter=active%20eq%20true%20and%20externalId%20pr')).body.totalResults).toBe(0);
  });

  test('tests the connection with a user that there is not', async () => {
    const { status, body } = await found('b7c3d4e5-0000-4000-8000-000000000000');
    expect([status, body.totalResults]).toEqual([200, 0]);
    expect(await scim('GET /Users/unknown')).toMatchObject({ status: 404, body: { status: '404' } });
  });

  test('lets the address follow a user name that was the address', async () => {
    const { id } = await create(entraUser('eve@example.com'));
    const { body } = await scim(
      `PATCH /Users/${id}`,
      patch({ op: 'Replace', path: 'userName', value: 'eva@example.com' }),
    );
    expect(body).toMatchObject({ userName: 'eva@example.com', emails: [{ value: 'eva@example.com' }] });
  });
});

describe('deactivation', () => {
  const set = (id: string, active: boolean) =>
    scim(`PATCH /Users/${id}`, patch({ op: 'replace', path: 'active', value: active }));

  test('ends sessions and keys at once; after the reactivation keys work again, and sessions do not', async () => {
    const member = await join(app, owner.token, 'max@example.com');
    const { body: made } = await ask(app, 'POST /api/v1/api-keys', { token: member.token, body: { name: 'k' } });
    const key = String(made.key);
    expect([await me(member.token), await me(key)]).toEqual([200, 200]);
    expect((await set(member.user.id, false)).status).toBe(200);
    expect([await me(member.token), await me(key)]).toEqual([401, 401]);
    expect(await login('max@example.com')).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await set(member.user.id, true)).status).toBe(200);
    expect([await me(member.token), await me(key)]).toEqual([401, 200]);
    expect((await login('max@example.com')).status).toBe(200);
  });

  test('makes room for another member, and the reactivation needs the room again', async () => {
    await app.call('auth.set_plan', { plan: 'free' }, { tenant_id: owner.tenant.id, role: 'service' });
    const ids: string[] = [];
    let last = await scim('POST /Users', oktaUser('0@example.com'));
    for (let n = 1; last.status === 201; n += 1) {
      ids.push(last.body.id);
      last = await scim('POST /Users', oktaUser(`${n}@example.com`));
    }
    expect(last).toMatchObject({ status: 402, body: { status: '402' } });
    expect((await scim('POST /Users', oktaUser('off@example.com', { active: false }))).status).toBe(201);
    await set(ids[0] as string, false);
    expect((await scim('POST /Users', oktaUser('next@example.com'))).status).toBe(201);
    expect((await set(ids[0] as string, true)).status).toBe(402);
  });

  test('does not reach the last owner, and makes an admin of another one', async () => {
    const last = await set(owner.user.id, false);
    expect(last).toMatchObject({ status: 409, body: { detail: expect.stringContaining('last owner') } });
    expect(await me(owner.token)).toBe(200);
    const second = await join(app, owner.token, 'second@example.com', 'owner');
    expect((await set(second.user.id, false)).status).toBe(200);
    expect(await me(second.token)).toBe(401);
    const promoted = await ask(app, `PUT /api/v1/team/members/${second.user.id}/role`, {
      token: owner.token,
      body: { role: 'owner' },
    });
    expect(promoted.status).toBe(403);
    expect((await set(second.user.id, true)).body).toMatchObject({ active: true, roles: [{ value: 'admin' }] });
  });

  test('of two owners at once leaves one', async () => {
    const second = await join(app, owner.token, 'second@example.com', 'owner');
    const answers = await Promise.all([set(owner.user.id, false), set(second.user.id, false)]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
  });
});

describe('removal', () => {
  test('removes a member with its keys, and not the last owner', async () => {
    const member = await join(app, owner.token, 'max@example.com');
    expect((await scim(`DELETE /Users/${member.user.id}`)).status).toBe(204);
    expect(await me(member.token)).toBe(401);
    expect((await scim(`GET /Users/${member.user.id}`)).status).toBe(404);
    expect((await scim(`DELETE /Users/${member.user.id}`)).status).toBe(404);
    const last = await scim(`DELETE /Users/${owner.user.id}`);
    expect(last).toMatchObject({ status: 409, body: { status: '409', detail: expect.stringContaining('last owner') } });
    expect(await me(owner.token)).toBe(200);
  });

  test('does not reach service accounts, which are no users', async () => {
    const { body } = await ask(app, 'GET /api/v1/team/members', { token: owner.token });
    const service = (body.data as { id: string; kind: string }[]).find(({ kind }) => kind === 'service');
    expect((await scim(`DELETE /Users/${service?.id}`)).status).toBe(404);
    expect((await scim('GET /Users')).body.totalResults).toBe(1);
  });
});

test('the address of an owner stays, since a mail to it resets the password', async () => {
  const body = patch({ op: 'replace', path: 'emails', value: [{ value: 'evil@example.com', primary: true }] });
  expect(await scim(`PATCH /Users/${owner.user.id}`, body)).toMatchObject({
    status: 403,
    body: { scimType: 'mutability' },
  });
  const named = await scim(`PATCH /Users/${owner.user.id}`, patch({ op: 'add', path: 'displayName', value: 'Boss' }));
  expect(named).toMatchObject({ status: 200, body: { displayName: 'Boss', emails: [{ value: 'ann@example.com' }] } });
});

test('a change of the address takes away its confirmation', async () => {
  const member = await join(app, owner.token, 'max@example.com');
  const users = app.app.db.collection<{ _id: string }>('users');
  await users.updateOne({ _id: member.user.id }, { $set: { email_verified_at: new Date() } });
  await scim(`PATCH /Users/${member.user.id}`, patch({ op: 'replace', path: 'userName', value: 'maxi@example.com' }));
  expect(await users.findOne({ _id: member.user.id })).toMatchObject({
    email: 'maxi@example.com',
    email_verified_at: null,
  });
});

describe('versions', () => {
  test('refuse a change of an older state, and spare an answer that is known', async () => {
    const made = await scim('POST /Users', oktaUser('v@example.com'));
    const etag = made.headers.get('etag') as string;
    const path = `/Users/${made.body.id}` as const;
    expect((await scim(`GET ${path}`, undefined, { 'if-none-match': etag })).status).toBe(304);
    const change = patch({ op: 'replace', path: 'displayName', value: 'V' });
    const changed = await scim(`PATCH ${path}`, change, { 'if-match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
    for (const verb of ['PATCH', 'DELETE', 'PUT'] as const) {
      const body = { PATCH: change, DELETE: undefined, PUT: oktaUser('v@example.com') }[verb];
      expect((await scim(`${verb} ${path}`, body, { 'if-match': etag })).status).toBe(412);
    }
  });
});
