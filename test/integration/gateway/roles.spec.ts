import { ROLES, type Role } from '../../../lib/roles';
import { ROUTES } from '../../../services/api-gateway/routes';
import type { Route } from '../../../services/api-gateway/routes/route';
import { allServices } from '../../support/services';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask, type HttpAnswer } from '../../support/http';
import { type LlmServer, startLlmServer } from '../../support/llm-server';
import { join, PASSWORD } from '../../support/team';

/** Callers: members of a tenant, programs of one of them, and callers without access. */
type Caller = Role | 'API key of a member' | 'workflow key' | 'foreign owner' | 'anonymous';

/** The role of each caller in the tenant; null for callers outside of it. */
const STANDING: Readonly<Record<Caller, Role | null>> = {
  owner: 'owner',
  admin: 'admin',
  member: 'member',
  viewer: 'viewer',
  'API key of a member': 'member',
  'workflow key': null,
  'foreign owner': 'owner',
  anonymous: null,
};
const CALLERS = Object.keys(STANDING) as Caller[];

const DSL = { id: 'd', trigger: { type: 'http' }, steps: [{ id: 'a', type: 'log', config: { message: 'x' } }] };

const ALERT = {
  name: 'theirs',
  condition: { kind: 'failures_in_row', failures: 9 },
  channels: [{ kind: 'webhook', url: 'http://127.0.0.1:1/' }],
};

/** Bodies with which a request passes validation; all others are sent without a body. */
const BODIES: Readonly<Record<string, object>> = {
  'PUT /api/v1/alerts/:id': ALERT,
  'POST /api/v1/alerts/:id/mute': { until: null },
  'POST /api/v1/workflows/:id/chat-deployments': { slug: 'theirs', title: 'x' },
  'PUT /api/v1/workflows/:id/draft': { dsl: {} },
  'PUT /api/v1/workflows/:id/steps/:step_id/pin': { output: {} },
  'POST /api/v1/workflows/:id/schedule/backfill': { from: '2026-01-01', to: '2026-01-02' },
  'POST /api/v1/datasets/:id/rows': { rows: [{ input: 1 }] },
  'PUT /api/v1/datasets/:id/rows/:row_id': { input: 1 },
  'POST /api/v1/datasets/:id/rows/from-runs': { execution_ids: ['x'] },
  'POST /api/v1/executions/:id/signal': { signal: 'go' },
  'POST /api/v1/executions/:id/steps/:step_id/feedback': { rating: 'up' },
  'PUT /api/v1/team/members/:id/role': { role: 'member' },
  'PUT /api/v1/auth/passkeys/:id': { name: 'x' },
  'PUT /api/v1/me/run-views': { views: [], revision: 0 },
  'POST /api/v1/knowledge-bases/:id/query': { query: 'x' },
};
/** Names are unique per tenant: a request with a name writes a record of the caller's own tenant. */
const NAMED_BY_CALLER = new Set(['PUT /api/v1/variables/:name', 'PUT /api/v1/folders/:folder/access']);

let app: TestApp;
let models: LlmServer;
let tokens: Record<Caller, string | null>;
/** Ids of what belongs to the tenant of the callers, and not to the foreign owner. */
let own: Record<string, string>;
const people = new Map<Caller, { tenant_slug: string; email: string }>();

beforeAll(async () => {
  models = await startLlmServer(() => ({ kind: 'text', text: '{}' }));
  app = await startApp({
    env: { LLM_OPENAI_COMPATIBLE_BASE_URL: models.baseUrl.openai, LLM_OPENAI_COMPATIBLE_MODEL: 'any' },
    services: [allServices],
  });
  const owner = await registerTenant(app);
  const admin = await join(app, owner.token, 'admin@example.com', 'admin');
  const member = await join(app, owner.token, 'member@example.com');
  const viewer = await join(app, owner.token, 'viewer@example.com', 'viewer');
  const foreign = await registerTenant(app, { email: 'mallory@example.com' });
  for (const [caller, { user, tenant }] of Object.entries({ owner, admin, member, viewer, 'foreign owner': foreign })) {
    people.set(caller as Caller, { tenant_slug: tenant.slug, email: user.email });
  }
  const make = async (token: string, line: `POST /${string}`, body: unknown) =>
    (await ask(app, line, { token, body })).body as Record<'id' | 'key', string>;
  const flow = await make(owner.token, 'POST /api/v1/workflows', { name: 'Theirs', dsl: DSL });
  const runKey = await make(owner.token, `POST /api/v1/workflows/${flow.id}/api-keys`, { name: 'run' });
  const key = await make(member.token, 'POST /api/v1/api-keys', { name: 'ci' });
  await make(owner.token, 'POST /api/v1/secrets', { name: 'THEIRS', value: 'a value' });
  const skill = await make(owner.token, 'POST /api/v1/skills', { name: 'theirs', description: 'Theirs.' });
  const alert = await make(owner.token, 'POST /api/v1/alerts', ALERT);
  const numbers = { versions: '1', diff: 'current' };
  const base = await make(owner.token, 'POST /api/v1/knowledge-bases', { name: 'Theirs' });
  const dataset = await make(owner.token, 'POST /api/v1/datasets', { name: 'Theirs' });
  const documents = `/api/v1/knowledge-bases/${base.id}/documents` as const;
  const document = await make(owner.token, `POST ${documents}`, { text: 'Theirs.' });
  own = {
    'knowledge-bases': base.id,
    documents: document.id,
    alerts: alert.id,
    datasets: dataset.id,
    workflows: flow.id,
    skills: skill.id,
    published: skill.id,
    'api-keys': key.id,
    secrets: 'THEIRS',
    members: member.user.id,
    ...numbers,
  };
  tokens = {
    owner: owner.token,
    admin: admin.token,
    member: member.token,
    viewer: viewer.token,
    'API key of a member': key.key,
    'workflow key': runKey.key,
    'foreign owner': foreign.token,
    anonymous: null,
  };
}, 60_000);
afterAll(() => Promise.all([app.close(), models.close()]));

const lineOf = ({ method, path }: Route): string => `${method} ${path}`;

/** The path with ids that do not exist; for the foreign owner, with ids of records of another tenant. */
function concrete(path: string, caller: Caller): string {
  return path.replace(/(\w[\w-]*)\/:\w+/g, (_all, collection: string) => {
    const id = caller === 'foreign owner' ? own[collection] : undefined;
    return `${collection}/${id ?? 'unknown'}`;
  });
}

/** A form with a file, for routes that take one. */
function formWithFile(): FormData {
  const form = new FormData();
  form.append('file', new Blob(['A file.']), 'file.txt');
  return form;
}

async function send(route: Route, caller: Caller): Promise<HttpAnswer> {
  const line = `${route.method} ${concrete(route.path, caller) as `/${string}`}` as const;
  if (route.kind === 'upload') return ask(app, line, { token: tokens[caller], form: formWithFile() });
  const body = route.method === 'POST' || route.method === 'PUT' ? (BODIES[lineOf(route)] ?? {}) : undefined;
  return ask(app, line, { token: tokens[caller], body });
}

/** How far a request got. The table is about access to the endpoint, not about what the action does. */
type Outcome = 'admitted' | 'unauthenticated' | 'forbidden' | 'not found';

function outcomeOf({ status, body }: HttpAnswer): Outcome | HttpAnswer['body'] {
  if (status === 401 && body.code === 'unauthenticated') return 'unauthenticated';
  if (status === 403 && String(body.error).startsWith('This action requires the role ')) return 'forbidden';
  if (status === 404) return 'not found';
  // An endpoint that is not configured here has admitted the caller too.
  return status < 500 || body.code === 'provider_not_configured' ? 'admitted' : body;
}

function promised(least: Route['access'], caller: Caller): Outcome {
  if (least === 'public') return 'admitted';
  if (least === 'operator') return 'not found';
  const role = STANDING[caller];
  if (role === null) return 'unauthenticated';
  return ROLES.indexOf(role) >= ROLES.indexOf(least) ? 'admitted' : 'forbidden';
}

/** Makes a new token for a caller that has ended its session. */
async function signInAgain(caller: Caller): Promise<void> {
  const person = people.get(caller);
  if (person === undefined) return;
  tokens[caller] = (await app.call('auth.login', { ...person, password: PASSWORD })).token;
}

describe.each(ROUTES.map((route) => [lineOf(route), route] as const))('%s', (line, route) => {
  const least = route.access;

  test.each(CALLERS)('is open or closed to: %s', async (caller) => {
    const answer = await send(route, caller);
    const outcome = outcomeOf(answer);
    // Public routes have access checks of their own, such as keys of workflows and passwords.
    if (least === 'public') expect(answer.status).not.toBe(403);
    else if (least === 'operator') expect(outcome).toBe('not found');
    else expect(outcome === 'not found' ? 'admitted' : outcome).toBe(promised(least, caller));
    const asksForTheirs = caller === 'foreign owner' && route.path.includes('/:') && !NAMED_BY_CALLER.has(line);
    if (asksForTheirs && least !== 'public') expect(outcome).toBe('not found');
    if (line === 'POST /api/v1/auth/logout') await signInAgain(caller);
  });
});

test('after all that, what belongs to the tenant is there, and in no list of the foreign owner', async () => {
  const list = async (caller: Caller, path: string) =>
    JSON.stringify((await ask(app, `GET /api/v1/${path}` as 'GET /', { token: tokens[caller] })).body.data);
  for (const [path, id] of Object.entries({
    workflows: own.workflows,
    secrets: 'THEIRS',
    'team/members': own.members,
  })) {
    expect(await list('owner', path)).toContain(id);
    expect(await list('foreign owner', path)).not.toContain(id);
  }
});

test('with every needed service there, the gateway is ready', async () => {
  expect(await ask(app, 'GET /health/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
});
