import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import { registerInput } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { Api } from '../../support/server';
import { openSite, send } from '../executor/site';
import { openWhole } from './support/whole';

/** Failures of one pair of account and address before the throttle; a request more is refused. */
const FAILURES = 10;

const opened: { close(): Promise<void> }[] = [];
const kept = <T extends { close(): Promise<void> }>(one: T): T => {
  opened.push(one);
  return one;
};
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));

const open = async (env: Record<string, string>): Promise<TestApp> =>
  kept(await startApp({ services: [authService, apiGatewayService], env }));

async function failures(app: TestApp, account: object, addressOf: (n: number) => string): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n <= FAILURES; n++) {
    const body = { ...account, password: 'not the password' };
    const { status } = await send(app, 'POST', '/api/v1/auth/login', body, { 'x-forwarded-for': addressOf(n) });
    statuses.push(status);
  }
  return statuses;
}

const without = (statuses: readonly number[], status: number): number[] => statuses.filter((one) => one !== status);

describe('X-Forwarded-For', () => {
  test('sent directly by a client does not bypass the login limit', async () => {
    const app = await open({});
    const account = registerInput();
    await app.call('auth.register', account);
    const statuses = await failures(app, account, (n) => `203.0.113.${n}`);
    expect([statuses.at(-1), without(statuses.slice(0, -1), 401)]).toEqual([429, []]);
  });

  test('of a trusted proxy tells clients apart, and what a client wrote before it does not', async () => {
    const app = await open({ TRUST_PROXY: '127.0.0.1' });
    const account = registerInput();
    await app.call('auth.register', account);
    const spoofed = await failures(app, account, (n) => `203.0.113.${n}, 198.51.100.1`);
    expect(spoofed.at(-1)).toBe(429);
    expect(without(await failures(app, account, (n) => `198.51.100.${n + 2}`), 401)).toEqual([]);
  });

  test('sent directly by a client does not bypass the rate limit', async () => {
    const app = await open({ RATE_LIMIT: '2' });
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        const { status } = await send(app, 'GET', '/health', undefined, { 'x-forwarded-for': `203.0.113.${n}` });
        return status;
      }),
    );
    expect(statuses).toContain(429);
  });
});

test('links use the host by which the caller reached the API through a trusted proxy; a client cannot redirect them', async () => {
  const site = kept(await openSite({ env: { TRUST_PROXY: '127.0.0.1' } }));
  const ann = await site.user();
  const workflow = await ann.workflow([{ id: 'ask', type: 'approval', config: { message: 'Go on?' } }]);
  await ann.waiting(await ann.start(workflow));
  const linkOf = async (headers: Record<string, string>): Promise<string> => {
    const { body } = await ann.request('GET', '/api/v1/approvals?origin=http://query.example', undefined, headers);
    return new URL((body.data as { approve_url: string }[])[0]?.approve_url ?? '').origin;
  };
  expect(await linkOf({})).toBe(site.url);
  expect(await linkOf({ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example, flows.example' })).toBe(
    'https://flows.example',
  );
});

test('the audit log has the client behind a trusted proxy, and never a header that the client wrote', async () => {
  const whole = kept(await openWhole({ TRUST_PROXY: '127.0.0.1' }));
  const api = new Api(whole.url);
  await api.register('recorded');
  const account = { tenant_slug: 'recorded', email: 'owner@recorded.example', password: 'a-long-password' };
  const { status } = await api.ask('POST', '/api/v1/auth/login', account, {
    'x-forwarded-for': '6.6.6.6, 203.0.113.7',
  });
  expect(status).toBe(200);
  const { data } = await api.call<{ data: { actor: { ip: string } }[] }>('GET', '/api/v1/audit?action=login.succeed');
  expect(data[0]?.actor.ip).toBe('203.0.113.7');
});
