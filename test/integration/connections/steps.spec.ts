import type { CaseAnswer } from '../../nodes/connectors/connector-case';
import { allServices } from '../../support/services';
import { startApp, type TestApp } from '../../support/app';
import { newOwner, type Owner } from '../../support/connections/house';
import { type StoredConnection, storedConnection } from '../../support/connections/stored';
import { type Provider, type SeenRequest, startProvider } from '../../support/connectors/provider';
import { until } from '../../support/until';

/** Whether the provider renews tokens now. */
let away: boolean;
/** Access tokens that the provider's API takes now. */
let good: ReadonlySet<string>;
let provider: Provider;
let t: TestApp;
let owner: Owner;
let issued = 0;
const log: string[] = [];

/** The token endpoint and the API of one provider. */
function answer({ url, headers }: SeenRequest): CaseAnswer {
  if (url === '/revoke') return {};
  if (url === '/token' && away) return { status: 503 };
  if (url === '/token') {
    issued += 1;
    good = new Set([`renewed-access-token-${issued}`]);
    const [access_token] = good;
    return { json: { access_token: access_token as string, refresh_token: `refresh-${issued}`, expires_in: 3_600 } };
  }
  if (good.has(String(headers.authorization).replace('Bearer ', ''))) {
    return { json: { emailAddress: 'ada@example.com', echo: String(headers.authorization) } };
  }
  return { status: 401, json: { error: { code: 401, message: `Invalid: ${headers.authorization}` } } };
}

beforeAll(async () => {
  provider = await startProvider(answer);
  t = await startApp({
    services: [allServices],
    env: {
      EGRESS_ALLOW: '127.0.0.1',
      CONNECTOR_SUITE_MAIL_URL: provider.url,
      OAUTH_SUITE_CLIENT_ID: 'c',
      OAUTH_SUITE_CLIENT_SECRET: 's',
      OAUTH_SUITE_AUTHORIZE_URL: `${provider.url}/authorize`,
      OAUTH_SUITE_TOKEN_URL: `${provider.url}/token`,
      OAUTH_SUITE_REVOKE_URL: `${provider.url}/revoke`,
    },
    log: (line) => log.push(line),
  });
});
afterAll(async () => {
  await t.close();
  await provider.close();
});
beforeEach(async () => {
  owner = await newOwner(t);
  away = false;
  good = new Set(['stored-access-token']);
});

const connected = (given: StoredConnection = {}) =>
  storedConnection(t, owner.tenant.id, {
    access_token: 'stored-access-token',
    refresh_token: 'stored-refresh',
    ...given,
  });

interface Run {
  id: string;
  status: string;
  error: { code: string; message: string } | null;
  output: unknown;
}

/** A workflow that reads a mailbox; each call returns a run at its end. */
async function workflow(config: object = {}, more: object = {}): Promise<() => Promise<Run>> {
  const { id } = await owner.api.call<{ id: string }>('POST', '/api/v1/workflows', {
    name: 'look',
    dsl: {
      id: 'look',
      trigger: { type: 'manual' },
      steps: [{ id: 'look', type: 'suite-mail.get_profile', config, retry: { max_attempts: 1 }, ...more }],
    },
  });
  return async () => {
    const run = await owner.api.call<Run>('POST', `/api/v1/workflows/${id}/trigger`, {});
    return until('the run has ended', async () => {
      const now = await owner.api.call<Run>('GET', `/api/v1/executions/${run.id}`);
      return now.status === 'running' ? null : now;
    });
  };
}

const refreshes = (): number => provider.seen.filter(({ url }) => url === '/token').length;

it('a step uses the only connection that fits, and nothing of it is on record', async () => {
  await connected();
  const run = await (await workflow())();
  expect([run.status, run.error]).toEqual(['completed', null]);
  const detail = JSON.stringify(
    await owner.api.call('GET', `/api/v1/executions/${run.id}/detail?include=attempts,parts,logs`),
  );
  expect(detail).toContain('ada@example.com');
  expect(detail + log.join()).not.toContain('stored-access-token');
});

it('a step uses the only connection that fits and counts, beside one that has ended', async () => {
  await connected({ name: 'ended', access_token: 'ended-access-token', refresh_token: null, expires_at: new Date(0) });
  await connected();
  expect(await (await workflow())()).toMatchObject({ status: 'completed', error: null });
});

it('a token that the provider refuses is renewed once, and the step goes on with the new one', async () => {
  await connected({ name: 'work' });
  good = new Set();
  const before = refreshes();
  const look = await workflow({ connection: 'work' });
  expect(await look()).toMatchObject({ status: 'completed' });
  expect(await look()).toMatchObject({ status: 'completed' });
  expect(refreshes()).toBe(before + 1);
});

it('a refusal of the provider is shown without the token that it quotes', async () => {
  await connected({ refresh_token: null });
  good = new Set();
  const run = await (await workflow())();
  expect(run).toMatchObject({ status: 'failed', error: { code: 'connection_revoked' } });
  const detail = await owner.api.call('GET', `/api/v1/executions/${run.id}/detail?include=attempts`);
  expect(JSON.stringify(detail) + log.join()).not.toContain('stored-access-token');
});

it('a connection that was used a moment ago is of no use from the moment it is removed', async () => {
  const { _id } = await connected();
  const look = await workflow();
  expect(await look()).toMatchObject({ status: 'completed' });
  await owner.api.call('DELETE', `/api/v1/oauth/connections/${_id}`);
  expect(await look()).toMatchObject({ status: 'failed', error: { code: 'unknown_connection' } });
});

it.each<[string, StoredConnection[], object, string]>([
  ['names none, and has none', [], {}, 'unknown_connection'],
  ['names one that there is not', [{}], { connection: 'play' }, 'unknown_connection'],
  ['names one for another connector', [{ connector: 'notes' }], { connection: 'work' }, 'wrong_connection'],
  ['names none of two', [{}, { name: 'play' }], {}, 'ambiguous_connection'],
  [
    'names one that has ended',
    [{ refresh_token: null, expires_at: new Date(0) }],
    { connection: 'work' },
    'connection_expired',
  ],
])('a step that %s fails with a word for it', async (_what, made, config, code) => {
  for (const given of made) await connected(given);
  expect(await (await workflow(config))()).toMatchObject({ status: 'failed', error: { code } });
});

it.each([
  ['named', { connection: 'work' }],
  ['the only one', {}],
])('a provider that renews no token is waited for as long as the step may take: %s', async (_what, config) => {
  await connected({ name: 'work', expires_at: new Date(0) });
  away = true;
  const run = await (await workflow(config, { timeout: '1s' }))();
  expect(run).toMatchObject({ status: 'failed', error: { code: 'timed_out' } });
});

it('a step cannot use a connection of another tenant, by id or by name', async () => {
  const other = await newOwner(t);
  const { _id } = await storedConnection(t, other.tenant.id, { name: 'theirs' });
  for (const connection of [_id, 'theirs']) {
    expect(await (await workflow({ connection }))()).toMatchObject({ error: { code: 'unknown_connection' } });
  }
});
