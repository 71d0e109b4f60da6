import { ROUTES } from '../../../services/api-gateway/routes';
import { ACTIONS } from '../../../contracts/catalogue';
import type { ActionContract } from '../../../contracts/contract';
import { ROLES } from '../../../lib/roles';
import { KEY_SCOPES, type KeyScope } from '../../../lib/key-scopes';
import type { Session } from '../../../contracts/auth/accounts';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask, type HttpAnswer } from '../../support/http';
import { allServices } from '../../support/services';
import { join } from '../../support/team';

let app: TestApp;
let owner: Session;

beforeAll(async () => {
  app = await startApp({ services: [allServices] });
  owner = await registerTenant(app);
}, 60_000);
afterAll(() => app.close());

interface Key {
  readonly id: string;
  readonly key: string;
}

const post = (token: string, path: string, body: object = {}): Promise<HttpAnswer> =>
  ask(app, `POST /api/v1/${path}` as 'POST /', { token, body });

async function keyOf(token: string, body: object = {}): Promise<Key> {
  const answer = await post(token, 'api-keys', { name: 'k', ...body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body as unknown as Key;
}

const me = (token: string): Promise<HttpAnswer> => ask(app, 'GET /api/v1/me', { token });

describe('the scopes of API keys', () => {
  // No key may use the routes of operators; test/integration/operators has them.
  const routes = ROUTES.filter(({ kind, access }) => kind === 'json' && !['public', 'operator'].includes(access)).map(
    (route) => [`${route.method} ${route.path}`, route] as const,
  );
  let keys: Record<KeyScope, string>;
  beforeAll(async () => {
    const made = await Promise.all(KEY_SCOPES.map(async (scope) => [scope, (await keyOf(owner.token, { scope })).key]));
    keys = Object.fromEntries(made) as Record<KeyScope, string>;
  });

  const MAX = { read: 'viewer', edit: 'member', admin: 'owner', scim: null } as const;
  const allows = (scope: KeyScope, { access, runs }: ActionContract): boolean =>
    scope === 'run'
      ? access === 'viewer' || runs === true
      : MAX[scope] !== null && (ROLES as readonly string[]).indexOf(access) <= ROLES.indexOf(MAX[scope]);

  test.each(routes)('%s is open to keys with the scopes that allow it', async (line, route) => {
    if (route.kind !== 'json') return;
    const path = route.path.replace(/:\w+/g, 'unknown');
    for (const scope of KEY_SCOPES) {
      const body = route.method === 'POST' || route.method === 'PUT' ? {} : undefined;
      const answer = await ask(app, `${route.method} ${path}` as 'GET /', { token: keys[scope], body });
      const refused = answer.status === 403 && String(answer.body.error).startsWith('The scope of this API key');
      const managesKeys = ['auth.create_api_key', 'auth.rotate_api_key', 'auth.revoke_api_key'].includes(route.action);
      expect([line, scope, refused]).toEqual([
        line,
        scope,
        !allows(scope, ACTIONS[route.action]) || (managesKeys && scope !== 'admin' && answer.status === 403),
      ]);
    }
  });

  test('narrow the role of the user, and are narrowed by it', async () => {
    expect((await me(keys.read)).body).toMatchObject({ role: 'owner', credential: 'api_key', scope: 'read' });
    expect((await me(owner.token)).body).toMatchObject({ credential: 'user', scope: null });
    const member = await join(app, owner.token, 'member@example.com');
    const { key } = await keyOf(member.token, { scope: 'admin' });
    expect((await ask(app, 'GET /api/v1/team/members', { token: key })).status).toBe(403);
  });

  test('start and steer runs with run, and change no workflow', async () => {
    const dsl = { id: 'd', trigger: { type: 'http' }, steps: [{ id: 'a', type: 'log', config: { message: 'x' } }] };
    const { body: flow } = await post(keys.edit, 'workflows', { name: 'Flow', dsl });
    expect((await post(keys.run, `workflows/${String(flow.id)}/trigger`)).status).toBe(202);
    expect((await post(keys.read, `workflows/${String(flow.id)}/trigger`)).status).toBe(403);
    expect((await post(keys.run, 'workflows', { name: 'Other', dsl })).status).toBe(403);
    expect((await post(keys.run, 'workflows/try', { dsl })).status).toBe(403);
  });

  test.each(['read', 'run', 'edit', 'scim'] as const)('%s makes, rotates and revokes no keys', async (scope) => {
    const mine = await keyOf(owner.token, { scope });
    expect((await post(mine.key, 'api-keys', { name: 'wider' })).status).toBe(403);
    expect((await post(mine.key, `api-keys/${mine.id}/rotate`)).status).toBe(403);
    expect((await ask(app, `DELETE /api/v1/api-keys/${mine.id}`, { token: mine.key })).status).toBe(403);
  });

  test('are a closed set', async () => {
    expect((await post(owner.token, 'api-keys', { name: 'k', scope: 'root' })).status).toBe(400);
  });

  test('of keys from before are all that the role allows', async () => {
    const old = await keyOf(owner.token);
    await app.app.db
      .collection<{ _id: string }>('api_keys')
      .updateOne({ _id: old.id }, { $unset: { scope: '', created_by: '', expires_at: '' } });
    expect((await me(old.key)).body.role).toBe('owner');
    const { data } = (await ask(app, 'GET /api/v1/api-keys?limit=200', { token: owner.token })).body as { data: Key[] };
    expect(data.find(({ id }) => id === old.id)).toMatchObject({
      scope: 'admin',
      created_by: owner.user.id,
      user: owner.user.email,
      expires_at: null,
    });
  });
});
