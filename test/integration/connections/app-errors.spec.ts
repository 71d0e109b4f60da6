import type { ConnectionView } from '../../../contracts/connections';
import type { CaseAnswer } from '../../nodes/connectors/connector-case';
import { APP_CALLBACK, type AppHouse, beginApp, CLIENT_SECRET, startAppHouse } from '../../support/connections/apps';
import { listed, newOwner, type Owner } from '../../support/connections/house';
import { askedOn } from '../../support/connections/nodes';
import { type Provider, type SeenRequest, startProvider } from '../../support/connectors/provider';
import { LeapingClock } from '../../support/leaping-clock';
import { Browser, outcomeOf } from '../../support/sso/browser';

const HOUR = 3_600_000;
const TOKENS = { access_token: 'scripted-access-token', refresh_token: 'scripted-refresh-token', expires_in: 3_600 };

let answer: (request: SeenRequest) => CaseAnswer;
let provider: Provider;
let house: AppHouse;
let owner: Owner;
const clock = new LeapingClock();

beforeAll(async () => {
  provider = await startProvider((request) => answer(request));
  house = await startAppHouse({ clock });
});
afterAll(async () => {
  await house.close();
  await provider.close();
});
beforeEach(async () => {
  owner = await newOwner(house.t);
  answer = () => ({ json: TOKENS });
});

const register = async (custom: object = {}, more: object = {}): Promise<string> => {
  const endpoints = { authorize_url: `${provider.url}/authorize`, token_url: `${provider.url}/token` };
  const body = {
    name: 'Odd',
    client_id: 'c',
    client_secret: CLIENT_SECRET,
    custom: { ...endpoints, ...custom },
    ...more,
  };
  return (await owner.api.call<{ id: string }>('POST', '/api/v1/oauth-apps', body)).id;
};

/** Goes to the provider, and comes back with these fields. */
async function flow(appId: string, back: Record<string, string> = { code: 'a code' }): Promise<Record<string, string>> {
  const browser = new Browser();
  const { location } = await browser.open((await beginApp(owner, appId)).authorize_url);
  const state = new URL(location ?? '').searchParams.get('state') ?? '';
  const end = await browser.open(`${house.t.url}${APP_CALLBACK}?${new URLSearchParams({ ...back, state })}`);
  return outcomeOf(end.location ?? '');
}

const only = async (): Promise<ConnectionView> => {
  const [made] = await listed(owner);
  if (made === undefined) throw new Error('There is no connection');
  return made;
};
const asked = async (): Promise<unknown> => {
  const found = await askedOn(house.t, owner.tenant.id, (await only()).id, { connectors: ['oauth'] });
  return found.kind === 'ready' ? found.connection : found.error.code;
};

describe('an error of the authorization endpoint (RFC 6749 section 4.1.2.1)', () => {
  it.each([
    'invalid_request',
    'unauthorized_client',
    'access_denied',
    'unsupported_response_type',
    'invalid_scope',
    'server_error',
    'temporarily_unavailable',
  ])('%s ends the flow, in our words', async (error) => {
    const outcome = await flow(await register(), { error, error_description: '<b>theirs</b>' });
    expect(outcome).toEqual({ error: 'oauth_failed', error_description: `The provider Odd refused: ${error}` });
    expect(await listed(owner)).toEqual([]);
  });
});

describe('an error of the token endpoint (RFC 6749 section 5.2)', () => {
  const ERRORS = [
    'invalid_request',
    'invalid_client',
    'invalid_grant',
    'unauthorized_client',
    'unsupported_grant_type',
    'invalid_scope',
  ];
  it.each(ERRORS)('%s ends the flow without a connection', async (error) => {
    answer = () => ({
      status: error === 'invalid_client' ? 401 : 400,
      json: { error, error_description: `theirs ${CLIENT_SECRET}` },
    });
    const outcome = await flow(await register());
    expect(outcome).toEqual({
      error: 'oauth_failed',
      error_description: `The provider Odd refuses: ${error}; connect again`,
    });
    expect(await listed(owner)).toEqual([]);
  });

  it.each(ERRORS)('%s to a refresh is shown; only invalid_grant ends the connection', async (error) => {
    await flow(await register());
    clock.leap(HOUR);
    answer = () => ({ status: 400, json: { error } });
    await asked().catch((fault: unknown) => fault);
    expect(await only()).toMatchObject({
      state: error === 'invalid_grant' ? 'reconnect' : 'failing',
      status: error === 'invalid_grant' ? 'revoked' : 'active',
      last_error: `The provider Odd refuses: ${error}`,
    });
    if (error === 'invalid_grant') return expect(await asked()).toBe('connection_revoked');
    clock.leap(10_000);
    answer = () => ({ json: { ...TOKENS, access_token: 'the next access token' } });
    expect(await asked()).toMatchObject({ credentials: { access_token: 'the next access token' } });
    expect(await only()).toMatchObject({ state: 'ok', last_error: null });
  });

  it.each<[string, CaseAnswer]>([
    ['a status of 500', { status: 500, json: {} }],
    ['a body that is not JSON', { text: '<html>', headers: { 'content-type': 'text/html' } }],
    ['an answer without a token', { json: { token_type: 'bearer' } }],
    ['a closed connection', { cut: true }],
    ['a redirect, which is not followed', { status: 302, headers: { location: '{{server}}/elsewhere' } }],
  ])('%s makes no connection', async (_what, given) => {
    answer = () => given;
    const outcome = await flow(await register());
    expect(outcome.error).toMatch(/^(?:oauth_failed|provider_failed)$/);
    expect(await listed(owner)).toEqual([]);
    expect(provider.seen.filter(({ url }) => url === '/elsewhere')).toEqual([]);
  });
});

describe('a provider with its own ways', () => {
  it('has its tokens at other places, takes JSON, and lists scopes', async () => {
    answer = () => ({
      json: { data: { token: 'deep-access-token', refresh: 'deep-refresh-token', ttl: '7200' }, scope: ['a', 'b'] },
    });
    const token_paths = { access_token: 'data.token', refresh_token: 'data.refresh', expires_in: 'data.ttl' };
    await flow(await register({ token_paths, token_format: 'json', auth_style: 'body', pkce: false }));
    const seen = provider.seen.at(-1) as SeenRequest;
    expect(seen.headers['content-type']).toBe('application/json');
    expect(JSON.parse(seen.text)).toEqual({
      grant_type: 'authorization_code',
      code: 'a code',
      redirect_uri: `${house.t.url}${APP_CALLBACK}`,
      client_id: 'c',
      client_secret: CLIENT_SECRET,
    });
    expect(await only()).toMatchObject({ scopes: ['a', 'b'], name: 'Odd' });
    expect(await asked()).toMatchObject({ credentials: { access_token: 'deep-access-token' } });
  });

  it('names the account where its app says, and is connected where it does not answer', async () => {
    answer = ({ url }) => (url === '/me' ? { json: { who: { id: 7, mail: 'ada@example.com' } } } : { json: TOKENS });
    const account = { url: `${provider.url}/me`, id: 'who.id', name: 'who.mail' };
    await flow(await register({ account }));
    expect(await only()).toMatchObject({ account: 'ada@example.com', name: 'Odd ada@example.com' });
    answer = ({ url }) => (url === '/me' ? { status: 500 } : { json: TOKENS });
    const outcome = await flow(await register({ account }, { name: 'Silent' }));
    expect((await listed(owner)).find(({ id }) => id === outcome.oauth_connection)).toMatchObject({
      account: null,
      name: 'Silent',
    });
  });

  it('rotates refresh tokens, or keeps the first one', async () => {
    await flow(await register());
    const sent = (): string | null => new URLSearchParams(provider.seen.at(-1)?.text).get('refresh_token');
    clock.leap(HOUR);
    answer = () => ({ json: { access_token: 'two', expires_in: 3_600 } });
    expect(await asked()).toMatchObject({ credentials: { access_token: 'two' } });
    expect(sent()).toBe('scripted-refresh-token');
    clock.leap(HOUR);
    answer = () => ({ json: { access_token: 'three', refresh_token: 'rotated-refresh', expires_in: 3_600 } });
    await asked();
    expect(sent()).toBe('scripted-refresh-token');
    clock.leap(HOUR);
    await asked();
    expect(sent()).toBe('rotated-refresh');
  });

  it('whose app vanished from the database leaves a connection that says so', async () => {
    const appId = await register();
    await flow(appId);
    await house.t.app.db.collection<{ _id: string }>('oauth_apps').deleteOne({ _id: appId });
    clock.leap(HOUR);
    expect(await asked()).toBe('connection_revoked');
    expect(await only()).toMatchObject({
      state: 'reconnect',
      last_error: expect.stringContaining('app of the connection was deleted'),
    });
  });
});

it('no secret or token of all this is in the log', () => {
  const log = house.log.join('\n');
  for (const word of [CLIENT_SECRET, 'scripted-access-token', 'scripted-refresh-token', 'deep-access-token'])
    expect([word, log.includes(word)]).toEqual([word, false]);
});
