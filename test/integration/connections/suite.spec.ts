import { Browser, outcomeOf } from '../../support/sso/browser';
import {
  begin,
  connect,
  type ConnectionHouse,
  eventsOf,
  FRONTEND,
  listed,
  newOwner,
  person,
  startConnectionHouse,
  visit,
} from '../../support/connections/house';

let house: ConnectionHouse;

beforeAll(async () => {
  house = await startConnectionHouse();
});
afterAll(() => house.close());

const authorize = (query = ''): string => `${house.t.url}/api/v1/oauth/suite/authorize${query}`;
const callback = (): string => `${house.t.url}/api/v1/oauth/suite/callback`;

describe('an account of the suite', () => {
  it('is connected with a ticket, shown without its tokens, and its access token is given to members', async () => {
    const owner = await newOwner(house.t);
    const account = person();
    const made = await connect(house, owner, {}, account);
    expect(made).toMatchObject({
      kind: 'oauth',
      connector: 'suite',
      name: `suite ${account.email}`,
      status: 'active',
      account: account.email,
      last_error: null,
      created_by: owner.user.id,
    });
    expect(made.scopes).toEqual(expect.arrayContaining(['openid', 'email', 'files.read']));
    const token = await owner.api.call<{ access_token: string; expires_at: string }>(
      'GET',
      `/api/v1/oauth/connections/${made.id}/token`,
    );
    expect(Date.parse(token.expires_at) - Date.now()).toBeGreaterThan(3_000_000);
    const me = await fetch(`${house.provider.issuer}/me`, {
      headers: { authorization: `Bearer ${token.access_token}` },
    });
    expect(await me.json()).toMatchObject({ sub: account.sub });
    const shown = JSON.stringify([await listed(owner), await eventsOf(owner)]);
    expect(shown).not.toContain(token.access_token);
    expect((await eventsOf(owner)).map(({ action }) => action)).toEqual(['connection.token', 'connection.create']);
  });

  it('goes back to a path of the front end that was asked for, and nowhere else', async () => {
    const owner = await newOwner(house.t);
    await house.provider.account(person());
    const { authorize_url } = await begin(owner, 'suite', { return_to: '/connections/new' });
    const end = await new Browser().follow(authorize_url, FRONTEND);
    expect(end).toMatch(/^https:\/\/app\.test\/in\/connections\/new#oauth_connection=[\da-f-]{36}$/);
    await house.provider.account(null);
    const refused = await begin(owner, 'suite', { return_to: '/connections' });
    expect(await new Browser().follow(refused.authorize_url, FRONTEND)).toMatch(
      /^https:\/\/app\.test\/in\/connections#error=/,
    );
    for (const return_to of [
      '//evil.test',
      'https://evil.test',
      '/../x',
      '/a/../b',
      '/\\evil.test',
      '@evil.test',
      '/a?b',
      '/.x',
    ]) {
      const answer = await owner.api.ask('POST', '/api/v1/oauth/suite/start', { return_to });
      expect([return_to, answer.status]).toEqual([return_to, 400]);
    }
  });

  it('is connected without a ticket, and taken once by the caller that shows the code and a token', async () => {
    const owner = await newOwner(house.t);
    const other = await newOwner(house.t);
    await house.provider.account(person());
    const { oauth_claim: code } = await visit(authorize('?scopes=files.read'));
    const body = { code, name: 'mine' };
    const answers = await Promise.all([owner, other].map(({ api }) => api.ask('POST', '/api/v1/oauth/claims', body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 400]));
    expect(answers.find(({ status }) => status === 400)?.body).toMatchObject({ code: 'invalid_token' });
    expect([...(await listed(owner)), ...(await listed(other))].map(({ name }) => name)).toEqual(['mine']);
    expect((await fetch(`${house.t.url}/api/v1/oauth/claims`, { method: 'POST' })).status).toBe(401);
  });

  it('is connected again under its id and name, with new tokens', async () => {
    const owner = await newOwner(house.t);
    const account = person();
    const first = await connect(house, owner, { name: 'work' }, account);
    await house.t.app.db
      .collection<{ _id: string }>('connections')
      .updateOne({ _id: first.id }, { $set: { status: 'revoked', last_error: 'gone' } });
    const again = await connect(house, owner, {}, account);
    expect(again).toMatchObject({ id: first.id, name: 'work', status: 'active', last_error: null });
    const other = await connect(house, owner, {}, person());
    expect(other.id).not.toBe(first.id);
    expect(await listed(owner)).toHaveLength(2);
  });

  it('has a name of its own in the tenant, and none that looks like an id', async () => {
    const owner = await newOwner(house.t);
    const first = await connect(house, owner, { name: 'work' });
    const same = await owner.api.ask('POST', '/api/v1/oauth/notes/start', { name: 'work' });
    expect(same.status).toBe(503);
    const taken = await owner.api.ask('POST', '/api/v1/connections', { connector: 'x', name: 'work', credentials: {} });
    expect(taken.status).toBe(400);
    const id = await owner.api.ask('POST', '/api/v1/oauth/suite/start', { name: first.id });
    expect([id.status, id.body]).toEqual([400, expect.objectContaining({ error: expect.stringContaining('id') })]);
    await house.provider.account(person());
    const { authorize_url } = await begin(owner, 'suite', { name: 'work', scopes: ['files.read'] });
    expect(await visit(authorize_url)).toMatchObject({ error: 'conflict' });
  });

  it('is given back to the provider when it is disconnected, and is gone at once', async () => {
    const owner = await newOwner(house.t);
    const made = await connect(house, owner);
    const path = `/api/v1/oauth/connections/${made.id}`;
    const { access_token } = await owner.api.call<{ access_token: string }>('GET', `${path}/token`);
    expect((await owner.api.ask('DELETE', path)).status).toBe(204);
    const me = await fetch(`${house.provider.issuer}/me`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(me.status).toBe(401);
    expect((await owner.api.ask('DELETE', path)).status).toBe(404);
    expect((await owner.api.ask('GET', `${path}/token`)).status).toBe(404);
    expect((await eventsOf(owner))[0]).toMatchObject({
      action: 'connection.revoke',
      after: { at_provider: 'revoked' },
    });
  });

  it('is renewed on request, with a new refresh token each time', async () => {
    const owner = await newOwner(house.t);
    const { id } = await connect(house, owner);
    const path = `/api/v1/oauth/connections/${id}`;
    const tokens = new Set<string>();
    for (let turn = 0; turn < 3; turn += 1) {
      tokens.add((await owner.api.call<{ access_token: string }>('GET', `${path}/token`)).access_token);
      expect(await owner.api.call('POST', `${path}/refresh`)).toMatchObject({ id, status: 'active' });
    }
    expect(tokens.size).toBe(3);
  });
});

describe('a flow of the suite refuses', () => {
  it.each([
    ['a ticket that was used', async (ticket: string) => (await visit(authorize(`?ticket=${ticket}`)), ticket)],
    ['a ticket of its own making', async () => `${'0'.repeat(16)}.${'A'.repeat(80)}`],
    ['a ticket that was changed', async (ticket: string) => ticket.slice(0, -6) + 'AAAAAA'],
  ])('%s', async (_what, spoil) => {
    const owner = await newOwner(house.t);
    await house.provider.account(person());
    const { ticket } = await begin(owner, 'suite', { scopes: ['files.read'] });
    const answer = await fetch(authorize(`?ticket=${await spoil(ticket)}`), { redirect: 'manual' });
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code: 'oauth_failed' })]);
  });

  it('a token in the address', async () => {
    const { api } = await newOwner(house.t);
    for (const name of ['token', 'access_token', 'api_key', 'authorization']) {
      const answer = await fetch(authorize(`?${name}=${api.token}`), { redirect: 'manual' });
      const text = await answer.text();
      expect([name, answer.status, text.includes(api.token)]).toEqual([name, 400, false]);
    }
  });

  it('scopes with characters that are none of a scope', async () => {
    for (const scopes of ['a"b', 'a\\b', 'ä', 'a\u0000']) {
      const answer = await fetch(authorize(`?scopes=${encodeURIComponent(scopes)}`), { redirect: 'manual' });
      expect([scopes, answer.status]).toEqual([scopes, 400]);
    }
  });

  /** A browser that stands before the callback, and the address that it would open. */
  const returning = async (query = ''): Promise<{ browser: Browser; address: string }> => {
    await house.provider.account(person());
    const browser = new Browser();
    return { browser, address: await browser.follow(authorize(query), callback()) };
  };
  const land = async (browser: Browser, address: string): Promise<Record<string, string>> =>
    outcomeOf((await browser.open(address)).location ?? '');

  it('the answer in another browser, whose tenant would get a strange account', async () => {
    const { address } = await returning();
    expect(await land(new Browser(), address)).toMatchObject({ error: 'oauth_failed' });
  });

  it('the answer a second time', async () => {
    const { browser, address } = await returning();
    const page = await browser.open(address);
    expect(outcomeOf(page.location ?? '')).toMatchObject({ oauth_claim: expect.any(String) });
    expect(await land(browser, address)).toMatchObject({ error: 'oauth_failed' });
  });

  it('the answer a second time with the cookie kept', async () => {
    const { browser, address } = await returning();
    const copy = browser.copy();
    expect(await land(browser, address)).toMatchObject({ oauth_claim: expect.any(String) });
    expect(await land(copy, address)).toMatchObject({
      error: 'oauth_failed',
      error_description: expect.stringContaining('before'),
    });
  });

  it('the answer of another issuer (mix-up)', async () => {
    const { browser, address } = await returning();
    const mixed = new URL(address);
    expect(mixed.searchParams.get('iss')).toBe(house.provider.issuer);
    mixed.searchParams.set('iss', 'https://evil.test');
    expect(await land(browser, mixed.href)).toMatchObject({ error: 'oauth_failed' });
  });

  it('an answer without the issuer, where the provider always names it', async () => {
    const { browser, address } = await returning();
    const bare = new URL(address);
    bare.searchParams.delete('iss');
    expect(await land(browser, bare.href)).toMatchObject({ error: 'oauth_failed' });
  });

  it('a code of another flow, since its proof key is not the one of this flow (code injection)', async () => {
    const victim = await returning();
    const attacker = await returning();
    const injected = new URL(attacker.address);
    injected.searchParams.set('code', new URL(victim.address).searchParams.get('code') ?? '');
    expect(await land(attacker.browser, injected.href)).toMatchObject({
      error: 'oauth_failed',
      error_description: expect.stringContaining('invalid_grant'),
    });
  });

  it('a state of another provider', async () => {
    const { browser, address } = await returning();
    const moved = address.replace('/oauth/suite/', '/oauth/notes/');
    expect(await land(browser, moved)).toMatchObject({ error: 'oauth_failed' });
  });

  it('what the person at the provider refuses, in our words', async () => {
    await house.provider.account(null);
    const outcome = await visit(authorize());
    expect(outcome).toEqual({ error: 'oauth_failed', error_description: 'The suite refused: access_denied' });
  });

  it('another tenant: its connections are not there', async () => {
    const owner = await newOwner(house.t);
    const mallory = await newOwner(house.t);
    const { id } = await connect(house, owner);
    for (const [method, suffix] of [
      ['GET', '/token'],
      ['POST', '/refresh'],
      ['DELETE', ''],
    ] as const) {
      const answer = await mallory.api.ask(method, `/api/v1/oauth/connections/${id}${suffix}`);
      expect([method, answer.status]).toEqual([method, 404]);
    }
    const asked = house.t.call(
      'connections.credentials',
      { ref: id, connectors: ['suite'] },
      { tenant_id: mallory.tenant.id, role: 'service' },
    );
    expect(await asked).toMatchObject({ kind: 'refused', error: { code: 'unknown_connection' } });
  });
});

test('a provider that is not configured says which variables are missing', async () => {
  const { api } = await newOwner(house.t);
  expect(await api.call('GET', '/api/v1/oauth/status')).toEqual({
    providers: {
      suite: { configured: true, missing: [] },
      notes: { configured: false, missing: ['OAUTH_NOTES_CLIENT_ID', 'OAUTH_NOTES_CLIENT_SECRET'] },
      chat: { configured: false, missing: ['OAUTH_CHAT_CLIENT_ID', 'OAUTH_CHAT_CLIENT_SECRET'] },
    },
  });
  const answer = await fetch(`${house.t.url}/api/v1/oauth/chat/authorize`, { redirect: 'manual' });
  const body = (await answer.json()) as { error: string };
  expect([answer.status, body.error]).toEqual([
    503,
    expect.stringContaining('OAUTH_CHAT_CLIENT_ID and OAUTH_CHAT_CLIENT_SECRET'),
  ]);
});
