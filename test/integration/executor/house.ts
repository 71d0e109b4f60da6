import type { ServiceSchema } from 'moleculer';
import type { Json, JsonObject } from '../../../lib/json';
import type { RunFormats } from '../../../runtime/core/format';
import type { App } from '../../../services/app';
import { authService } from '../../../services/auth/auth.service';
import { channelsService } from '../../../services/channels/channels.service';
import { executorServices } from '../../support/run-services';
import type { ExecutionView, StartResult } from '../../../contracts/executions/views';
import { filesService } from '../../../services/files/files.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { registerTenant } from '../../support/accounts';
import { type Actor, startApp, type StartOptions, type TestApp } from '../../support/app';
import { sendWebhook, webhookService } from '../../support/webhooks';
import { until } from '../../support/until';

/** All services that a run touches, with two tenants. */
export interface House {
  readonly t: TestApp;
  readonly ann: Actor & { tenant_id: string };
  /** A user of another tenant. */
  readonly bob: Actor & { tenant_id: string };
  workflow(steps: Json[], rest?: JsonObject, trigger?: string): Promise<string>;
  start(workflowId: string, trigger?: JsonObject): Promise<string>;
  /** Starts a run as a webhook does whose caller waits for the end. */
  sync(workflowId: string, body?: Json): Promise<StartResult>;
  get(id: string): Promise<ExecutionView>;
  ended(id: string): Promise<ExecutionView>;
  waiting(id: string): Promise<ExecutionView>;
  close(): Promise<void>;
}

/** `runFormats`: of a version other than this one. */
export async function openHouse({
  runFormats,
  also = [],
  ...options
}: Omit<StartOptions, 'services'> & {
  runFormats?: RunFormats;
  /** Further services. */
  also?: StartOptions['services'];
} = {}): Promise<House> {
  let made: ServiceSchema[] = [];
  const executor = (app: App): ServiceSchema => {
    made = executorServices({ ...app, runFormats });
    return made[0] as ServiceSchema;
  };
  const t = await startApp({
    ...options,
    services: [
      authService,
      secretsService,
      workflowsService,
      executor,
      () => made[1] as ServiceSchema,
      filesService,
      channelsService,
      webhookService,
      ...also,
    ],
  });
  const owner = async (): Promise<Actor> => {
    const { tenant, user } = await registerTenant(t);
    return { tenant_id: tenant.id, user_id: user.id, email: user.email };
  };
  const [ann, bob] = [await owner(), await owner()];
  const get = (id: string) => t.call('executions.get', { id }, ann);
  return {
    t,
    ann,
    bob,
    get,
    async workflow(steps, rest = {}, trigger = 'http') {
      const dsl = { id: 'flow', trigger: { type: trigger }, steps, ...rest };
      return (await t.call('workflows.create', { name: 'Flow', dsl }, ann)).id;
    },
    start: async (id, trigger = {}) => (await t.call('workflows.trigger', { id, trigger }, ann)).id,
    sync: (workflow_id, body = {}) => sendWebhook(t, { workflow_id, body, wait: true }),
    ended: (id) =>
      until(`execution ${id} has ended`, async () => {
        const view = await get(id);
        return view.status === 'running' ? null : view;
      }),
    waiting: (id) =>
      until(`execution ${id} waits`, async () => {
        const view = await get(id);
        return view.waiting.length > 0 ? view : null;
      }),
    close: () => t.close(),
  };
}

/** The code of the error that a call fails with; fails the test when it does not. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (typeof thrown !== 'object' || thrown === null || !('type' in thrown))
    throw new Error(`No refusal: ${String(thrown)}`);
  return String(thrown.type);
}
