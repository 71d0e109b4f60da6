import { apiGatewayService } from '../../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../../services/audit/audit.service';
import { authService } from '../../../../services/auth/auth.service';
import type { Session } from '../../../../contracts/auth/accounts';
import { registerTenant } from '../../../support/accounts';
import { startApp, type TestApp } from '../../../support/app';
import { ask } from '../../../support/http';
import { GROUP, oktaUser, patch, type Scim, scimKey, scimWith, USER } from '../../../support/scim/client';
import { join } from '../../../support/team';

let app: TestApp;
let owner: Session;
let key: string;
let scim: Scim;

beforeAll(async () => {
  app = await startApp({ services: [apiGatewayService, authService, auditService] });
  owner = await registerTenant(app);
  await app.call('auth.set_plan', { plan: 'enterprise' }, { tenant_id: owner.tenant.id, role: 'service' });
  key = await scimKey(app, owner.token);
  scim = scimWith(app, key);
}, 60_000);
afterAll(() => app.close());

describe('the credential', () => {
  const keyOf = async (token: string, body: object) =>
    ask(app, 'POST /api/v1/api-keys', { token, body: { name: 'k', ...body } });

  test('is an API key with the scope scim, and nothing else', async () => {
    const { body } = await keyOf(owner.token, { scope: 'admin' });
    for (const credential of [owner.token, String(body.key)]) {
      const answer = await scimWith(app, credential)('GET /Users');
      expect(answer).toMatchObject({
        status: 403,
        body: { status: '403', detail: expect.stringContaining('scope scim') },
      });
    }
    for (const credential of [null, 'evs_unknown']) {
      const answer = await scimWith(app, credential)('GET /Users');
      expect(answer).toMatchObject({ status: 401, body: { status: '401' } });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.headers.get('content-type')).toContain('application/scim+json');
    }
  });

  test('does nothing but SCIM', async () => {
    for (const line of [
      'GET /api/v1/me',
      'GET /api/v1/team/members',
      'GET /api/v1/api-keys',
      'GET /api/v1/tenant',
    ] as const)
      expect(await ask(app, line, { token: key })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await ask(app, 'POST /api/v1/api-keys', { token: key, body: { name: 'k' } })).status).toBe(403);
  });

  test('is made and rotated by owners, who alone change roles', async () => {
    const admin = await join(app, owner.token, 'admin@example.com', 'admin');
    expect((await keyOf(admin.token, { scope: 'scim' })).status).toBe(403);
    const { body } = await keyOf(owner.token, { scope: 'scim' });
    expect(
      (await ask(app, `POST /api/v1/api-keys/${String(body.id)}/rotate`, { token: admin.token, body: {} })).status,
    ).toBe(403);
    expect(
      (await ask(app, `POST /api/v1/api-keys/${String(body.id)}/rotate`, { token: owner.token, body: {} })).status,
    ).toBe(200);
  });

  test('counts no more when its user is no admin any more', async () => {
    const second = await join(app, owner.token, 'second@example.com', 'owner');
    const { body } = await keyOf(second.token, { scope: 'scim' });
    expect((await scimWith(app, String(body.key))('GET /Users')).status).toBe(200);
    const line = `PUT /api/v1/team/members/${second.user.id}/role` as const;
    expect((await ask(app, line, { token: owner.token, body: { role: 'member' } })).status).toBe(200);
    expect((await scimWith(app, String(body.key))('GET /Users')).status).toBe(403);
  });
});

describe('isolation', () => {
  test('users and groups of another workspace do not exist', async () => {
    const other = await registerTenant(app, { email: 'mallory@example.com' });
    const theirs = scimWith(app, await scimKey(app, other.token));
    const user = (await scim('POST /Users', oktaUser('hidden@example.com'))).body;
    const group = (
      await scim('POST /Groups', { schemas: [GROUP], displayName: 'Hidden', members: [{ value: user.id }] })
    ).body;
    for (const path of [`/Users/${user.id}`, `/Groups/${group.id}`] as const) {
      expect((await theirs(`GET ${path}`)).status).toBe(404);
      expect((await theirs(`DELETE ${path}`)).status).toBe(404);
      expect((await theirs(`PUT ${path}`, { ...oktaUser('x@example.com'), displayName: 'x' })).status).toBe(404);
      expect((await theirs(`PATCH ${path}`, patch({ op: 'replace', path: 'displayName', value: 'x' }))).status).toBe(
        404,
      );
    }
    expect((await theirs('GET /Users')).body.Resources.map(({ userName }) => userName)).toEqual([
      'mallory@example.com',
    ]);
    expect(
      (await theirs(`GET /Groups?filter=${encodeURIComponent('displayName eq "Hidden"')}`)).body.totalResults,
    ).toBe(0);
    const joined = await theirs('POST /Groups', { displayName: 'Mine', members: [{ value: user.id }] });
    expect(joined).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
    expect((await scim(`GET /Groups/${group.id}`)).body).toMatchObject({
      displayName: 'Hidden',
      members: [{ value: user.id }],
    });
    // The same address may have an account in each workspace.
    expect((await theirs('POST /Users', oktaUser('hidden@example.com'))).status).toBe(201);
  });
});

describe('discovery', () => {
  test('says what is supported', async () => {
    const { body } = await scim('GET /ServiceProviderConfig');
    expect(body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      etag: { supported: true },
      authenticationSchemes: [{ type: 'oauthbearertoken' }],
    });
    expect((await scim('POST /Bulk', {})).status).toBe(501);
    expect((await scim('GET /ResourceTypes')).body).toMatchObject({
      totalResults: 2,
      Resources: [{ id: 'User' }, { id: 'Group' }],
    });
    expect((await scim('GET /ResourceTypes/Group')).body).toMatchObject({ endpoint: '/Groups', schema: GROUP });
    expect((await scim(`GET /Schemas/${USER}`)).body).toMatchObject({ id: USER, name: 'User' });
    expect((await scim('GET /Schemas/unknown')).status).toBe(404);
  });

  test('describes each attribute of a user and of a group', async () => {
    const { body } = await scim('GET /Schemas');
    const named = body.Resources.map(({ id, attributes }) => [
      id,
      (attributes as { name: string }[]).map(({ name }) => name),
    ]);
    const schemas = Object.fromEntries(named) as Record<string, string[]>;
    const user = (await scim('POST /Users', oktaUser('all@example.com'))).body;
    const group = (await scim('POST /Groups', { displayName: 'All', externalId: 'a', members: [{ value: user.id }] }))
      .body;
    const common = ['schemas', 'id', 'externalId', 'meta'];
    const of = (resource: object) =>
      Object.keys(resource)
        .filter((name) => !common.includes(name))
        .sort();
    expect(of(user)).toEqual([...(schemas[USER] as string[])].sort());
    expect(of(group)).toEqual([...(schemas[GROUP] as string[])].sort());
  });
});

describe('filters', () => {
  const list = (filter: string) => scim(`GET /Users?filter=${encodeURIComponent(filter)}`);
  beforeAll(async () => {
    await scim('POST /Users', oktaUser('zoe@filter.test', { displayName: 'Zoe "Z" Oz', active: false }));
    await scim('POST /Users', oktaUser('yan@filter.test', { displayName: 'Yan', externalId: 'Case' }));
  });

  test.each([
    ['userName eq "zoe@filter.test"', ['zoe']],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ZOE@filter.test"', ['zoe']],
    ['emails.value co "@filter.test" and active eq false', ['zoe']],
    ['emails[type eq "work" and value ew "@filter.test"] and not (active eq false)', ['yan']],
    ['displayName eq "Zoe \\"Z\\" Oz"', ['zoe']],
    ['userName sw "yan@" or (displayName sw "zoe" and userName ew ".test")', ['zoe', 'yan']],
    ['externalId eq "Case"', ['yan']],
    ['externalId eq "case"', []],
    ['emails.value ne "zoe@filter.test" and userName co "filter"', ['yan']],
    ['emails eq "yan@filter.test"', ['yan']],
    ['nickName pr', []],
    ['meta.lastModified gt "2000-01-01T00:00:00Z" and userName co "@filter"', ['zoe', 'yan']],
  ])('%s', async (filter, names) => {
    const { status, body } = await list(filter);
    expect(status).toBe(200);
    expect(body.Resources.map(({ userName }) => String(userName).split('@')[0])).toEqual(names);
    expect(body.totalResults).toBe(names.length);
  });

  test.each([
    'userName',
    'userName eq',
    'userName eq "a',
    'userName is "a"',
    '(userName pr',
    'a eq 1 and',
    '__proto__ eq 1',
    "userName eq 'a'",
    'not active eq true',
    `${'('.repeat(50)}active pr${')'.repeat(50)}`,
    Array(40).fill('active pr').join(' or '),
    `userName eq "${'x'.repeat(3_000)}"`,
  ])('refuse %.60s', async (filter) =>
    expect(await list(filter)).toMatchObject({ status: 400, body: { scimType: 'invalidFilter', status: '400' } }),
  );

  test('leave the choice of attributes', async () => {
    const only = await scim('GET /Users?attributes=userName,emails.value&count=1');
    expect(Object.keys(only.body.Resources[0] as object).sort()).toEqual(['emails', 'id', 'schemas', 'userName']);
    const without = await scim('GET /Users?excludedAttributes=emails,roles&count=1');
    expect(without.body.Resources[0]).not.toHaveProperty('emails');
    expect(without.body.Resources[0]).toHaveProperty('userName');
  });
});

describe('hostile requests', () => {
  test.each<[string, number, unknown]>([
    ['POST /Users', 400, '{'],
    ['POST /Users', 400, []],
    ['POST /Users', 400, {}],
    ['POST /Users', 400, { userName: 7 }],
    ['POST /Users', 400, { userName: 'no address' }],
    ['POST /Users', 400, { userName: 'x'.repeat(400) }],
    ['POST /Users', 400, { userName: 'a@b.test', emails: 'a@b.test' }],
    ['POST /Users', 400, { userName: 'a@b.test', active: 'perhaps' }],
    ['POST /Users', 400, { userName: 'a@b.test', name: 'A' }],
    ['POST /Users', 400, { userName: 'ä@b.test' }],
    ['POST /Groups', 400, {}],
    ['POST /Groups', 400, { displayName: 'x', members: [{}] }],
    ['POST /Groups', 400, { displayName: 'x', members: [{ value: 'unknown' }] }],
    ['POST /Groups', 400, { displayName: 'x', members: 'all' }],
    ['PATCH /Users/:', 400, {}],
    ['PATCH /Users/:', 400, patch()],
    ['PATCH /Users/:', 400, patch({ op: 'move', path: 'active', value: true })],
    ['PATCH /Users/:', 400, patch({ op: 'replace', path: 'emails[', value: 'x' })],
    ['PATCH /Users/:', 400, patch({ op: 'replace', path: 'id', value: 'x' })],
    ['PATCH /Users/:', 400, patch({ op: 'remove' })],
    ['PATCH /Users/:', 400, patch({ op: 'remove', path: 'userName' })],
    ['PATCH /Users/:', 400, patch({ op: 'replace', value: 'x' })],
    ['PATCH /Users/:', 400, patch({ op: 'replace', value: { 'a[': 1 } })],
    ['PATCH /Users/:', 413, patch(...Array.from({ length: 1_001 }, () => ({ op: 'add', path: 'title', value: 'x' })))],
    ['GET /Users?startIndex=x', 400, undefined],
    ['GET /Users?filter=a&filter=b', 400, undefined],
    ['GET /Unknown', 404, undefined],
    ['GET /Users/a/b', 404, undefined],
    ['GET /', 404, undefined],
    ['DELETE /Users', 405, undefined],
    ['POST /Schemas', 405, {}],
  ])('%s is answered with %i as SCIM has it', async (line, status, body) => {
    const answer = await scim(line.replace('/:', `/${owner.user.id}`) as 'GET /', body);
    expect([answer.status, answer.body.status]).toEqual([status, String(status)]);
    expect(answer.body.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:Error']);
  });

  test('take application/json, and no form', async () => {
    const plain = await scim('POST /Users', oktaUser('plain@example.com'), { 'content-type': 'application/json' });
    expect(plain.status).toBe(201);
    expect((await scim('POST /Users', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(
      415,
    );
  });
});
