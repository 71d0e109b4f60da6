import type { ServiceSchema } from 'moleculer';
import { randomId } from '../../../lib/ids';
import type { Json, JsonObject } from '../../../lib/json';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import type { App } from '../../../services/app';
import { authService } from '../../../services/auth/auth.service';
import { channelsService } from '../../../services/channels/channels.service';
import { connectorsService } from '../../../services/connectors/connectors.service';
import { runServices } from '../../support/run-services';
import { filesService } from '../../../services/files/files.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { registerTenant } from '../../support/accounts';
import { startApp, type StartOptions, type TestApp } from '../../support/app';
import { until } from '../../support/until';

/** An answer of the API. */
export interface Answered {
  readonly status: number;
  readonly body: JsonObject;
}

/** Sends a request to the API as a user. */
export type Ask = (method: string, path: string, body?: Json) => Promise<Answered>;

export const frontServices: StartOptions['services'] = [
  apiGatewayService,
  authService,
  secretsService,
  workflowsService,
  filesService,
  channelsService,
  connectorsService,
  (app: App): ServiceSchema => runServices(app).executions(),
];
export const executor = (app: App): ServiceSchema => runServices(app).executor();

/** All services of one process, which may reach the loopback. */
export const openWhole = (): Promise<TestApp> =>
  startApp({ services: [...frontServices, executor], env: { EGRESS_ALLOW: '127.0.0.1' } });

/** Sends requests with a token; without one as an unauthenticated caller. */
export const asking =
  (url: string, token: string | null): Ask =>
  async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as JsonObject) };
  };

/** A new tenant: its owner, and a member, who is added directly, since invitations do not exist yet. */
export async function newTenant(app: TestApp): Promise<{ owner: Ask; member: Ask }> {
  const { token, tenant } = await registerTenant(app);
  const id = randomId();
  const member = { _id: id, tenant_id: tenant.id, email: 'member@example.com', role: 'member' as const };
  await app.app.db.collection<{ _id: string }>('users').insertOne(member);
  const actor = { tenant_id: tenant.id, user_id: id, role: member.role };
  const { key } = await app.call('auth.create_api_key', { name: 'member' }, actor);
  return { owner: asking(app.url, token), member: asking(app.url, key) };
}

/** Creates a workflow of these steps, which is started by hand; answers its id. */
export async function workflowOf(ask: Ask, steps: Json[], name = 'Flow'): Promise<string> {
  const dsl = { id: 'flow', trigger: { type: 'manual' }, steps };
  const { status, body } = await ask('POST', '/api/v1/workflows', { name, dsl });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return String(body.id);
}

/** Starts a workflow, and waits for its end. */
export async function run(ask: Ask, workflow: string, trigger: JsonObject = {}): Promise<JsonObject> {
  const { body } = await ask('POST', `/api/v1/workflows/${workflow}/trigger`, trigger);
  return ended(ask, String(body.id));
}

export const ended = (ask: Ask, id: string): Promise<JsonObject> =>
  until(`run ${id} has ended`, async () => {
    const { body } = await ask('GET', `/api/v1/executions/${id}`);
    return body.status === 'running' ? null : body;
  });
