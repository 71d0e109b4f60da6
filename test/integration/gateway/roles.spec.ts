import { aiService } from '../../../services/ai';
import { apiGatewayService } from '../../../services/api-gateway';
import { ROUTES } from '../../../services/api-gateway/routes';
import type { Route } from '../../../services/api-gateway/routes/route';
import { auditService } from '../../../services/audit';
import { authService } from '../../../services/auth';
import { channelsService } from '../../../services/channels';
import { runServices } from '../../../services/executor';
import { secretsService } from '../../../services/secrets';
import { workflowsService } from '../../../services/workflows';
import type { Role } from '../../../mixins/principal';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { type LlmServer, startLlmServer } from '../../support/llm-server';

const WORKFLOW = {
  name: 'Theirs',
  dsl: { id: 'd', trigger: { type: 'manual' }, steps: [{ id: 'a', type: 'log', config: { message: 'x' } }] },
};
const ROLES: readonly Role[] = ['member', 'admin', 'owner'];

let app: TestApp;
let models: LlmServer;
const tokens = {} as Record<Role, string>;
let strangers: { token: string; workflow: string; key: string };

beforeAll(async () => {
  models = await startLlmServer(() => ({ kind: 'text', text: '{}' }));
  app = await startApp({
    env: { LLM_OPENAI_COMPATIBLE_BASE_URL: models.baseUrl.openai, LLM_OPENAI_COMPATIBLE_MODEL: 'any' },
    services: [
      apiGatewayService,
      authService,
      secretsService,
      aiService,
      auditService,
      workflowsService,
      channelsService,
      (made) => runServices(made).executions(),
    ],
  });
  const owner = await registerTenant(app);
  tokens.owner = owner.token;
  for (const role of ['admin', 'member'] as const) tokens[role] = await colleague(owner.tenant.id, role);
  const other = await registerTenant(app);
  const workflow = await call(other.token, 'POST', '/api/v1/workflows', WORKFLOW);
  const key = await call(other.token, 'POST', '/api/v1/api-keys', { name: 'theirs' });
  await call(other.token, 'POST', '/api/v1/secrets', { name: 'THEIRS', value: 'x' });
  strangers = { token: other.token, workflow: workflow.body.id as string, key: key.body.id as string };
});
afterAll(() => Promise.all([app.close(), models.close()]));

/** An API key of a user who is put into the tenant, since nobody can be invited yet. */
async function colleague(tenantId: string, role: Role): Promise<string> {
  const id = `${role}-${tenantId}`;
  await app.app.db
    .collection<{ _id: string }>('users')
    .insertOne({ _id: id, tenant_id: tenantId, email: `${role}@example.com`, role } as never);
  return (await app.call('auth.create_api_key', { name: role }, { tenant_id: tenantId, user_id: id, role })).key;
}

async function call(token: string | null, method: string, path: string, body?: unknown) {
  const response = await fetch(app.url + path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
}

const concrete = (path: string): string => path.replace(/:\w+/g, 'unknown');
const isGuarded = ({ access }: Route): boolean => access !== 'public';
const isCall = (route: Route): boolean => route.kind !== 'stream';

describe.each(ROUTES.filter(isGuarded).map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_line, route) => {
    test('is 401 without a credential', async () => {
      const { status, body } = await call(null, route.method, concrete(route.path));
      expect([status, body.code]).toEqual([401, 'unauthenticated']);
    });
  },
);

describe.each(
  ROUTES.filter((route) => isGuarded(route) && isCall(route)).map(
    (route) => [`${route.method} ${route.path}`, route] as const,
  ),
)('%s', (_line, route) => {
  test.each(ROLES)('admits or refuses a %s as its table says', async (role) => {
    const { status, body } = await call(
      tokens[role],
      route.method,
      concrete(route.path),
      route.method === 'POST' || route.method === 'PUT' ? {} : undefined,
    );
    const admitted = ROLES.indexOf(role) >= ROLES.indexOf(route.access as Role);
    expect(status < 500 ? (status === 403 ? 'refused' : 'admitted') : body).toBe(admitted ? 'admitted' : 'refused');
  });
});

describe("another tenant's", () => {
  test.each([
    ['GET', 'workflows/W'],
    ['PUT', 'workflows/W'],
    ['DELETE', 'workflows/W'],
    ['PUT', 'workflows/W/enable'],
    ['PUT', 'workflows/W/disable'],
    ['POST', 'workflows/W/approve'],
    ['POST', 'workflows/W/trigger'],
    ['GET', 'workflows/W/health'],
    ['GET', 'workflows/W/schedule'],
    ['GET', 'workflows/W/export'],
    ['GET', 'workflows/W/api-keys'],
    ['POST', 'workflows/W/api-keys'],
    ['PUT', 'workflows/W/webhook-key'],
    ['DELETE', 'workflows/W/webhook-key'],
    ['DELETE', 'api-keys/K'],
    ['DELETE', 'secrets/THEIRS'],
  ])('%s %s is 404, as if it did not exist', async (method, path) => {
    const own = path.replace('W', strangers.workflow).replace('K', strangers.key);
    const { status } = await call(
      tokens.owner,
      method,
      `/api/v1/${own}`,
      method === 'POST' || method === 'PUT' ? {} : undefined,
    );
    expect(status).toBe(404);
  });

  test('things are in no list', async () => {
    for (const list of ['workflows', 'secrets', 'workflows/health']) {
      expect((await call(tokens.owner, 'GET', `/api/v1/${list}`)).body.data).toEqual([]);
    }
    expect(JSON.stringify((await call(tokens.owner, 'GET', '/api/v1/api-keys')).body)).not.toContain('theirs');
    expect((await call(strangers.token, 'GET', `/api/v1/workflows/${strangers.workflow}`)).status).toBe(200);
  });
});

test('with every needed service there, the gateway is ready', async () => {
  expect(await call(null, 'GET', '/health/ready')).toEqual({ status: 200, body: { status: 'ready' } });
});
