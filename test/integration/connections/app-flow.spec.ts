import { Browser, outcomeOf } from '../../support/sso/browser';
import {
  APP_CALLBACK,
  type AppHouse,
  beginApp,
  CLIENT_SECRET,
  connectWithApp,
  registerApp,
  startAppHouse,
} from '../../support/connections/apps';
import { eventsOf, FRONTEND, listed, newOwner, type Owner, person, visit } from '../../support/connections/house';

let house: AppHouse;
let owner: Owner;

beforeAll(async () => {
  house = await startAppHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  owner = await newOwner(house.t);
});

const token = (id: string) => owner.api.call<{ access_token: string }>('GET', `/api/v1/oauth/connections/${id}/token`);

describe('an account of any provider', () => {
  it.each([
    ['authenticated by a header', { client_id: 'crm' }],
    ['authenticated in the body', { client_id: 'body', custom: { auth_style: 'body' } }],
    ['of a public client', { client_id: 'public', custom: { auth_style: 'none' } }],
  ])('is connected with an app %s, renewed, and given back', async (_what, given) => {
    const app = await registerApp(owner, house, given);
    const account = person();
    const made = await connectWithApp(house, owner, app.id, {}, account);
    expect(made).toMatchObject({
      kind: 'oauth',
      connector: 'oauth',
      app_id: app.id,
      name: `CRM ${account.email}`,
      status: 'active',
      state: 'ok',
      account: account.email,
      last_error: null,
    });
    const { access_token } = await token(made.id);
    const me = () => fetch(`${house.provider.issuer}/me`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(await (await me()).json()).toMatchObject({ sub: account.sub });
    expect(await owner.api.call('POST', `/api/v1/oauth/connections/${made.id}/refresh`)).toMatchObject({ state: 'ok' });
    expect((await token(made.id)).access_token).not.toBe(access_token);
    expect((await owner.api.ask('DELETE', `/api/v1/oauth/connections/${made.id}`)).status).toBe(204);
    expect((await me()).status).toBe(401);
    expect((await eventsOf(owner))[0]).toMatchObject({
      action: 'connection.revoke',
      after: { at_provider: 'revoked' },
    });
    const shown = JSON.stringify(await eventsOf(owner)) + house.log.join('\n');
    expect([shown.includes(access_token), shown.includes(CLIENT_SECRET)]).toEqual([false, false]);
  });

  it('is asked for with PKCE, a state, and the scopes and parameters of the app', async () => {
    const app = await registerApp(owner, house, {
      custom: { authorize_params: { audience: 'crm', prompt: 'consent' } },
    });
    const { authorize_url } = await beginApp(owner, app.id, { scopes: ['openid', 'mail.send'] });
    const { location, cookies } = await new Browser().open(authorize_url);
    const asked = Object.fromEntries(new URL(location ?? '').searchParams);
    expect(asked).toMatchObject({
      response_type: 'code',
      client_id: 'crm',
      redirect_uri: `${house.t.url}${APP_CALLBACK}`,
      scope: 'openid mail.send',
      audience: 'crm',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(cookies[0]).toMatch(/; path=\/api\/v1\/oauth\/callback;.*httponly/i);
    expect(JSON.stringify(cookies)).not.toContain(asked.state);
  });

  it('is connected again under the id of a connection, also as another account', async () => {
    const app = await registerApp(owner, house);
    const first = await connectWithApp(house, owner, app.id, { name: 'work' });
    await house.t.app.db
      .collection<{ _id: string }>('connections')
      .updateOne({ _id: first.id }, { $set: { status: 'revoked', last_error: 'gone' } });
    expect((await listed(owner))[0]).toMatchObject({ state: 'reconnect', last_error: 'gone' });
    const again = await connectWithApp(house, owner, app.id, { connection: first.id });
    expect(again).toMatchObject({ id: first.id, name: 'work', state: 'ok', last_error: null });
    expect(again.account).not.toBe(first.account);
    expect(await listed(owner)).toHaveLength(1);
    expect((await owner.api.ask('POST', `/api/v1/oauth-apps/${app.id}/authorize`, { connection: app.id })).status).toBe(
      404,
    );
  });

  it('that is known is connected again under its id; one app does not take over what another has connected', async () => {
    const app = await registerApp(owner, house);
    const second = await registerApp(owner, house, {
      name: 'Second',
      client_id: 'body',
      custom: { auth_style: 'body' },
    });
    const account = person();
    const first = await connectWithApp(house, owner, app.id, {}, account);
    expect((await connectWithApp(house, owner, app.id, {}, account)).id).toBe(first.id);
    expect((await connectWithApp(house, owner, second.id, {}, account)).id).not.toBe(first.id);
  });

  it('goes back to the path that was asked for', async () => {
    const app = await registerApp(owner, house);
    await house.provider.account(person());
    const { authorize_url } = await beginApp(owner, app.id, { return_to: '/connections' });
    expect(await new Browser().follow(authorize_url, FRONTEND)).toMatch(
      /^https:\/\/app\.test\/in\/connections#oauth_connection=[\da-f-]{36}$/,
    );
  });

  it('is tested with a live call, whose outcome is kept', async () => {
    const app = await registerApp(owner, house);
    const { id } = await connectWithApp(house, owner, app.id);
    const test = () => owner.api.call('POST', `/api/v1/connections/${id}/test`);
    expect(await test()).toMatchObject({ outcome: 'ok', message: null, connection: { state: 'ok' } });
    const { access_token } = await token(id);
    await fetch(`${house.provider.issuer}/token/revocation`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`crm:${CLIENT_SECRET}`).toString('base64')}` },
      body: new URLSearchParams({ token: access_token }),
    });
    expect(await test()).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('rejected'),
      connection: { state: 'failing', last_error: expect.stringContaining('rejected') },
    });
  });
});

describe('a flow of an app refuses', () => {
  const returning = async (): Promise<{ browser: Browser; address: string }> => {
    await house.provider.account(person());
    const app = await registerApp(owner, house, { name: `CRM ${Math.random()}` });
    const browser = new Browser();
    const { authorize_url } = await beginApp(owner, app.id);
    return { browser, address: await browser.follow(authorize_url, `${house.t.url}${APP_CALLBACK}`) };
  };
  const land = async (browser: Browser, address: string): Promise<Record<string, string>> =>
    outcomeOf((await browser.open(address)).location ?? '');
  const none = async (): Promise<void> => expect(await listed(owner)).toEqual([]);

  it('an address without a ticket, with a used one, and with one of a built-in provider', async () => {
    const app = await registerApp(owner, house);
    const { authorize_url } = await beginApp(owner, app.id);
    await new Browser().open(authorize_url);
    const open = async (url: string) => (await new Browser().open(url)).status;
    expect(await open(authorize_url)).toBe(400);
    expect(await open(`${house.t.url}/api/v1/oauth/authorize`)).toBe(400);
    expect(await open(`${house.t.url}/api/v1/oauth/authorize?token=x`)).toBe(400);
    const { ticket } = await beginApp(owner, app.id);
    expect(await open(`${house.t.url}/api/v1/oauth/suite/authorize?ticket=${ticket}`)).toBe(503);
    expect(await open(`${house.t.url}/api/v1/oauth/authorize?ticket=${ticket.slice(0, -6)}AAAAAA`)).toBe(400);
  });

  it('another state', async () => {
    const { browser, address } = await returning();
    const changed = new URL(address);
    changed.searchParams.set('state', 'A'.repeat(43));
    expect(await land(browser, changed.href)).toMatchObject({ error: 'oauth_failed' });
    await none();
  });

  it('the answer in another browser', async () => {
    const { address } = await returning();
    expect(await land(new Browser(), address)).toMatchObject({ error: 'oauth_failed' });
    await none();
  });

  it('the answer a second time, also with the cookie kept', async () => {
    const { browser, address } = await returning();
    const copy = browser.copy();
    expect(await land(browser, address)).toMatchObject({ oauth_connection: expect.any(String) });
    expect(await land(copy, address)).toMatchObject({
      error: 'oauth_failed',
      error_description: expect.stringContaining('before'),
    });
    expect(await listed(owner)).toHaveLength(1);
  });

  it('a code of another flow, whose proof key is another one', async () => {
    const victim = await returning();
    const attacker = await returning();
    const injected = new URL(attacker.address);
    injected.searchParams.set('code', new URL(victim.address).searchParams.get('code') ?? '');
    expect(await land(attacker.browser, injected.href)).toMatchObject({
      error: 'oauth_failed',
      error_description: expect.stringContaining('invalid_grant'),
    });
  });

  it('an answer of another issuer, where the app names its own', async () => {
    await house.provider.account(person());
    const app = await registerApp(owner, house, { custom: { issuer: house.provider.issuer } });
    const browser = new Browser();
    const address = await browser.follow(
      (await beginApp(owner, app.id)).authorize_url,
      `${house.t.url}${APP_CALLBACK}`,
    );
    const mixed = new URL(address);
    mixed.searchParams.set('iss', 'https://evil.test');
    expect(await land(browser, mixed.href)).toMatchObject({ error: 'oauth_failed' });
  });

  it('what the person refuses, and an app that was deleted meanwhile', async () => {
    const app = await registerApp(owner, house);
    await house.provider.account(null);
    expect(await visit((await beginApp(owner, app.id)).authorize_url)).toEqual({
      error: 'oauth_failed',
      error_description: 'The provider CRM refused: access_denied',
    });
    const { authorize_url } = await beginApp(owner, app.id);
    await owner.api.ask('DELETE', `/api/v1/oauth-apps/${app.id}`);
    expect((await new Browser().open(authorize_url)).status).toBe(400);
  });

  it('endpoints that the egress rules refuse', async () => {
    const inner = { authorize_url: 'https://id.example.com/a', token_url: 'https://127.0.0.2/token' };
    const app = await registerApp(owner, house, { custom: { ...inner, account: undefined, revoke_url: undefined } });
    const browser = new Browser();
    const { location } = await browser.open((await beginApp(owner, app.id)).authorize_url);
    const state = new URL(location ?? '').searchParams.get('state');
    expect(await land(browser, `${house.t.url}${APP_CALLBACK}?code=x&state=${state}`)).toMatchObject({
      error: 'provider_failed',
      error_description: expect.stringContaining('could not be reached'),
    });
  });
});
