import type { Session } from '../../../contracts/auth/accounts';
import { ROUTES } from '../../../services/api-gateway/routes';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask, type HttpAnswer } from '../../support/http';
import { type MailServer, startMailServer } from '../../support/mail-server';
import { allServices } from '../../support/services';
import { join } from '../../support/team';
import { confirm, OPERATOR, signUpOperator } from './support/operator';

const routes = ROUTES.filter(({ access }) => access === 'operator').map(
  ({ method, path }) => `${method} ${path.replace(/:\w+/g, 'x')}` as `GET /${string}`,
);
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

let mails: MailServer;
let app: TestApp;
let operator: Session;
let callers: Record<string, string | null>;

beforeAll(async () => {
  mails = await startMailServer();
  app = await startApp({ services: [allServices], env: { ...mails.env, OPERATORS: `grace@example.com, ${OPERATOR}` } });
  operator = await signUpOperator(app, mails);
  const owner = await registerTenant(app);
  const key = await ask(app, 'POST /api/v1/api-keys', { token: operator.token, body: { name: 'ci' } });
  const unconfirmed = await registerTenant(app, { email: OPERATOR });
  const confirmed = await registerTenant(app, { email: 'eve@example.com' });
  await confirm(app, mails, confirmed);
  callers = {
    'an owner': owner.token,
    'an admin': (await join(app, owner.token, 'admin@example.com', 'admin')).token,
    'a member': (await join(app, owner.token, 'member@example.com')).token,
    'a viewer': (await join(app, owner.token, 'viewer@example.com', 'viewer')).token,
    'an owner with another confirmed address': confirmed.token,
    'an owner with the address of an operator that is not confirmed': unconfirmed.token,
    'a member with the address of an operator that is not confirmed': (await join(app, owner.token, OPERATOR)).token,
    'an API key of an operator': key.body.key as string,
    'no credential': null,
    'a credential that is not valid': 'ey.no.no',
  };
}, 60_000);
afterAll(async () => {
  await app.close();
  await mails.close();
});

/** All of an answer that a client sees, but for what differs from one request to the next. */
const seen = ({ status, headers, body: { request_id: _id, ...body } }: HttpAnswer) => ({
  status,
  body,
  headers: [...headers.keys()].filter((name) => name !== 'connection').sort(),
});

const CALLERS = [
  'an owner',
  'an admin',
  'a member',
  'a viewer',
  'an owner with another confirmed address',
  'an owner with the address of an operator that is not confirmed',
  'a member with the address of an operator that is not confirmed',
  'an API key of an operator',
  'no credential',
  'a credential that is not valid',
];

describe.each(CALLERS)('for %s', (caller) => {
  test.each(routes)('%s is answered as a path without a route, by any method', async (line) => {
    const path = line.slice(line.indexOf(' ') + 1);
    const token = callers[caller] as string | null;
    for (const method of METHODS) {
      const body = method === 'POST' || method === 'PUT' ? { plan: 'pro', reason: 'x' } : undefined;
      const nothing = await ask(app, `${method} /api/v1/nothing/here`, { token, body });
      expect(nothing.status).toBe(404);
      expect(seen(await ask(app, `${method} ${path as '/'}`, { token, body }))).toEqual(seen(nothing));
    }
  });

  test('OPTIONS names no method', async () => {
    const [answer, nothing] = await Promise.all([
      ask(app, 'OPTIONS /api/v1/operator/hosts'),
      ask(app, 'OPTIONS /api/v1/nothing'),
    ]);
    expect(seen(answer)).toEqual(seen(nothing));
  });
});

describe('for an operator', () => {
  test.each(routes.filter((line) => line.startsWith('GET ') && !line.includes('/x')))('%s answers', async (line) => {
    expect((await ask(app, line, { token: operator.token })).status).toBe(200);
  });

  test('GET /api/v1/me says so, and for the key of the same account it does not', async () => {
    const operates = async (token: string | null) => (await ask(app, 'GET /api/v1/me', { token })).body.operator;
    expect(await operates(operator.token)).toBe(true);
    expect(await operates(callers['an API key of an operator'] as string)).toBe(false);
    expect(await operates(callers['an owner'] as string)).toBe(false);
  });
});

test('the bus admits no principal of a tenant, and no service, to actions of operators', async () => {
  const outcome = (actor: Parameters<TestApp['call']>[2]) =>
    app.call('auth.operator_tenants', {}, actor).then(
      () => 'admitted',
      (fault: { type?: string }) => fault.type,
    );
  const tenant = { tenant_id: operator.tenant.id, user_id: operator.user.id, email: OPERATOR };
  expect(await outcome({ ...tenant, role: 'owner' })).toBe('not_found');
  expect(await outcome({ ...tenant, role: 'service' })).toBe('forbidden');
});
