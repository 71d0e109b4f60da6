import type { Json, JsonObject } from '../../../../lib/json';
import { Api } from '../../../support/server';
import { until } from '../../../support/until';

/** In the name or content of everything that is the first tenant's. */
export const MARK = 'atticus';
/** Only ever in what must stay in the vault. */
export const SECRET = 'finch-in-the-vault';

/** One of everything that a tenant can have, and the ids by which it is asked for. */
export interface Estate {
  readonly owner: Api;
  /** By the path up to the variable: what stands at `/api/v1/workflows/:` is a workflow's id. */
  readonly ids: Readonly<Record<string, string>>;
  /** Keys and tokens that were shown once. */
  readonly credentials: readonly string[];
}

type Made = Record<string, unknown> & { id: string };

/** Makes the first tenant of an installation, with one of everything. */
export async function makeEstate(url: string): Promise<Estate> {
  const owner = new Api(url);
  await owner.register(MARK);
  const post = (path: string, body: Json = {}) => owner.call<Made>('POST', `/api/v1${path}`, body);
  const put = (path: string, body: Json = {}) => owner.call<Made>('PUT', `/api/v1${path}`, body);
  const tenant = await owner.call<Made>('GET', '/api/v1/tenant');

  await post('/secrets', { name: 'ATTICUS_TOKEN', value: SECRET });
  await put('/variables/atticus', { value: `constant of ${MARK}` });
  const node = await post('/custom-nodes', CUSTOM_NODE);
  const apiKey = await post('/api-keys', { name: `key of ${MARK}` });

  const workflow = await post('/workflows', { name: `flow of ${MARK}`, dsl: FLOW });
  await put(`/workflows/${workflow.id}/steps/pinned/pin`, { output: { it: `pinned of ${MARK}` } });
  const workflowKey = await post(`/workflows/${workflow.id}/api-keys`, { name: `run key of ${MARK}` });
  const guarded = await post('/workflows', { name: `guarded of ${MARK}`, dsl: FLOW });
  const webhookKey = await put(`/workflows/${guarded.id}/webhook-key`);

  const run = await post(`/workflows/${workflow.id}/trigger`, { body: { said: `payload of ${MARK}` } });
  await until('the run waits', async () => {
    const { waiting } = await owner.call<{ waiting: Json[] }>('GET', `/api/v1/executions/${run.id}`);
    return waiting.length > 0 ? true : null;
  });
  await post(`/executions/${run.id}/steps/first/feedback`, { rating: 'up', comment: `praise of ${MARK}` });

  return {
    owner,
    ids: {
      '/api/v1/api-keys/:': apiKey.id,
      '/api/v1/custom-nodes/:': String(node.type),
      '/api/v1/executions/:': run.id,
      '/api/v1/executions/:/approve/:': 'ask',
      '/api/v1/executions/:/steps/:': 'first',
      '/api/v1/secrets/:': 'ATTICUS_TOKEN',
      '/api/v1/variables/:': 'atticus',
      '/api/v1/workflows/:': workflow.id,
      '/api/v1/workflows/:/api-keys/:': workflowKey.id,
      '/api/v1/workflows/:/steps/:': 'pinned',
      '/public/executions/:': run.id,
      '/run/:': workflow.id,
      '/webhooks/:': guarded.id,
      tenant: tenant.id,
    },
    credentials: [owner.token, apiKey.key, workflowKey.key, webhookKey.webhook_api_key].map(String),
  };
}

const FLOW: JsonObject = {
  id: 'flow',
  trigger: { type: 'http' },
  steps: [
    { id: 'first', type: 'set', config: { it: '{{ trigger.body }}', of: `step of ${MARK}` } },
    { id: 'pinned', type: 'set', config: { it: 1 } },
    { id: 'ask', type: 'approval', config: { message: `question of ${MARK}` } },
  ],
};

const CUSTOM_NODE: JsonObject = {
  name: 'atticus',
  label: `node of ${MARK}`,
  kind: 'tool',
  config_fields: [],
  outputs: [{ name: 'body', path: 'body' }],
  request: { method: 'GET', url: 'http://127.0.0.1:1/' },
};
