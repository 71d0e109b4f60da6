import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import type { Session } from '../../../contracts/auth/accounts';
import { registerTenant } from '../../support/accounts';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { ask } from '../../support/http';
import { join } from '../../support/team';
import { until } from '../../support/until';

/** Two processes with all that credentials need, so each answers for its own gateway. */
let database: TestDatabase;
let near: TestApp;
let far: TestApp;
let owner: Session;
beforeAll(async () => {
  database = await openTestDatabase();
  const services = [apiGatewayService, authService];
  const bus = { transporter: 'Fake', namespace: 'two-nodes-of-auth' };
  near = await startApp({ services, database, ...bus });
  far = await startApp({ services, database, ...bus });
  await Promise.all([near, far].map(({ broker }) => broker.waitForServices('auth')));
  await until('they know each other', () => near.broker.registry.nodes.count() === 2);
  owner = await registerTenant(near);
});
afterAll(async () => {
  await Promise.all([near.close(), far.close()]);
  await database.close();
});

const me = async (on: TestApp, token: string) => (await ask(on, 'GET /api/v1/me', { token })).status;

/** A user with a token and a key, both of which both nodes have just looked up. */
async function known(email: string): Promise<{ id: string; credentials: string[] }> {
  const { user, token } = await join(near, owner.token, email, 'admin');
  const { body } = await ask(near, 'POST /api/v1/api-keys', { token, body: { name: 'ci' } });
  const credentials = [token, body.key as string];
  for (const node of [near, far]) for (const each of credentials) expect(await me(node, each)).toBe(200);
  return { id: user.id, credentials };
}

describe.each([
  ['a removal', (id: string) => ask(near, `DELETE /api/v1/team/members/${id}`, { token: owner.token }), 401],
  [
    'a demotion',
    (id: string) => ask(near, `PUT /api/v1/team/members/${id}/role`, { token: owner.token, body: { role: 'member' } }),
    403,
  ],
] as const)('%s', (what, act, status) => {
  const members = async (on: TestApp, token: string) => (await ask(on, 'GET /api/v1/team/members', { token })).status;

  test('counts on every node at once, for tokens and API keys', async () => {
    const { id, credentials } = await known(`${what.replace(/\W/g, '')}1@example.com`);
    await act(id);
    for (const each of credentials) expect(await members(near, each)).toBe(status);
    for (const each of credentials) expect(await members(far, each)).toBe(status);
  });

  test('is answered once it counts on a node that does not acknowledge it', async () => {
    const { id, credentials } = await known(`${what.replace(/\W/g, '')}2@example.com`);
    const call = near.broker.call.bind(near.broker);
    const cutOff = jest
      .spyOn(near.broker, 'call')
      .mockImplementation(((action: string, ...rest: [never, never]) =>
        action === 'caches.forget' ? Promise.reject(new Error('cut off')) : call(action, ...rest)) as never);
    await act(id);
    expect(cutOff).toHaveBeenCalledWith('caches.forget', expect.anything(), expect.anything());
    cutOff.mockRestore();
    for (const each of credentials) expect(await members(far, each)).toBe(status);
  });
});
