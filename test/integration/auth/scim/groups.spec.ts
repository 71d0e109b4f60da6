import { apiGatewayService } from '../../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../../services/audit/audit.service';
import { authService } from '../../../../services/auth/auth.service';
import type { Session } from '../../../../contracts/auth/accounts';
import { registerTenant } from '../../../support/accounts';
import { startApp, type TestApp } from '../../../support/app';
import { ask } from '../../../support/http';
import { GROUP, oktaUser, patch, type Scim, scimKey, scimWith } from '../../../support/scim/client';
import { join } from '../../../support/team';

let app: TestApp;
let owner: Session;
let scim: Scim;

beforeAll(async () => {
  app = await startApp({
    services: [apiGatewayService, authService, auditService],
    env: { EGRESS_ALLOW: '127.0.0.1' },
  });
}, 60_000);
beforeEach(async () => {
  owner = await registerTenant(app);
  await app.call('auth.set_plan', { plan: 'enterprise' }, { tenant_id: owner.tenant.id, role: 'service' });
  scim = scimWith(app, await scimKey(app, owner.token));
});
afterAll(() => app.close());

const user = async (name: string) => (await scim('POST /Users', oktaUser(`${name}@example.com`))).body.id;
const group = async (displayName: string, members: string[] = [], given: object = {}) =>
  (
    await scim('POST /Groups', {
      schemas: [GROUP],
      displayName,
      members: members.map((value) => ({ value })),
      ...given,
    })
  ).body.id;
const membersOf = async (id: string) =>
  ((await scim(`GET /Groups/${id}`)).body.members as { value: string }[]).map(({ value }) => value);
const roleOf = async (id: string) => ((await scim(`GET /Users/${id}`)).body.roles as { value: string }[])[0]?.value;

describe('Okta', () => {
  test('creates a group, finds it by its name, and changes name and members', async () => {
    const [a, b] = [await user('a'), await user('b')];
    const made = await scim('POST /Groups', {
      schemas: [GROUP],
      displayName: 'Sales',
      members: [{ value: a, display: 'a@example.com' }],
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        displayName: 'Sales',
        members: [{ value: a, type: 'User', $ref: `${app.url}/scim/v2/Users/${a}` }],
        meta: { resourceType: 'Group' },
      },
    });
    const { id } = made.body;
    const list = await scim(
      `GET /Groups?filter=${encodeURIComponent('displayName eq "sales"')}&startIndex=1&count=100`,
    );
    expect(list.body).toMatchObject({ totalResults: 1, Resources: [{ id }] });
    const renamed = await scim(`PATCH /Groups/${id}`, patch({ op: 'replace', value: { id, displayName: 'Selling' } }));
    expect(renamed.body).toMatchObject({ displayName: 'Selling', members: [{ value: a }] });
    await scim(
      `PATCH /Groups/${id}`,
      patch(
        { op: 'remove', path: `members[value eq "${a}"]` },
        { op: 'add', path: 'members', value: [{ value: b, display: 'b@example.com' }] },
      ),
    );
    expect(await membersOf(id)).toEqual([b]);
    await scim(`PATCH /Groups/${id}`, patch({ op: 'replace', path: 'members', value: [{ value: a }, { value: b }] }));
    expect(await membersOf(id)).toEqual([a, b]);
    expect(
      (await scim(`PUT /Groups/${id}`, { schemas: [GROUP], displayName: 'Selling', members: [] })).body.members,
    ).toEqual([]);
    expect((await scim(`DELETE /Groups/${id}`)).status).toBe(204);
    expect((await scim(`GET /Groups/${id}`)).status).toBe(404);
  });
});

describe('Entra ID', () => {
  test('asks without members, adds and removes them by value, and asks whether one is there', async () => {
    const [a, b] = [await user('a'), await user('b')];
    const id = await group('Team', [], { externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159' });
    const { status, body } = await scim(
      `PATCH /Groups/${id}`,
      patch({ op: 'Add', path: 'members', value: [{ value: a }, { value: b }] }),
    );
    expect([status, (body.members as object[]).length]).toEqual([200, 2]);
    const without = await scim(`GET /Groups/${id}?excludedAttributes=members`);
    expect(without.body).toMatchObject({ id, displayName: 'Team' });
    expect(without.body).not.toHaveProperty('members');
    expect(without.headers.get('etag')).toBe((await scim(`GET /Groups/${id}`)).headers.get('etag'));
    const has = async (member: string) => {
      const filter = encodeURIComponent(`id eq "${id}" and members eq "${member}"`);
      return (await scim(`GET /Groups?excludedAttributes=members&filter=${filter}`)).body.totalResults;
    };
    expect(await has(a)).toBe(1);
    await scim(`PATCH /Groups/${id}`, patch({ op: 'Remove', path: 'members', value: [{ value: a }] }));
    expect([await has(a), await has(b)]).toEqual([0, 1]);
    const count = async (filter: string) =>
      (await scim(`GET /Groups?filter=${encodeURIComponent(filter)}`)).body.totalResults;
    expect(await count(`members[value eq "${b}"] and displayName sw "te"`)).toBe(1);
    expect(await count(`not (members eq "${b}")`)).toBe(0);
    expect(await count(`members pr and members ne "${a}"`)).toBe(1);
    const partly = await scim(`GET /Groups?filter=${encodeURIComponent('members co "a"')}`);
    expect(partly).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } });
    await scim(`PATCH /Groups/${id}`, patch({ op: 'Remove', path: 'members' }));
    expect(await membersOf(id)).toEqual([]);
  });
});

test('two changes of a group at once both count', async () => {
  const ids = await Promise.all(['a', 'b', 'c', 'd'].map(user));
  const id = await group('Busy');
  const answers = await Promise.all(
    ids.map((value) => scim(`PATCH /Groups/${id}`, patch({ op: 'add', path: 'members', value: [{ value }] }))),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await membersOf(id)).sort()).toEqual([...ids].sort());
});

test('a name is taken once, a removed user leaves its groups, and a change of an older state is refused', async () => {
  const a = await user('a');
  const id = await group('One', [a]);
  expect(await scim('POST /Groups', { displayName: 'ONE' })).toMatchObject({
    status: 409,
    body: { scimType: 'uniqueness' },
  });
  const { headers } = await scim(`GET /Groups/${id}`);
  await scim(`DELETE /Users/${a}`);
  expect(await membersOf(id)).toEqual([]);
  const old = { 'if-match': headers.get('etag') as string };
  expect(
    (await scim(`PATCH /Groups/${id}`, patch({ op: 'replace', path: 'displayName', value: 'Two' }), old)).status,
  ).toBe(412);
});

describe('the mapping of single sign-on', () => {
  const setUp = (given: object = {}) =>
    ask(app, 'PUT /api/v1/sso/config', {
      token: owner.token,
      body: {
        provider: 'oidc',
        oidc: { issuer: 'http://127.0.0.1:1', client_id: 'c', client_secret: 's' },
        default_role: 'viewer',
        role_mapping: { claim: 'groups', values: { Ops: 'admin', 'by-id': 'member' } },
        ...given,
      },
    });

  test('gives users the highest role of their groups, up and down, at once', async () => {
    await setUp();
    const a = await user('a');
    expect(await roleOf(a)).toBe('viewer');
    const staff = await group('Staff', [a], { externalId: 'by-id' });
    expect(await roleOf(a)).toBe('member');
    const ops = await group('Ops', [a]);
    expect(await roleOf(a)).toBe('admin');
    await scim(`PATCH /Groups/${ops}`, patch({ op: 'replace', path: 'displayName', value: 'Operators' }));
    expect(await roleOf(a)).toBe('member');
    await scim(`PUT /Groups/${ops}`, { displayName: 'Ops', members: [{ value: a }] });
    expect(await roleOf(a)).toBe('admin');
    await scim(`DELETE /Groups/${ops}`);
    expect(await roleOf(a)).toBe('member');
    await scim(`PATCH /Groups/${staff}`, patch({ op: 'remove', path: 'members' }));
    expect(await roleOf(a)).toBe('viewer');
  });

  test('ends what a former role allowed with the next request', async () => {
    await setUp();
    const member = await join(app, owner.token, 'max@example.com', 'admin');
    const list = async () => (await ask(app, 'GET /api/v1/team/members', { token: member.token })).status;
    expect(await list()).toBe(200);
    await group('by-id', [member.user.id]);
    expect(await list()).toBe(403);
  });

  test('never makes an owner, and leaves owners owners', async () => {
    expect((await setUp({ role_mapping: { claim: 'groups', values: { Bosses: 'owner' } } })).status).toBe(400);
    await setUp();
    await group('by-id', [owner.user.id]);
    expect(await roleOf(owner.user.id)).toBe('owner');
  });

  test('is not needed: without it groups change no role', async () => {
    const a = await user('a');
    await group('Ops', [a]);
    expect(await roleOf(a)).toBe('member');
  });
});
