import { apiGatewayService } from '../../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../../services/audit/audit.service';
import { authService } from '../../../../services/auth/auth.service';
import { registerTenant } from '../../../support/accounts';
import { startApp, type TestApp } from '../../../support/app';
import { oktaUser, patch, type Scim, scimKey, scimWith } from '../../../support/scim/client';

let app: TestApp;
let scim: Scim;
const ids: Record<string, string> = {};

const USERS = [
  { name: 'zoe', given: { name: { familyName: 'adams' }, displayName: 'Zoë', active: false } },
  { name: 'Bob', given: { name: { familyName: 'Miller' }, displayName: undefined } },
  { name: 'amy', given: { name: {}, displayName: 'amy' } },
  { name: 'cal', given: { name: { familyName: 'Öz' }, displayName: 'Cal' } },
] as const;

beforeAll(async () => {
  app = await startApp({ services: [apiGatewayService, authService, auditService] });
  const owner = await registerTenant(app, { email: 'owner@sort.test' });
  await app.call('auth.set_plan', { plan: 'enterprise' }, { tenant_id: owner.tenant.id, role: 'service' });
  scim = scimWith(app, await scimKey(app, owner.token));
  for (const { name, given } of USERS)
    ids[name] = (await scim('POST /Users', oktaUser(`${name}@sort.test`, { externalId: name, ...given }))).body.id;
  const members = (...names: string[]) => names.map((name) => ({ value: ids[name] }));
  for (const [displayName, ...names] of [['sales', 'zoe', 'amy'], ['Ops', 'amy'], ['empty']] as const)
    ids[displayName] = (await scim('POST /Groups', { displayName, members: members(...names) })).body.id;
}, 60_000);
afterAll(() => app.close());

const users = async (query: string): Promise<string[]> =>
  (await scim(`GET /Users?${query}`)).body.Resources.map(({ userName }) => String(userName).split('@')[0] as string);
const groups = async (query: string): Promise<unknown[]> =>
  (await scim(`GET /Groups?${query}`)).body.Resources.map(({ displayName }) => displayName);

describe('lists', () => {
  test.each([
    ['sortBy=userName', ['amy', 'Bob', 'cal', 'owner', 'zoe']],
    ['sortBy=USERNAME&sortOrder=Descending', ['zoe', 'owner', 'cal', 'Bob', 'amy']],
    ['sortby=emails.value', ['amy', 'Bob', 'cal', 'owner', 'zoe']],
    ['sortBy=urn:ietf:params:scim:schemas:core:2.0:User:userName&count=2&startIndex=2', ['Bob', 'cal']],
    // Those without a value are the last ones, the oldest first, and with a descending order the first.
    ['sortBy=name.familyName', ['zoe', 'Bob', 'cal', 'owner', 'amy']],
    ['sortBy=name.familyName&sortOrder=descending', ['owner', 'amy', 'cal', 'Bob', 'zoe']],
    ['sortBy=displayName', ['amy', 'cal', 'zoe', 'owner', 'Bob']],
    // With regard to case.
    ['sortBy=externalId&count=4', ['Bob', 'amy', 'cal', 'zoe']],
    ['sortBy=active&count=1', ['zoe']],
    ['sortBy=meta.created&sortOrder=descending&count=2', ['cal', 'amy']],
    [
      `sortBy=userName&filter=${encodeURIComponent('active eq true and userName co "@sort"')}`,
      ['amy', 'Bob', 'cal', 'owner'],
    ],
  ])('of users are sorted by %s', async (query, names) => {
    expect(await users(query)).toEqual(names);
  });

  test('of users name the number of all, also of a page', async () => {
    const { body } = await scim('GET /Users?sortBy=userName&count=1');
    expect(body).toMatchObject({ totalResults: 5, itemsPerPage: 1, startIndex: 1 });
  });

  test.each([
    ['sortBy=displayName', ['empty', 'Ops', 'sales']],
    ['sortBy=displayName&sortOrder=descending&count=1&startIndex=2', ['Ops']],
    ['sortBy=meta.created&sortOrder=descending', ['empty', 'Ops', 'sales']],
    ['sortOrder=descending', ['sales', 'Ops', 'empty']],
  ])('of groups are sorted by %s', async (query, names) => {
    expect(await groups(query)).toEqual(names);
  });

  test('of groups have their members when they are sorted', async () => {
    const { body } = await scim('GET /Groups?sortBy=displayName&count=2&startIndex=2');
    expect(body.Resources.map(({ members }) => (members as unknown[]).length)).toEqual([1, 2]);
  });

  test.each([
    ['/Users?sortBy=nickName', 'invalidValue'],
    ['/Users?sortBy=name', 'invalidValue'],
    ['/Users?sortBy=groups', 'invalidValue'],
    ['/Users?sortBy=userName&sortOrder=up', 'invalidValue'],
    ['/Users?sortBy=emails[type%20eq%20%22work%22]', 'invalidValue'],
    ['/Users?sortBy=a..b', 'invalidPath'],
    ['/Groups?sortBy=members', 'invalidValue'],
  ])('are refused by %s', async (path, scimType) => {
    expect(await scim(`GET ${path}` as `GET /`)).toMatchObject({ status: 400, body: { scimType } });
  });
});

describe('the groups of a user', () => {
  const group = (name: string) => ({
    value: ids[name],
    $ref: `${app.url}/scim/v2/Groups/${ids[name]}`,
    display: name,
    type: 'direct',
  });
  const of = async (name: string) => (await scim(`GET /Users/${ids[name]}`)).body.groups;

  test('are listed by name, of one user and in a list', async () => {
    expect(await of('amy')).toEqual([group('Ops'), group('sales')]);
    expect(await of('Bob')).toEqual([]);
    const { body } = await scim('GET /Users?sortBy=userName');
    expect(body.Resources.map((user) => (user.groups as unknown[]).length)).toEqual([2, 0, 0, 0, 1]);
    const plain = await scim('GET /Users?count=2&startIndex=2&attributes=groups');
    expect(plain.body.Resources.map((user) => user.groups)).toEqual([[group('sales')], []]);
  });

  test.each([
    ['by the id', () => `groups eq "${ids.sales}"`, ['amy', 'zoe']],
    ['by the id of a part', () => `groups[value eq "${ids.Ops}"]`, ['amy']],
    ['by the name', () => 'groups.display sw "o"', ['amy']],
    ['by a group that does not exist', () => 'groups.value eq "none"', []],
    ['by having any', () => 'groups pr', ['amy', 'zoe']],
    ['by having none', () => 'not (groups pr) and userName sw "b"', ['Bob']],
  ])('are filtered %s', async (_how, filter, names) => {
    expect(await users(`sortBy=userName&filter=${encodeURIComponent(filter())}`)).toEqual(names);
  });

  test('are changed by the members of a group alone, and are part of the version of the user', async () => {
    const path = `/Users/${ids.cal}` as const;
    const { etag } = Object.fromEntries((await scim(`GET ${path}`)).headers);
    const user = oktaUser('cal@sort.test', { externalId: 'cal', groups: [{ value: ids.Ops }] });
    expect((await scim(`PUT ${path}`, user)).body.groups).toEqual([]);
    const add = patch({ op: 'add', path: 'groups', value: [{ value: ids.Ops }] });
    expect(await scim(`PATCH ${path}`, add)).toMatchObject({ status: 400, body: { scimType: 'mutability' } });
    await scim(`PATCH /Groups/${ids.empty}`, patch({ op: 'add', path: 'members', value: [{ value: ids.cal }] }));
    const after = await scim(`GET ${path}`, undefined, { 'if-none-match': String(etag) });
    expect([after.status, after.body.groups]).toEqual([200, [group('empty')]]);
    await scim(`PATCH /Groups/${ids.empty}`, patch({ op: 'remove', path: 'members' }));
    expect(await of('cal')).toEqual([]);
  });
});
