import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import { registerInput } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { ManualClock } from '../../support/manual-clock';

const QUARTER = 15 * 60_000;

let app: TestApp;
const clock = new ManualClock(Date.now());
beforeAll(async () => {
  const env = { TRUST_PROXY: '127.0.0.1', RATE_LIMIT: 'off' };
  app = await startApp({ services: [apiGatewayService, authService], clock, env });
});
beforeEach(() => clock.advance(QUARTER));
afterAll(() => app.close());

const register = (address: string, given: Parameters<typeof registerInput>[0] = {}) =>
  ask(app, 'POST /api/v1/auth/register', { body: registerInput(given), headers: { 'x-forwarded-for': address } });
const statusesOf = async (addresses: readonly string[]) => {
  const statuses: number[] = [];
  for (const address of addresses) statuses.push((await register(address)).status);
  return statuses;
};

test('the twenty-first registration from a network is refused until the quarter of an hour is over', async () => {
  expect(await statusesOf(Array<string>(20).fill('192.0.2.1'))).toEqual(Array(20).fill(201));
  const refused = await register('192.0.2.1');
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect(refused.headers.get('retry-after')).toBe('900');
  expect((await register('192.0.2.2')).status).toBe(201);
  clock.advance(QUARTER);
  expect((await register('192.0.2.1')).status).toBe(201);
});

test('addresses of one IPv6 /64 are one network', async () => {
  const addresses = Array.from({ length: 21 }, (_, n) => `2001:db8:0:1::${(n + 1).toString(16)}`);
  expect((await statusesOf(addresses)).slice(-2)).toEqual([201, 429]);
  expect((await register('2001:db8:0:2::1')).status).toBe(201);
});

test('registrations with a slug that is taken count', async () => {
  const taken = registerInput({}).tenant_slug;
  const statuses: number[] = [];
  for (let n = 0; n < 21; n += 1) statuses.push((await register('192.0.2.3', { tenant_slug: taken })).status);
  expect(statuses).toEqual([201, ...Array<number>(19).fill(409), 429]);
});
