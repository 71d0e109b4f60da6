import { openTestDatabase, type TestDatabase } from '../../../support/app';
import { Browser, outcomeOf } from '../../../support/sso/browser';
import { type HostileProvider, startHostileProvider } from '../../../support/sso/hostile-provider';
import { newOwner, startHouse } from '../../../support/sso/house';
import { until } from '../../../support/until';

const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64');

let database: TestDatabase;
let provider: HostileProvider;
beforeAll(async () => {
  [database, provider] = await Promise.all([openTestDatabase(), startHostileProvider()]);
});
afterAll(() => Promise.all([database.close(), provider.close()]));

it('client secrets come under a new master key, and sign people in all the while', async () => {
  const before = await startHouse({ MASTER_KEY: key(1) }, { database });
  const { url: formerUrl } = before;
  const owner = await newOwner(before);
  const oidc = { issuer: provider.issuer, client_id: 'c', client_secret: 'secret' };
  await owner.api.call('PUT', '/api/v1/sso/config', { provider: 'oidc', oidc });
  const keyOf = async (app: typeof before) => {
    const configs = app.app.db.collection<{ _id: string; client_secret: { key_id: string } }>('sso_configs');
    return (await configs.findOne({ _id: owner.tenant.id }))?.client_secret.key_id;
  };
  const old = await keyOf(before);
  await before.close();
  const after = await startHouse({ MASTER_KEY: key(2), MASTER_KEY_PREVIOUS: key(1) }, { database });
  const signIn = async () => {
    const browser = new Browser();
    const { location } = await browser.open(`${after.url}/api/v1/auth/sso/authorize?tenant_slug=${owner.tenant.slug}`);
    // The owner has set it up where the former process listened.
    const back = provider.back(location as string).replace(formerUrl, after.url);
    return outcomeOf((await browser.open(back)).location as string);
  };
  try {
    expect(await signIn()).toHaveProperty('token');
    await until('the secret is under the new key', async () => (await keyOf(after)) !== old);
    expect(await signIn()).toHaveProperty('token');
  } finally {
    await after.close();
  }
});
