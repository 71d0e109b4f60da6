import type { JsonObject } from '../../../lib/json';
import type { ConnectionView } from '../../../contracts/connections';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import { connectionsService } from '../../../services/connections/connections.service';
import type { CaseAnswer } from '../../nodes/connectors/connector-case';
import { startApp, type TestApp } from '../../support/app';
import { begin, eventsOf, FRONTEND, listed, newOwner, type Owner } from '../../support/connections/house';
import { askedOn } from '../../support/connections/nodes';
import { type Provider, type SeenRequest, startProvider } from '../../support/connectors/provider';
import { LeapingClock } from '../../support/leaping-clock';
import { Browser, outcomeOf } from '../../support/sso/browser';
import { until } from '../../support/until';

/** Answers of https://developers.notion.com/reference/create-a-token and https://api.slack.com/methods/oauth.v2.access, as documented. */
const NOTES_TOKEN: JsonObject = {
  access_token: 'ntn_111',
  token_type: 'bearer',
  bot_id: 'b3414d65-1224-5ba2-8b0a-1f2c1d1c1c1c',
  workspace_name: "Ada's notes",
  workspace_icon: null,
  workspace_id: '17ab3186-873d-418f-b899-c3f6a43f68de',
  owner: { type: 'user', user: { object: 'user', id: 'u1' } },
  duplicated_template_id: null,
};
const CHAT_TOKEN: JsonObject = {
  ok: true,
  access_token: 'xoxb-1',
  token_type: 'bot',
  scope: 'chat:write,channels:read',
  bot_user_id: 'U0KRQLJ9H',
  app_id: 'A0KRD7HC3',
  team: { name: 'Slack Pickleball Team', id: 'T9TK3CUKW' },
  enterprise: null,
  authed_user: { id: 'U1234', scope: 'chat:write', access_token: 'xoxp-1', token_type: 'user' },
};

let answer: (request: SeenRequest) => CaseAnswer | Promise<CaseAnswer>;
let provider: Provider;
let t: TestApp;
let owner: Owner;
const clock = new LeapingClock();

beforeAll(async () => {
  provider = await startProvider((request) => answer(request));
  const env = (word: string, paths: Record<string, string>): Record<string, string> => ({
    [`OAUTH_${word}_CLIENT_ID`]: `id-of-${word.toLowerCase()}`,
    [`OAUTH_${word}_CLIENT_SECRET`]: 'a-secret',
    ...Object.fromEntries(Object.entries(paths).map(([name, path]) => [`OAUTH_${word}_${name}`, provider.url + path])),
  });
  t = await startApp({
    clock,
    services: [apiGatewayService, authService, auditService, connectionsService],
    env: {
      FRONTEND_URL: FRONTEND,
      EGRESS_ALLOW: '',
      ...env('NOTES', { AUTHORIZE_URL: '/v1/oauth/authorize', TOKEN_URL: '/v1/oauth/token' }),
      ...env('CHAT', {
        AUTHORIZE_URL: '/oauth/v2/authorize',
        TOKEN_URL: '/api/oauth.v2.access',
        REVOKE_URL: '/api/auth.revoke',
      }),
    },
  });
});
afterAll(async () => {
  await t.close();
  await provider.close();
});
beforeEach(async () => {
  owner = await newOwner(t);
});

/** Goes to the provider and, as if the person had agreed, back with a code. */
async function flow(
  word: string,
  body: object = {},
): Promise<{ asked: URLSearchParams; outcome: Record<string, string> }> {
  const { authorize_url } = await begin(owner, word, body);
  const browser = new Browser();
  const { location } = await browser.open(authorize_url);
  const asked = new URL(location ?? '').searchParams;
  const back = new URLSearchParams({ code: 'a code', state: asked.get('state') ?? '' });
  const end = await browser.open(`${asked.get('redirect_uri')}?${back}`);
  return { asked, outcome: outcomeOf(end.location ?? '') };
}

const only = async (): Promise<ConnectionView> => {
  const [made, another] = await listed(owner);
  if (made === undefined || another !== undefined) throw new Error('There is not exactly one connection');
  return made;
};
const last = (): SeenRequest => provider.seen.at(-1) as SeenRequest;
const credentials = async (connector: string): Promise<unknown> => {
  const found = await askedOn(t, owner.tenant.id, '', { connectors: [connector] });
  return found.kind === 'ready' ? found.connection.credentials : found.error.code;
};

describe('notes', () => {
  it('authenticates with Basic, asks with JSON, and names the workspace; its token has no end', async () => {
    answer = () => ({ json: NOTES_TOKEN });
    const { asked } = await flow('notes');
    expect(Object.fromEntries(asked)).toMatchObject({ owner: 'user', response_type: 'code', client_id: 'id-of-notes' });
    expect(asked.has('scope')).toBe(false);
    expect(last()).toMatchObject({
      method: 'POST',
      url: '/v1/oauth/token',
      headers: {
        authorization: `Basic ${Buffer.from('id-of-notes:a-secret').toString('base64')}`,
        'content-type': 'application/json',
      },
    });
    expect(JSON.parse(last().text)).toEqual({
      grant_type: 'authorization_code',
      code: 'a code',
      redirect_uri: `${t.url}/api/v1/oauth/notes/callback`,
    });
    const made = await only();
    expect(made).toMatchObject({
      connector: 'notes',
      name: "notes Ada's notes",
      account: "Ada's notes",
      expires_at: null,
    });
    expect(await credentials('notes')).toEqual({
      access_token: 'ntn_111',
      workspace_id: NOTES_TOKEN.workspace_id,
      bot_id: NOTES_TOKEN.bot_id,
    });
    const refresh = await owner.api.ask('POST', `/api/v1/oauth/connections/${made.id}/refresh`);
    expect([refresh.status, refresh.body.code]).toEqual([409, 'conflict']);
  });

  it('has no way to give a token back: it is forgotten here, and the record says so', async () => {
    answer = () => ({ json: NOTES_TOKEN });
    await flow('notes');
    const asked = provider.seen.length;
    await owner.api.call('DELETE', `/api/v1/oauth/connections/${(await only()).id}`);
    expect(provider.seen).toHaveLength(asked);
    expect(await listed(owner)).toEqual([]);
    expect((await eventsOf(owner))[0]).toMatchObject({
      action: 'connection.revoke',
      after: { at_provider: 'not_supported' },
    });
  });

  it.each<[string, CaseAnswer, string]>([
    ['a refusal', { status: 400, json: { error: 'invalid_grant', error_description: '<b>no</b>' } }, 'oauth_failed'],
    ['a refusal in strange words', { status: 400, json: { error: '<b>no</b>' } }, 'oauth_failed'],
    ['an answer without a token', { json: {} }, 'oauth_failed'],
    ['a page', { text: '<html>' }, 'oauth_failed'],
    ['a failure', { status: 500, json: {} }, 'provider_failed'],
  ])('that answers with %s makes no connection, and none of its words are shown', async (_what, given, error) => {
    answer = () => given;
    const { outcome } = await flow('notes');
    expect(outcome).toMatchObject({ error });
    expect(outcome.error_description).not.toContain('<');
    expect(await listed(owner)).toEqual([]);
  });
});

describe('chat', () => {
  it("puts commas between scopes, reads `ok`, and hands on the user's token too", async () => {
    answer = () => ({ json: CHAT_TOKEN });
    const { asked } = await flow('chat', { scopes: ['chat:write', 'channels:read'] });
    expect(asked.get('scope')).toBe('chat:write,channels:read');
    const form = new URLSearchParams(last().text);
    expect(Object.fromEntries(form)).toMatchObject({
      client_id: 'id-of-chat',
      client_secret: 'a-secret',
      code: 'a code',
    });
    expect(await only()).toMatchObject({
      connector: 'chat',
      account: 'Slack Pickleball Team',
      scopes: ['chat:write', 'channels:read'],
      expires_at: null,
    });
    expect(await credentials('chat')).toEqual({
      access_token: 'xoxb-1',
      bot_user_id: 'U0KRQLJ9H',
      team_id: 'T9TK3CUKW',
      user_access_token: 'xoxp-1',
    });
  });

  it('renews a rotating token, and tells one that was taken away as revoked', async () => {
    const rotating = (n: number): CaseAnswer => ({
      json: { ...CHAT_TOKEN, access_token: `xoxe.xoxb-${n}`, refresh_token: `xoxe-${n}`, expires_in: 3_600 },
    });
    answer = () => rotating(1);
    await flow('chat', { scopes: ['chat:write'] });
    answer = () => rotating(2);
    clock.leap(3_600_000);
    expect(await credentials('chat')).toMatchObject({ access_token: 'xoxe.xoxb-2' });
    expect(Object.fromEntries(new URLSearchParams(last().text))).toMatchObject({
      grant_type: 'refresh_token',
      refresh_token: 'xoxe-1',
    });
    answer = () => ({ json: { ok: false, error: 'invalid_refresh_token' } });
    clock.leap(3_600_000);
    expect(await credentials('chat')).toBe('connection_revoked');
    expect(await only()).toMatchObject({ status: 'revoked' });
    expect((await eventsOf(owner))[0]).toMatchObject({ action: 'connection.revoked', after: { by: 'provider' } });
  });

  it("takes the user's token where an app asked for those scopes alone", async () => {
    const { access_token: _bot, token_type: _type, scope: _scope, bot_user_id: _who, ...rest } = CHAT_TOKEN;
    answer = () => ({ json: rest });
    await flow('chat', { scopes: ['chat:write'] });
    expect(await credentials('chat')).toEqual({ access_token: 'xoxp-1', team_id: 'T9TK3CUKW' });
  });

  it('gives tokens back with the token itself', async () => {
    answer = () => ({ json: CHAT_TOKEN });
    await flow('chat', { scopes: ['chat:write'] });
    answer = () => ({ json: { ok: true, revoked: true } });
    await owner.api.call('DELETE', `/api/v1/oauth/connections/${(await only()).id}`);
    expect(last()).toMatchObject({ url: '/api/auth.revoke', headers: { authorization: 'Bearer xoxb-1' } });
    expect((await eventsOf(owner))[0]).toMatchObject({ after: { at_provider: 'revoked' } });
  });

  it('that is slow to revoke tokens does not remove an account that was connected again in between', async () => {
    answer = () => ({ json: CHAT_TOKEN });
    await flow('chat', { scopes: ['chat:write'] });
    const { id } = await only();
    let release = (_: CaseAnswer): void => undefined;
    const revoked = new Promise<CaseAnswer>((resolve) => {
      release = resolve;
    });
    answer = ({ url }) => (url === '/api/auth.revoke' ? revoked : { json: { ...CHAT_TOKEN, access_token: 'xoxb-2' } });
    const removed = owner.api.call('DELETE', `/api/v1/oauth/connections/${id}`);
    await until('the provider is notified', () => last().url === '/api/auth.revoke');
    const { outcome } = await flow('chat', { scopes: ['chat:write'] });
    release({ json: { ok: true, revoked: true } });
    await removed;
    expect(await only()).toMatchObject({ id: outcome.oauth_connection, status: 'active' });
    expect(await credentials('chat')).toMatchObject({ access_token: 'xoxb-2' });
  });

  it('that cannot be reached does not keep anybody from disconnecting, and the record says that it failed', async () => {
    answer = () => ({ json: CHAT_TOKEN });
    await flow('chat', { scopes: ['chat:write'] });
    answer = () => ({ json: { ok: false, error: 'fatal_error' } });
    await owner.api.call('DELETE', `/api/v1/oauth/connections/${(await only()).id}`);
    expect(await listed(owner)).toEqual([]);
    expect((await eventsOf(owner))[0]).toMatchObject({ after: { at_provider: 'failed' } });
  });

  it('that says that it refuses with status 200 makes no connection', async () => {
    answer = () => ({ json: { ok: false, error: 'invalid_code' } });
    expect((await flow('chat', { scopes: ['chat:write'] })).outcome).toEqual({
      error: 'oauth_failed',
      error_description: 'The chat provider refuses: invalid_code; connect again',
    });
  });
});

it('hands on the answer of no provider that sends elsewhere', async () => {
  answer = ({ url }) =>
    url.startsWith('/elsewhere')
      ? { json: NOTES_TOKEN }
      : { status: 307, headers: { location: '{{server}}/elsewhere' } };
  const { outcome } = await flow('notes');
  expect(outcome).toMatchObject({ error: 'oauth_failed' });
  expect(provider.seen.some(({ url }) => url === '/elsewhere')).toBe(false);
});
