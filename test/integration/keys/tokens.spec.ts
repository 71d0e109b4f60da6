import { generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import { channelsService } from '../../../services/channels/channels.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { registerTenant } from '../../support/accounts';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { ask } from '../../support/http';
import { until } from '../../support/until';
import { key, masters } from './house';

let database: TestDatabase;
const running: TestApp[] = [];

const start = async (env: Record<string, string>): Promise<TestApp> => {
  const services = [authService, secretsService, channelsService, apiGatewayService];
  const app = await startApp({ services, database, env });
  running.push(app);
  return app;
};
const stopAll = async (): Promise<void> => {
  for (let app = running.pop(); app !== undefined; app = running.pop()) await app.close();
};
const statusOf = async (app: TestApp, token: string) => (await ask(app, 'GET /api/v1/tenant', { token })).status;
const pair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    private: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    public: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
};

beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(async () => {
  await stopAll();
  await database.close();
});

describe('a token of a former key', () => {
  it('is good until it expires, when the key stands in JWT_PREVIOUS, and worth nothing when it does not', async () => {
    const { token } = await registerTenant(await start({ JWT_SECRET: key(1) }));
    await stopAll();
    expect(await statusOf(await start({ JWT_SECRET: key(2), JWT_PREVIOUS: key(1) }), token)).toBe(200);
    await stopAll();
    expect(await statusOf(await start({ JWT_SECRET: key(2) }), token)).toBe(401);
  });

  it('may be one of a secret under a private key, and of a public key', async () => {
    const [first, second] = [pair(), pair()];
    const bySecret = await registerTenant(await start({ JWT_SECRET: key(1) }));
    await stopAll();
    // The test's own secret is dropped: a private key takes its place.
    const byFirst = await registerTenant(
      await start({ JWT_SECRET: '', JWT_PRIVATE_KEY: first.private, JWT_PREVIOUS: key(1) }),
    );
    await stopAll();
    const last = await start({
      JWT_SECRET: '',
      JWT_PRIVATE_KEY: second.private,
      JWT_PREVIOUS: `${first.public.replaceAll('\n', '\\n')},${key(1)}`,
    });
    expect(await statusOf(last, bySecret.token)).toBe(200);
    expect(await statusOf(last, byFirst.token)).toBe(200);
    const { token } = await registerTenant(last);
    const { body } = await ask(last, 'GET /.well-known/jwks.json');
    const keys = body as unknown as Parameters<typeof createLocalJWKSet>[0];
    expect(keys.keys).toHaveLength(2);
    for (const one of [token, byFirst.token]) {
      const { payload } = await jwtVerify(one, createLocalJWKSet(keys), { issuer: 'everstep' });
      expect(payload.aud).toBe('everstep-api');
    }
    expect(JSON.stringify(body)).not.toContain('"d"');
  });
});

it('secrets that sign are in no key set', async () => {
  expect((await ask(await start({}), 'GET /.well-known/jwks.json')).body).toEqual({ keys: [] });
});

it('a principal that a process of before signed is taken by one of after, and the other way round', async () => {
  const before = await start({ PRINCIPAL_KEY: key(3), PRINCIPAL_KEY_PREVIOUS: key(4) });
  const after = await start({ PRINCIPAL_KEY: key(4), PRINCIPAL_KEY_PREVIOUS: key(3) });
  const now = Date.now();
  const [old, fresh] = [before, after].map(({ app }) => app.principals.forTenant('t1', now)) as [string, string];
  expect(after.app.principals.verify(old, now)).toMatchObject({ tenant_id: 't1' });
  expect(before.app.principals.verify(fresh, now)).toMatchObject({ tenant_id: 't1' });
  expect(after.app.clientAddresses.verify(before.app.clientAddresses.sign('192.0.2.1', 'r').toJSON(), 'r')).toBe(
    '192.0.2.1',
  );
  await stopAll();
  const alone = await start({ PRINCIPAL_KEY: key(4) });
  expect(alone.app.principals.verify(old, now)).toBeNull();
  expect(alone.app.keys.ids).toEqual(before.app.keys.ids);
});

describe('GET /api/v1/system/keys', () => {
  it('tells administrators whether a rotation is done, and the operator how far it is', async () => {
    const first = await start(masters(1));
    const owner = await registerTenant(first);
    await ask(first, 'POST /api/v1/secrets', { token: owner.token, body: { name: 'A', value: 'hidden' } });
    await stopAll();
    const second = await start(masters(2, 1));
    const body = await until('the rotation is done', async () => {
      const answer = await ask(second, 'GET /api/v1/system/keys', { token: owner.token });
      expect(answer.status).toBe(200);
      return (answer.body.master as { done: boolean }).done ? answer.body : null;
    });
    expect(body).toEqual({ master: { done: true } });
    const details = await second.call('secrets.key_details', {});
    expect(details).toEqual({
      master: {
        key_id: second.app.keyring.newestId,
        since: expect.any(String),
        previous: [{ key_id: first.app.keyring.newestId, since: expect.any(String), known: true }],
        done: true,
        collections: expect.arrayContaining([
          { name: 'secrets', state: 'done', left: 0, resealed: 1, unreadable: 0, updated_at: expect.any(String) },
        ]),
      },
      token: { algorithm: 'HS256', previous: 0 },
      principal: { previous: 0 },
    });
    expect(JSON.stringify(details)).not.toContain(key(2));
  });
});
