import { randomId } from '../../../lib/ids';
import { connectionsService } from '../../../services/connections/connections.service';
import { connectionModels } from '../../../services/connections/models';
import { AppSecrets, AppStore } from '../../../services/connections/oauth-apps/app-store';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { askedOn, tokenIn } from '../../support/connections/nodes';
import { storedConnection } from '../../support/connections/stored';
import { startProvider } from '../../support/connectors/provider';
import { until } from '../../support/until';

const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64');

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const start = (env: Record<string, string>) => startApp({ services: [connectionsService], database, env });

it('credentials come under a new master key, and open all the while', async () => {
  const before = await start({ MASTER_KEY: key(1) });
  const tenant = randomId();
  const { _id } = await storedConnection(before, tenant, { access_token: 'the token' });
  const stored = () => before.app.db.collection<{ _id: string; key_id: string }>('connections').findOne({ _id });
  const old = (await stored())?.key_id;
  await before.close();
  const after = await start({ MASTER_KEY: key(2), MASTER_KEY_PREVIOUS: key(1) });
  try {
    const records = after.app.db.collection<{ _id: string; key_id: string }>('connections');
    expect(await askedOn(after, tenant, _id)).toMatchObject({
      connection: { credentials: { access_token: 'the token' } },
    });
    await until('it is under the new key', async () => (await records.findOne({ _id }))?.key_id !== old);
    expect(await askedOn(after, tenant, _id)).toMatchObject({
      connection: { credentials: { access_token: 'the token' } },
    });
  } finally {
    await after.close();
  }
});

it('at rest there is no plain value, and sealed bytes that were moved to another connection do not open', async () => {
  const t = await start({ MASTER_KEY: key(2) });
  try {
    const tenant = randomId();
    const first = await storedConnection(t, tenant, { name: 'a', access_token: 'finch-in-the-vault' });
    const second = await storedConnection(t, tenant, { name: 'b', access_token: 'another' });
    const records = t.app.db.collection<{ _id: string; sealed: { buffer: Uint8Array }; key_id: string }>('connections');
    const found = await records.findOne({ _id: first._id });
    expect(Buffer.from(found?.sealed.buffer ?? []).toString('latin1')).not.toContain('finch');
    expect(JSON.stringify(found)).not.toContain('finch');
    await records.updateOne(
      { _id: second._id },
      { $set: { sealed: found?.sealed as never, key_id: found?.key_id as string } },
    );
    await expect(askedOn(t, tenant, second._id)).rejects.toMatchObject({ type: 'sealed_unreadable' });
  } finally {
    await t.close();
  }
});

it('a process that is alone waits for no lease of one that has died', async () => {
  const provider = await startProvider(() => ({ json: { access_token: 'new', expires_in: 3_600 } }));
  const t = await startApp({
    services: [connectionsService],
    env: {
      OAUTH_SUITE_CLIENT_ID: 'c',
      OAUTH_SUITE_CLIENT_SECRET: 's',
      OAUTH_SUITE_AUTHORIZE_URL: `${provider.url}/authorize`,
      OAUTH_SUITE_TOKEN_URL: `${provider.url}/token`,
    },
  });
  try {
    const tenant = randomId();
    const { _id } = await storedConnection(t, tenant, { refresh_token: 'r', expires_at: new Date(0) });
    const records = t.app.db.collection<{ _id: string }>('connections');
    await records.updateOne({ _id }, { $set: { refreshing: { by: 'dead', since: new Date() } } });
    const begun = performance.now();
    expect(tokenIn(await askedOn(t, tenant, _id))).toBe('new');
    expect(performance.now() - begun).toBeLessThan(5_000);
  } finally {
    await t.close();
    await provider.close();
  }
});

it('client secrets of OAuth apps come under a new master key', async () => {
  const before = await start({ MASTER_KEY: key(2) });
  const tenant = randomId();
  const principal = { tenant_id: tenant, user_id: randomId(), role: 'owner' } as const;
  const given = {
    name: 'Hub',
    preset: 'github',
    client_id: 'c',
    client_secret: 'kept-client-secret',
    origin: 'http://a',
  };
  const { id } = await before.call('connections.create_app', given, principal);
  const recordOf = (t: TestApp) => new AppStore(connectionModels(t.app.db).apps).find(tenant, id);
  const old = (await recordOf(before))?.key_id;
  await before.close();
  const after = await start({ MASTER_KEY: key(3), MASTER_KEY_PREVIOUS: key(2) });
  try {
    await until('it is under the new key', async () => (await recordOf(after))?.key_id !== old);
    const record = await recordOf(after);
    expect(record === null ? null : new AppSecrets(after.app.keyring).open(record)).toBe('kept-client-secret');
  } finally {
    await after.close();
  }
});
