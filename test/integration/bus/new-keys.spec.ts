import { secretsService } from '../../../services/secrets/secrets.service';
import type { TestApp } from '../../support/app';
import { describeWith } from '../../support/daemons';
import { until } from '../../support/until';
import { auth, type House, knows, openHouse } from './test-cluster';

const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64');

/** Keys of a process before and after the second round of restarts. */
const BEFORE = {
  MASTER_KEY: key(1),
  MASTER_KEY_PREVIOUS: key(4),
  PRINCIPAL_KEY: key(2),
  PRINCIPAL_KEY_PREVIOUS: key(5),
  JWT_SECRET: key(3),
  JWT_PREVIOUS: key(6),
};
const AFTER = {
  MASTER_KEY: key(4),
  MASTER_KEY_PREVIOUS: key(1),
  PRINCIPAL_KEY: key(5),
  PRINCIPAL_KEY_PREVIOUS: key(2),
  JWT_SECRET: key(6),
  JWT_PREVIOUS: key(3),
};
const ANOTHER = { ...AFTER, PRINCIPAL_KEY: key(9), PRINCIPAL_KEY_PREVIOUS: '' };

describeWith('nats', { own: true })('a cluster in the middle of a change of all keys', () => {
  let house: House;
  let before: TestApp;
  let after: TestApp;

  beforeAll(async () => {
    house = await openHouse();
    before = await house.join('before', [auth], { env: BEFORE });
    after = await house.join('after', [secretsService], { env: AFTER });
    await knows(before, 'secrets.put');
    await knows(after, 'auth.register');
  });
  afterAll(() => house.close());

  test('calls work in both directions, old and new tokens and principals are accepted, and secrets can be read', async () => {
    const made = await after.call('auth.register', {
      tenant_slug: 'acme',
      tenant_name: 'Acme',
      email: 'ann@example.com',
      password: 'a-long-password',
    });
    const { principal } = await after.call('auth.verify', { token: made.token });
    expect(after.app.principals.verify(principal, Date.now())).toMatchObject({ tenant_id: made.tenant.id });
    const owner = { tenant_id: made.tenant.id, role: 'owner' } as const;
    await before.call('secrets.put', { name: 'A', value: 'value one' }, owner);
    const service = { tenant_id: made.tenant.id, role: 'service' } as const;
    expect(await before.call('secrets.reveal', { names: ['A'] }, service)).toEqual({ values: { A: 'value one' } });
    expect(after.app.keys.ids).toEqual(before.app.keys.ids);
  });

  test('a process with neither principal key gets no calls, and its own are refused', async () => {
    const env = { ...ANOTHER, REQUEST_TIMEOUT: '2' };
    const outsider = await house.join('outsider', [secretsService], { env });
    const nodes = () => before.broker.registry.getNodeList({}) as { id: string }[];
    await until('the outsider is seen', () => nodes().some(({ id }) => id === 'outsider'));
    expect(before.broker.registry.getActionEndpoints('secrets.put')?.count()).toBe(1);
    expect(after.app.principals.verify(outsider.app.principals.forTenant('t', Date.now()), Date.now())).toBeNull();
    await expect(outsider.call('auth.tenant', {}, { tenant_id: 't' })).rejects.toMatchObject({ code: 503 });
  });
});
