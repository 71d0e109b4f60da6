import { randomId } from '../../../lib/ids';
import type { CaseAnswer } from '../../nodes/connectors/connector-case';
import { connectionsService } from '../../../services/connections/connections.service';
import { DATABASE_OPTIONS } from '../../../lib/database';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { askedOn, tokenIn } from '../../support/connections/nodes';
import { storedConnection } from '../../support/connections/stored';
import { type Provider, startProvider } from '../../support/connectors/provider';
import { type Proxy, startProxy } from '../../support/proxy';
import { until } from '../../support/until';

const GIVEN_UP_MS = DATABASE_OPTIONS.serverSelectionTimeoutMS;

let database: TestDatabase;
let way: Proxy;
let provider: Provider;
let t: TestApp;
let release: (answer: CaseAnswer) => void;

beforeAll(async () => {
  database = await openTestDatabase({ tcp: true });
  const { port } = new URL(database.url);
  way = await startProxy(Number(port));
  provider = await startProvider(
    () =>
      new Promise((resolve) => {
        release = resolve;
      }),
  );
  t = await startApp({
    services: [connectionsService],
    database: { ...database, url: database.url.replace(`:${port}`, `:${way.port}`) },
    env: {
      OAUTH_SUITE_CLIENT_ID: 'c',
      OAUTH_SUITE_CLIENT_SECRET: 's',
      OAUTH_SUITE_AUTHORIZE_URL: `${provider.url}/authorize`,
      OAUTH_SUITE_TOKEN_URL: `${provider.url}/token`,
    },
  });
});
afterAll(async () => {
  await t.close();
  await way.close();
  await provider.close();
  await database.close();
});

it('tokens that come while the database is away are kept when it is back, since the provider gives them once', async () => {
  const tenant = randomId();
  const { _id } = await storedConnection(t, tenant, { refresh_token: 'r', expires_at: new Date(0) });
  const asked = askedOn(t, tenant, _id);
  await until('the provider is asked', () => provider.seen.length > 0);
  way.cut();
  const cutAt = performance.now();
  release({ json: { access_token: 'new', refresh_token: 'r2', expires_in: 3_600 } });
  await until('the driver has given up the write', () => performance.now() - cutAt > 1.2 * GIVEN_UP_MS);
  way.heal();
  expect(tokenIn(await asked)).toBe('new');
  expect(tokenIn(await askedOn(t, tenant, _id))).toBe('new');
  expect(provider.seen).toHaveLength(1);
});
