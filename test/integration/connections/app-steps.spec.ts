import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CaseAnswer } from '../../nodes/connectors/connector-case';
import { startApp, type TestApp } from '../../support/app';
import { APP_CALLBACK, beginApp, CLIENT_SECRET } from '../../support/connections/apps';
import { FRONTEND, newOwner, type Owner } from '../../support/connections/house';
import { type Provider, type SeenRequest, startProvider } from '../../support/connectors/provider';
import { allServices } from '../../support/services';
import { Browser, outcomeOf } from '../../support/sso/browser';
import { until } from '../../support/until';

let good: string;
let issued = 0;
let provider: Provider;
let t: TestApp;
let owner: Owner;
const log: string[] = [];
const folder = mkdtempSync(join(tmpdir(), 'oauth-apps-'));

/** The token endpoint and the API of one provider. */
function answer({ url, headers }: SeenRequest): CaseAnswer {
  if (url === '/token') {
    issued += 1;
    good = `issued-access-token-${issued}`;
    return { json: { access_token: good, refresh_token: `issued-refresh-token-${issued}`, expires_in: 3_600 } };
  }
  if (headers.authorization !== `Bearer ${good}`) return { status: 401, json: { message: 'Bad credentials' } };
  if (url === '/away') return { status: 302, headers: { location: 'http://localhost:1/elsewhere' } };
  return {
    json: { login: 'ada', id: 7, name: 'Ada', html_url: 'https://github.com/ada', echo: headers.authorization ?? '' },
  };
}

beforeAll(async () => {
  provider = await startProvider(answer);
  const file = join(folder, 'apps.json');
  const endpoints = { authorize_url: `${provider.url}/authorize`, token_url: `${provider.url}/token` };
  writeFileSync(
    file,
    JSON.stringify([{ id: 'hub', preset: 'github', client_id: 'c', client_secret: CLIENT_SECRET, ...endpoints }]),
  );
  t = await startApp({
    services: [allServices],
    env: {
      EGRESS_ALLOW: '127.0.0.1',
      FRONTEND_URL: FRONTEND,
      CONNECTOR_GITHUB_URL: provider.url,
      OAUTH_APPS_FILE: file,
    },
    log: (line) => log.push(line),
  });
});
afterAll(async () => {
  await t.close();
  await provider.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  owner = await newOwner(t);
});

async function connected(appId: string): Promise<string> {
  const browser = new Browser();
  const { location } = await browser.open((await beginApp(owner, appId)).authorize_url);
  const state = new URL(location ?? '').searchParams.get('state') ?? '';
  const end = await browser.open(`${t.url}${APP_CALLBACK}?${new URLSearchParams({ code: 'a code', state })}`);
  return String(outcomeOf(end.location ?? '').oauth_connection);
}

const custom = async (hosts: string[]): Promise<string> => {
  const endpoints = { authorize_url: `${provider.url}/authorize`, token_url: `${provider.url}/token` };
  const body = { name: 'Any', client_id: 'c', client_secret: CLIENT_SECRET, custom: endpoints, hosts };
  return connected((await owner.api.call<{ id: string }>('POST', '/api/v1/oauth-apps', body)).id);
};

interface Run {
  id: string;
  status: string;
  error: { code: string; message: string } | null;
}

async function runOf(step: object): Promise<{ run: Run; detail: string }> {
  const dsl = { id: 'ask', trigger: { type: 'manual' }, steps: [{ id: 'ask', retry: { max_attempts: 1 }, ...step }] };
  const { id } = await owner.api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'ask', dsl });
  const started = await owner.api.call<Run>('POST', `/api/v1/workflows/${id}/trigger`, {});
  const run = await until('the run has ended', async () => {
    const now = await owner.api.call<Run>('GET', `/api/v1/executions/${started.id}`);
    return now.status === 'running' ? null : now;
  });
  const detail = await owner.api.call('GET', `/api/v1/executions/${run.id}/detail?include=attempts,parts,logs`);
  return { run, detail: JSON.stringify(detail) };
}

const port = (): string => new URL(provider.url).port;
const sentTo = (url: string): number => provider.seen.filter((request) => request.url === url).length;

describe('http_request with a connection', () => {
  const ask = (connection: string, url: string, more: object = {}) =>
    runOf({ type: 'http_request', config: { url, connection, ...more } });

  it('sends the access token to a host of the app, and nothing of it is on record', async () => {
    const id = await custom([`127.0.0.1:${port()}`]);
    const token = good;
    const { run, detail } = await ask(id, `${provider.url}/user`);
    expect([run.status, run.error]).toEqual(['completed', null]);
    expect(detail).toContain('ada');
    expect([detail.includes(token), log.join().includes(token)]).toEqual([false, false]);
  });

  it('renews a token that the provider refuses, once', async () => {
    const id = await custom([`127.0.0.1:${port()}`]);
    good = 'another one';
    const before = sentTo('/token');
    expect((await ask(id, `${provider.url}/user`)).run.status).toBe('completed');
    expect(sentTo('/token')).toBe(before + 1);
  });

  it.each([
    ['another host', (): string => `http://localhost:${port()}/host`],
    ['another port', (): string => 'http://127.0.0.1:1/port'],
    ['the host as a user name', (): string => `http://127.0.0.1:${port()}@localhost/user-name`],
    ['a host that ends like it', (): string => `https://evil-127.0.0.1.example:${port()}/suffix`],
  ])('sends nothing to %s', async (_what, url) => {
    const id = await custom([`127.0.0.1:${port()}`]);
    const seen = provider.seen.length;
    const { run } = await ask(id, url());
    expect(run.error?.code).toBe('host_not_allowed');
    expect(provider.seen.length).toBe(seen);
  });

  it('follows no redirect', async () => {
    const id = await custom([`127.0.0.1:${port()}`]);
    const { run, detail } = await ask(id, `${provider.url}/away`);
    expect(run.status).toBe('completed');
    expect(detail).toContain('302');
  });

  it('refuses a second way to authenticate, and connections that are not of an app', async () => {
    const id = await custom([`127.0.0.1:${port()}`]);
    const auth = { type: 'bearer', token: 'x' };
    expect((await ask(id, `${provider.url}/user`, { auth })).run.error?.code).toBe('invalid_config');
    expect((await ask('nothing', `${provider.url}/user`)).run.error?.code).toBe('unknown_connection');
    await owner.api.call('POST', '/api/v1/connections', {
      connector: 'http',
      name: 'by hand',
      credentials: { base_url: provider.url, auth: 'none' },
    });
    expect((await ask('by hand', `${provider.url}/user`)).run.error?.code).toBe('wrong_connection');
  });
});

it('an app of the operator is offered to all, changed by no tenant, and its connections are for the connector of its preset', async () => {
  const apps = await owner.api.call<{ data: { id: string }[] }>('GET', '/api/v1/oauth-apps');
  expect(apps.data).toMatchObject([{ id: 'hub', name: 'GitHub', source: 'operator', connector: 'github' }]);
  expect((await owner.api.ask('PUT', '/api/v1/oauth-apps/hub', { name: 'mine' })).status).toBe(409);
  expect((await owner.api.ask('DELETE', '/api/v1/oauth-apps/hub')).status).toBe(409);
  const id = await connected('hub');
  const { run, detail } = await runOf({ type: 'github.get_me', config: {} });
  expect([run.status, run.error]).toEqual(['completed', null]);
  expect(detail).toContain('ada');
  good = 'another one';
  expect((await runOf({ type: 'github.get_me', config: { connection: id } })).run.status).toBe('completed');
  expect(await owner.api.call('POST', `/api/v1/connections/${id}/test`)).toMatchObject({ outcome: 'ok' });
});
