import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OAuthAppView, OAuthPresetView } from '../../../contracts/oauth-apps';
import {
  type AppHouse,
  APP_CALLBACK,
  CLIENT_SECRET,
  connectWithApp,
  registerApp,
  startAppHouse,
} from '../../support/connections/apps';
import { newOwner, type Owner } from '../../support/connections/house';
import { join as joined } from '../../support/team';
import { Api } from '../../support/server';

let house: AppHouse;
let owner: Owner;

beforeAll(async () => {
  house = await startAppHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  owner = await newOwner(house.t);
});

const APPS = '/api/v1/oauth-apps';
const github = { name: 'GitHub', preset: 'github', client_id: 'Iv1.1', client_secret: CLIENT_SECRET };

describe('an OAuth app', () => {
  it('is registered from a preset, shown without its secret, changed and deleted', async () => {
    const made = await owner.api.call<OAuthAppView>('POST', APPS, github);
    expect(made).toMatchObject({
      name: 'GitHub',
      source: 'workspace',
      preset: 'github',
      connector: 'github',
      client_id: 'Iv1.1',
      client_secret_set: true,
      authorize_url: 'https://github.com/login/oauth/authorize',
      scopes: ['repo'],
      pkce: true,
      hosts: ['api.github.com', 'uploads.github.com'],
      redirect_uri: `${house.t.url}${APP_CALLBACK}`,
      created_by: owner.user.id,
    });
    const path = `${APPS}/${made.id}`;
    expect(await owner.api.call('GET', path)).toEqual(made);
    const changed = await owner.api.call<OAuthAppView>('PUT', path, {
      name: 'Hub',
      scopes: ['gist'],
      client_secret: 'another-secret-value',
    });
    expect(changed).toMatchObject({ name: 'Hub', scopes: ['gist'], hosts: made.hosts });
    expect(await owner.api.call('GET', APPS)).toMatchObject({ data: [{ id: made.id, name: 'Hub' }] });
    expect((await owner.api.ask('DELETE', path)).status).toBe(204);
    expect((await owner.api.ask('GET', path)).status).toBe(404);
    const audit = await owner.api.call<{ data: { action: string }[] }>('GET', '/api/v1/audit?action=oauth_app.');
    expect(audit.data.map(({ action }) => action)).toEqual([
      'oauth_app.delete',
      'oauth_app.update',
      'oauth_app.create',
    ]);
    const everything = JSON.stringify([made, changed, audit]) + house.log.join('\n');
    expect(everything).not.toContain(CLIENT_SECRET);
    expect(everything).not.toContain('another-secret-value');
  });

  it('has its secret sealed at rest', async () => {
    const { id } = await registerApp(owner, house);
    const record = await house.t.app.db.collection<{ _id: string }>('oauth_apps').findOne({ _id: id });
    expect(JSON.stringify(record)).not.toContain(CLIENT_SECRET);
    const bytes = Buffer.from((record as unknown as { sealed: { buffer: Uint8Array } }).sealed.buffer);
    expect(bytes.toString('latin1')).not.toContain(CLIENT_SECRET);
  });

  it('has a name of its own', async () => {
    await owner.api.call('POST', APPS, github);
    const other = await owner.api.call<OAuthAppView>('POST', APPS, { ...github, name: 'Second' });
    expect((await owner.api.ask('POST', APPS, github)).status).toBe(409);
    expect((await owner.api.ask('PUT', `${APPS}/${other.id}`, { name: 'GitHub' })).status).toBe(409);
  });

  it('is not deleted while connections of it exist', async () => {
    const app = await registerApp(owner, house);
    const { id } = await connectWithApp(house, owner, app.id);
    const refused = await owner.api.ask('DELETE', `${APPS}/${app.id}`);
    expect([refused.status, refused.body]).toMatchObject([409, { error: expect.stringContaining('1 connections') }]);
    await owner.api.ask('DELETE', `/api/v1/oauth/connections/${id}`);
    expect((await owner.api.ask('DELETE', `${APPS}/${app.id}`)).status).toBe(204);
  });

  it('is registered by admins, and used by members', async () => {
    const app = await registerApp(owner, house);
    const member = new Api(house.t.url);
    member.token = (await joined(house.t, owner.token, 'member@example.com')).token;
    expect((await member.ask('POST', APPS, github)).status).toBe(403);
    expect((await member.ask('PUT', `${APPS}/${app.id}`, { name: 'x' })).status).toBe(403);
    expect((await member.ask('DELETE', `${APPS}/${app.id}`)).status).toBe(403);
    expect((await member.ask('GET', APPS)).status).toBe(200);
    expect((await member.ask('POST', `${APPS}/${app.id}/authorize`, {})).status).toBe(201);
  });

  it('of another tenant is not there', async () => {
    const app = await registerApp(owner, house);
    const mallory = await newOwner(house.t);
    for (const [method, suffix, body] of [
      ['GET', '', undefined],
      ['PUT', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/authorize', {}],
    ] as const) {
      const answer = await mallory.api.ask(method, `${APPS}/${app.id}${suffix}`, body);
      expect([method, answer.status]).toEqual([method, 404]);
    }
    expect(await mallory.api.call('GET', APPS)).toMatchObject({ data: [] });
  });
});

describe('an OAuth app is refused', () => {
  const custom = { authorize_url: 'https://id.example.com/authorize', token_url: 'https://id.example.com/token' };
  const base = { name: 'x', client_id: 'c', client_secret: 's' };
  it.each<[string, object, string]>([
    ['without a preset and endpoints', base, 'preset'],
    ['with both', { ...base, preset: 'github', custom }, 'preset'],
    ['with an unknown preset', { ...base, preset: 'nothing' }, 'preset'],
    [
      'with an http endpoint',
      { ...base, custom: { ...custom, token_url: 'http://id.example.com/token' } },
      'custom.token_url',
    ],
    [
      'with a query in an endpoint',
      { ...base, custom: { ...custom, token_url: 'https://a.example/token?x=1' } },
      'custom.token_url',
    ],
    [
      'with a password in an endpoint',
      { ...base, custom: { ...custom, authorize_url: 'https://a:b@c.example/' } },
      'custom.authorize_url',
    ],
    ['with another scheme', { ...base, custom: { ...custom, revoke_url: 'file:///etc/passwd' } }, 'custom.revoke_url'],
    [
      'with a parameter of the flow',
      { ...base, custom: { ...custom, authorize_params: { redirect_uri: 'https://evil.test' } } },
      'custom.authorize_params.redirect_uri',
    ],
    [
      'with a parameter that is no name',
      { ...base, custom: { ...custom, authorize_params: { 'a&b': '1' } } },
      'custom.authorize_params.a&b',
    ],
    ['with a host that is none', { ...base, preset: 'github', hosts: ['https://api.example.com/'] }, 'hosts'],
    ['with a star for all hosts', { ...base, preset: 'github', hosts: ['*.com'] }, 'hosts'],
    ['with a scope that is none', { ...base, preset: 'github', scopes: ['a b'] }, 'scopes'],
    ['without a secret, where there is no PKCE', { name: 'x', client_id: 'c', preset: 'hubspot' }, 'client_secret'],
    ['with a secret of a public client', { ...base, custom: { ...custom, auth_style: 'none' } }, 'client_secret'],
    [
      'of a public client without PKCE',
      { name: 'x', client_id: 'c', custom: { ...custom, auth_style: 'none', pkce: false } },
      'custom.pkce',
    ],
    ['without a variable of its preset', { ...base, preset: 'shopify' }, 'variables.shop'],
    [
      'with a variable that leads to another host',
      { ...base, preset: 'shopify', variables: { shop: 'evil.test/x?' } },
      'variables.shop',
    ],
    [
      'with a variable that the preset does not have',
      { ...base, preset: 'github', variables: { host: 'a' } },
      'variables.host',
    ],
    [
      'with a path of a token that is none',
      { ...base, custom: { ...custom, token_paths: { access_token: 'a..b' } } },
      'custom.token_paths.access_token',
    ],
  ])('%s', async (_what, body, path) => {
    const answer = await owner.api.ask<{ details: { path: string }[] }>('POST', APPS, body);
    expect([answer.status, answer.body.details.map((each) => each.path)]).toEqual([
      400,
      expect.arrayContaining([path]),
    ]);
  });
});

it('the examples of the page are accepted', async () => {
  const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'connections.md'), 'utf8');
  const examples = [
    ...page.matchAll(/curl -X POST \$API(\/api\/v1\/oauth-apps\S*) [^\n]*(?:\n[^\n`]*?)?-d '([^']+)'/g),
  ];
  expect(examples.length).toBeGreaterThanOrEqual(3);
  let id = '';
  for (const [, path = '', body = ''] of examples) {
    const answer = await owner.api.ask<{ id?: string }>('POST', path.replace('$APP', id), JSON.parse(body));
    expect([path, answer.status]).toEqual([path, 201]);
    id = answer.body.id ?? id;
  }
});

it('presets are listed with what their apps need', async () => {
  const { data } = await owner.api.call<{ data: OAuthPresetView[] }>('GET', '/api/v1/oauth-presets');
  expect(data.length).toBeGreaterThanOrEqual(25);
  expect(data.find(({ id }) => id === 'microsoft')).toMatchObject({
    token_url: 'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token',
    variables: [{ name: 'tenant', default: 'common' }],
  });
});
