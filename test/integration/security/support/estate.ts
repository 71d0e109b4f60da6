import type { Json, JsonObject } from '../../../../lib/json';
import { storedConnection } from '../../../support/connections/stored';
import { LOGO } from '../../../support/images';
import { passkeysOf } from '../../../support/passkeys';
import { Api } from '../../../support/server';
import { until } from '../../../support/until';
import type { Whole } from './whole';

/** Part of the name or content of every record of the first tenant, and of no id. */
export const MARK = 'atticus';
/** The password of all users of the first tenant. */
export const PASSWORD = 'a-long-password';
/** Part of secret values alone, which must not leave the vault. */
export const SECRET = 'finch-in-the-vault';
/** The access token of the connected account: members may request it. */
const ACCESS_TOKEN = 'mockingbird-in-the-vault';

/** One record of every kind that a tenant can have, with their ids. */
export interface Estate {
  readonly owner: Api;
  readonly admin: Api;
  readonly member: Api;
  readonly viewer: Api;
  /** By the path up to the variable: the value for `/api/v1/workflows/:` is the id of a workflow. */
  readonly ids: Readonly<Record<string, string>>;
  /** Keys and tokens that were shown once. */
  readonly credentials: readonly string[];
  /** Bodies that were accepted, by method and path with ids as colons. */
  readonly bodies: ReadonlyMap<string, object>;
  readonly apiKey: string;
  /** Gives a person a new session. */
  signIn(role: 'owner' | 'admin' | 'member' | 'viewer'): Promise<void>;
}

/** An id, but none that is made up; in its own title the mark stands. */
const CHAT = 'their-chat';

const ID = /\/(?:[\da-f]{8}-[\da-f-]{27}|pinned|first|theirs|their-chat)(?=\/|$)/g;

type Made = Record<string, unknown> & { id: string };

/** Makes the first tenant of an installation, with one of everything. */
export async function makeEstate({ t, url }: Whole): Promise<Estate> {
  const owner = new Api(url);
  await owner.register(MARK);
  const bodies = new Map<string, object>();
  const send = async (method: string, path: string, body: JsonObject): Promise<Made> => {
    const made = await owner.call<Made>(method, `/api/v1${path}`, body);
    bodies.set(`${method} /api/v1${path.replace(ID, '/:')}`, body);
    return made;
  };
  const post = (path: string, body: JsonObject = {}) => send('POST', path, body);
  const put = (path: string, body: JsonObject = {}) => send('PUT', path, body);
  const tenant = await owner.call<Made>('GET', '/api/v1/tenant');
  await t.call('auth.set_plan', { plan: 'enterprise' }, { tenant_id: tenant.id, role: 'service' });
  const organization = await post('/organizations', { name: `house of ${MARK}` });
  await put('/sso/config', SSO);
  const ssoTest = await post('/sso/tests');

  await post('/secrets', { name: 'ATTICUS_TOKEN', value: SECRET });
  await put('/folders/theirs/access', { access: 'open', grants: [] });
  await put('/variables/theirs', { value: `constant of ${MARK}` });
  const skill = await post('/skills', SKILL);
  const base = await post('/knowledge-bases', { name: `base of ${MARK}` });
  const document = await post(`/knowledge-bases/${base.id}/documents`, {
    name: `document of ${MARK}`,
    text: `knowledge of ${MARK}`,
    metadata: { of: MARK },
  });
  const node = await post('/custom-nodes', CUSTOM_NODE);
  // The first thread of a busy machine may take longer to start than a request of these services may.
  await until('the API is imported', () =>
    post('/connectors/import', API).catch((fault: Error) => {
      if (!/timed_out|conflict/.test(fault.message)) throw fault;
    }),
  );
  const connection = await storedConnection(t, tenant.id, {
    name: `account of ${MARK}`,
    credentials: { access_token: ACCESS_TOKEN, user_access_token: SECRET },
  });
  const oauthApp = await post('/oauth-apps', OAUTH_APP);
  const apiKey = await post('/api-keys', { name: `key of ${MARK}` });

  /** A member who has accepted an invitation. */
  const colleague = async (role: 'admin' | 'member' | 'viewer', name: string = role): Promise<Api> => {
    const { invite_url } = await post('/team/invite', { email: `${name}@${MARK}.example`, role });
    const accept = { token: new URL(String(invite_url)).searchParams.get('token'), password: PASSWORD };
    const api = new Api(url);
    api.token = String((await api.call('POST', '/api/v1/auth/accept-invite', accept)).token);
    return api;
  };
  const [admin, member, viewer] = [await colleague('admin'), await colleague('member'), await colleague('viewer')];
  // Of a colleague who never signs in by the password alone, as the others do.
  const { token: holder } = await colleague('member', 'holder');
  const passkeys = passkeysOf({ url });
  // Its check runs on a thread of low priority: on a busy machine that takes longer than a short time-out of requests. The
  // next try meets the end of the one before.
  const passkey = await until('a passkey is accepted', () =>
    passkeys.add(holder, `passkey of ${MARK}`).catch((fault: Error) => {
      if (!/timed_out|conflict/.test(fault.message)) throw fault;
      return null;
    }),
  );
  const people = { owner, admin, member, viewer };
  const me = await member.call<Made>('GET', '/api/v1/me');
  const invite = await post('/team/invite', { email: `invited@${MARK}.example`, role: 'member' });

  const workflow = await post('/workflows', { name: `flow of ${MARK}`, dsl: FLOW });
  await put(`/workflows/${workflow.id}/steps/pinned/pin`, { output: { it: `pinned of ${MARK}` } });
  await post(`/workflows/${workflow.id}/versions`, { message: `version of ${MARK}` });
  const workflowKey = await post(`/workflows/${workflow.id}/api-keys`, { name: `run key of ${MARK}` });
  const guarded = await post('/workflows', { name: `guarded of ${MARK}`, dsl: FLOW });
  const webhookKey = await put(`/workflows/${guarded.id}/webhook-key`);

  const alert = await post('/alerts', {
    name: `alert of ${MARK}`,
    scope: { kind: 'workflows', workflow_ids: [workflow.id] },
    condition: { kind: 'failures_in_row', failures: 3 },
    channels: [{ kind: 'webhook', url: `http://127.0.0.1:1/${MARK}`, secret: SECRET }],
    quiet_period: '1h',
    enabled: true,
  });

  await put('/tenant/branding', { name: `brand of ${MARK}`, color: '#123456', logo: LOGO });
  const chat = await post(`/workflows/${workflow.id}/chat-deployments`, { slug: CHAT, title: `chat of ${MARK}` });

  await fetch(`${url}/webhooks/${workflow.id}`, { method: 'POST', body: `{ broken by ${MARK}`, headers: BROKEN });
  const delivery = await until('the delivery is in the inbox', async () => {
    const { data } = await owner.call<{ data: Made[] }>('GET', `/api/v1/workflows/${workflow.id}/deliveries`);
    return data[0];
  });

  const dataset = await post('/datasets', { name: `rows of ${MARK}`, description: `rows of ${MARK}` });
  await put(`/datasets/${dataset.id}/rows/pinned`, { input: `input of ${MARK}`, expected: `wanted by ${MARK}` });
  const scored = await post('/workflows', { name: `scored of ${MARK}`, dsl: SCORED });
  const evaluation = await post('/evaluations', { ...EVALUATION, dataset_id: dataset.id, workflow_id: scored.id });
  await until('the evaluation has ended', async () => {
    const { status } = await owner.call<Made>('GET', `/api/v1/evaluations/${evaluation.id}`);
    return status === 'completed';
  });

  const run = await post(`/workflows/${workflow.id}/trigger`, { body: { text: `payload of ${MARK}` } });
  await until('the run waits', async () => {
    const { waiting } = await owner.call<{ waiting: Json[] }>('GET', `/api/v1/executions/${run.id}`);
    return waiting.length > 0 ? true : null;
  });
  await post(`/executions/${run.id}/steps/first/feedback`, { rating: 'up', comment: `praise of ${MARK}` });
  const shared = await owner.call<{ steps: { output: Record<string, string> }[] }>(
    'GET',
    `/api/v1/executions/${run.id}/detail?step_id=shared`,
  );

  const [session] = (await owner.call<{ data: { id: string }[] }>('GET', '/api/v1/auth/sessions')).data;
  return {
    ...people,
    bodies: new Map([...Object.entries(OTHER_BODIES), ...bodies]),
    apiKey: String(apiKey.key),
    async signIn(role) {
      const account = { tenant_slug: MARK, email: `${role}@${MARK}.example`, password: PASSWORD };
      people[role].token = String((await owner.call('POST', '/api/v1/auth/login', account)).token);
    },
    ids: {
      '/api/v1/alerts/:': alert.id,
      '/api/v1/api-keys/:': apiKey.id,
      '/api/v1/auth/passkeys/:': passkey.id,
      '/api/v1/auth/sessions/:': session?.id ?? '',
      '/api/v1/connections/:': connection._id,
      '/api/v1/connectors/:': 'custom-things',
      '/api/v1/connectors/:/actions/:': 'get_thing',
      '/api/v1/custom-nodes/:': String(node.type),
      '/api/v1/datasets/:': dataset.id,
      '/api/v1/datasets/:/rows/:': 'pinned',
      '/api/v1/evaluations/:': evaluation.id,
      '/api/v1/evaluations/:/compare/:': evaluation.id,
      '/api/v1/executions/:': run.id,
      '/api/v1/executions/:/compare/:': run.id,
      '/api/v1/executions/:/approve/:': 'ask',
      '/api/v1/executions/:/steps/:': 'first',
      '/api/v1/folders/:': 'theirs',
      '/api/v1/files/:': String(shared.steps[0]?.output.id),
      '/api/v1/files/:/:': 'report.txt',
      '/api/v1/oauth-apps/:': oauthApp.id,
      '/api/v1/oauth/connections/:': connection._id,
      '/api/v1/organizations/:': organization.id,
      '/api/v1/organizations/:/tenants/:': tenant.id,
      '/api/v1/secrets/:': 'ATTICUS_TOKEN',
      '/api/v1/sso/tests/:': ssoTest.id,
      '/api/v1/knowledge-bases/:': base.id,
      '/api/v1/knowledge-bases/:/documents/:': document.id,
      '/api/v1/skills/:': skill.id,
      // A draft, which the registry knows nothing of.
      '/api/v1/skills/published/:': skill.id,
      '/api/v1/team/invites/:': invite.id,
      '/api/v1/team/members/:': me.id,
      '/api/v1/variables/:': 'theirs',
      '/api/v1/workflows/:': workflow.id,
      '/api/v1/workflows/:/api-keys/:': workflowKey.id,
      '/api/v1/workflows/:/chat-deployments/:': String(chat.slug),
      '/api/v1/workflows/:/deliveries/:': delivery.id,
      '/api/v1/workflows/:/steps/:': 'pinned',
      '/api/v1/workflows/:/versions/:': '1',
      '/api/v1/workflows/:/versions/:/diff/:': 'current',
      '/api/v1/workspaces/runs/:': run.id,
      '/api/v1/workspaces/runs/:/files/:': 'report.txt',
      '/public/chat/:': String(chat.slug),
      '/public/executions/:': run.id,
      '/run/:': workflow.id,
      '/webhooks/:': guarded.id,
      '/webhooks/messaging-a/:': guarded.id,
      '/webhooks/messaging-b/:': guarded.id,
      tenant: tenant.id,
    },
    credentials: [
      ACCESS_TOKEN,
      owner.token,
      admin.token,
      member.token,
      viewer.token,
      apiKey.key,
      workflowKey.key,
      webhookKey.webhook_api_key,
      new URL(String(invite.invite_url)).searchParams.get('token'),
    ].map(String),
  };
}

const OAUTH_APP: JsonObject = {
  name: `app of ${MARK}`,
  preset: 'github',
  client_id: `app client of ${MARK}`,
  client_secret: SECRET,
};

/** Headers of a delivery that starts no run. */
const BROKEN = { 'content-type': 'application/json' };

const SSO: JsonObject = {
  provider: 'oidc',
  enabled: false,
  enforce: false,
  oidc: {
    issuer: 'https://127.0.0.1',
    client_id: `client of ${MARK}`,
    client_secret: SECRET,
    scopes: ['openid', 'email'],
  },
  default_role: 'member',
};

const FLOW: JsonObject = {
  id: 'flow',
  trigger: { type: 'http' },
  steps: [
    { id: 'first', type: 'set', config: { it: '{{ trigger.body }}', of: `step of ${MARK}` } },
    { id: 'pinned', type: 'set', config: { it: 1 } },
    { id: 'written', type: 'file_write', config: { path: 'report.txt', content: `report of ${MARK}` } },
    { id: 'shared', type: 'file_share', config: { path: 'report.txt' } },
    { id: 'ask', type: 'approval', config: { message: `question of ${MARK}` } },
  ],
};

const SCORED: JsonObject = {
  id: 'scored',
  trigger: { type: 'http' },
  steps: [{ id: 'first', type: 'set', config: { of: `step of ${MARK}` } }],
};

const EVALUATION: JsonObject = {
  name: `scores of ${MARK}`,
  metrics: [{ type: 'expression', expression: 'true' }],
  gates: ['score >= 0'],
};

/** The description of an API. */
const API = {
  name: 'things',
  base_url: 'http://127.0.0.1:9/api',
  document: {
    openapi: '3.1.0',
    info: { title: `things of ${MARK}` },
    paths: { '/things': { get: { operationId: 'getThing' } } },
  },
};

const ALERT: JsonObject = {
  name: `alert of ${MARK}`,
  condition: { kind: 'failures_in_row', failures: 5 },
  channels: [{ kind: 'webhook', url: `http://127.0.0.1:1/${MARK}` }],
};

const SKILL: JsonObject = {
  name: 'their-skill',
  description: `skill of ${MARK}`,
  instructions: `instructions of ${MARK}`,
  files: [{ path: 'references/a.md', content: `reference of ${MARK}` }],
};

const CUSTOM_NODE: JsonObject = {
  name: 'theirs',
  label: `node of ${MARK}`,
  kind: 'tool',
  config_fields: [],
  outputs: [{ name: 'body', path: 'body' }],
  request: { method: 'GET', url: 'http://127.0.0.1:1/' },
};

/** Bodies of routes that have made nothing here. */
const OTHER_BODIES: Readonly<Record<string, object>> = {
  'PUT /api/v1/alerts/:': ALERT,
  'PUT /api/v1/connections/:/limits': { rate: { limit: 5, period_seconds: 1 } },
  'POST /api/v1/alerts/:/mute': { until: null },
  'POST /api/v1/auth/login': { tenant_slug: MARK, email: 'no-one@example.com', password: 'x' },
  'POST /api/v1/auth/register': { tenant_slug: 'x', tenant_name: 'X', email: 'a@b.c', password: '' },
  'POST /api/v1/auth/password': { current_password: 'not the one', new_password: 'another password' },
  'POST /api/v1/auth/password-reset': { tenant_slug: MARK, email: `owner@${MARK}.example` },
  'POST /api/v1/auth/password-reset/confirm': { token: 'x', password: 'another password' },
  'POST /api/v1/auth/verify-email': { token: 'x' },
  'POST /api/v1/auth/accept-invite': { token: 'x', password: 'another password' },
  'POST /api/v1/billing/checkout': { plan: 'pro' },
  'POST /api/v1/connectors/:/actions/:/test': { connection: 'x', input: {} },
  'POST /api/v1/connections': { connector: 'rss', name: 'x', credentials: { token: 'x' } },
  'POST /api/v1/oauth-apps/:/authorize': { name: 'x', scopes: ['x'], return_to: '/x', connection: 'x' },
  'PUT /api/v1/oauth-apps/:': { name: 'x', client_secret: 'x', scopes: ['x'], hosts: ['x.example'] },
  'POST /api/v1/oauth/claims': { code: 'x', name: 'x' },
  'POST /api/v1/oauth/chat/start': { name: 'x', scopes: ['x'], return_to: '/x' },
  'POST /api/v1/oauth/notes/start': { name: 'x', scopes: ['x'], return_to: '/x' },
  'POST /api/v1/oauth/suite/start': { name: 'x', scopes: ['x'], return_to: '/x' },
  'POST /api/v1/organizations/:/tenants/:': { owner_token: 'x' },
  'POST /api/v1/test/bot-messenger': { bot_token: '1:x', chat_id: '7', message: 'x' },
  'POST /api/v1/auth/sso/callback': { SAMLResponse: 'PHg+', RelayState: 'x' },
  'POST /webhooks/voice-provider': { event: 'room_started', id: 'x' },
  'POST /webhooks/billing-provider': { id: 'evt_1', type: 'checkout.session.completed', data: { object: {} } },
  'PUT /api/v1/tenant/settings': { require_approval: false },
  'PUT /api/v1/team/members/:/role': { role: 'member' },
  'POST /api/v1/workflows/validate': { dsl: FLOW },
  'POST /api/v1/workflows/import': { name: 'imported', dsl: FLOW },
  'POST /api/v1/workflows/generate': { prompt: 'log a line', provider: 'openai-compatible' },
  'POST /api/v1/playground/run': { provider: 'openai-compatible', prompt: 'x', temperature: 0, max_tokens: 5 },
  'POST /api/v1/signals': { signal: 'go', data: { a: 1 } },
  'PUT /api/v1/datasets/:': { description: 'x' },
  'POST /api/v1/datasets/:/rows': { rows: [{ input: 1 }] },
  'POST /api/v1/datasets/:/rows/from-runs': { query: 'RunId = "x"' },
  'PUT /api/v1/workflows/:': { name: 'changed', description: 'x', dsl: FLOW, env: 'dev', webhook_api_key: null },
  'POST /api/v1/workflows/:/steps/:/test': { trigger: { body: 1 }, steps: {}, loop: {}, error: {}, pin: false },
  'POST /api/v1/executions/bulk': { query: 'RunId = "x"', action: 'cancel', dry_run: true },
  'POST /api/v1/executions/:/signal': { signal: 'go', data: { approved: true } },
  'POST /api/v1/executions/:/retry': { from_step: 'first', input: {}, use_latest: true },
  'PUT /api/v1/knowledge-bases/:': { name: 'changed', description: null, chunking: { max_tokens: 100 } },
  'POST /api/v1/knowledge-bases/:/query': { query: 'x', top_k: 3, min_score: 0, filter: { of: 'x' } },
  'PUT /api/v1/skills/:': { description: 'changed', files: [] },
  'POST /api/v1/skills/:/publish': { version: '1.0.0', notes: 'x' },
  'POST /api/v1/skills/:/unpublish': { version: '1.0.0' },
  'POST /api/v1/skills/registry/install': { id: 'x', version: '1.0.0', name: 'x', overwrite: false },
  'PUT /api/v1/custom-nodes/:': { label: 'changed' },
  'POST /api/v1/custom-nodes/:/test': { config: {}, steps: {}, trigger: {} },
  'POST /public/chat/:': { message: 'x', conversation_id: null },
  'POST /webhooks/:': { text: 'x' },
  'POST /webhooks/messaging-a/:': { object: 'whatsapp_business_account', entry: [] },
  'POST /webhooks/messaging-b/:': { object: 'page', entry: [] },
  'POST /webhooks/:/sync': { text: 'x' },
  'POST /run/:': { body: 1, text: 'x' },
};
