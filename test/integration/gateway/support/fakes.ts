import type { ActionHandler, Context, ServiceSchema } from 'moleculer';
import type { Principal } from '../../../../lib/principal';
import type { App } from '../../../../services/app';
import type { ActionName, ParamsOf } from '../../../../contracts/catalogue';
import type { ExecutionView, StartResult } from '../../../../contracts/executions/views';
import type { StartSnapshot } from '../../../../contracts/workflows/views';
import type { ServiceFactory } from '../../../support/app';

/** Input of a fake action: its params, and the caller as any service would see it. */
export interface FakeCall<P = Record<string, unknown>> {
  params: P;
  principal: Principal | null;
  requestId: unknown;
}

type Handlers = { [A in ActionName]?: (call: FakeCall<ParamsOf<A>>) => unknown };

/** Real Moleculer services that answer for others: `fakes({'workflows.get': ({params}) => ...})`. */
export function fakes(handlers: Handlers): ServiceFactory[] {
  const names = [...new Set(Object.keys(handlers).map((action) => action.slice(0, action.indexOf('.'))))];
  return names.map(
    (name) =>
      (app: App): ServiceSchema => ({
        name,
        actions: Object.fromEntries<ActionHandler>(
          Object.entries(handlers)
            .filter(([action]) => action.startsWith(`${name}.`))
            .map(([action, handle]) => [
              action.slice(name.length + 1),
              (ctx: Context<unknown, { principal?: unknown; request_id?: unknown }>) =>
                (handle as (call: FakeCall<never>) => unknown)({
                  params: ctx.params as never,
                  principal: app.principals.verify(ctx.meta.principal, app.clock.now()),
                  requestId: ctx.meta.request_id,
                }),
            ]),
        ),
      }),
  );
}

export const execution = (given: Partial<ExecutionView> = {}): ExecutionView => ({
  id: '01900000-0000-7000-8000-000000000001',
  workflow_def_id: 'w1',
  workflow_name: 'Flow',
  tenant_id: 't1',
  status: 'running',
  trigger_type: 'http',
  trigger: {},
  input: null,
  output: null,
  error: null,
  waiting: [],
  retry_of: null,
  parent: null,
  trial: false,
  labels: {},
  warnings: [],
  tokens: 0,
  cost_usd: 0,
  started_at: '2026-01-01T00:00:00.000Z',
  ended_at: null,
  duration_ms: null,
  ...given,
});

export const startResult = (given: Partial<StartResult> = {}): StartResult => ({
  id: execution().id,
  status: 'running',
  output: null,
  error: null,
  replayed: false,
  response: null,
  ...given,
});

/** A workflow with an `http` trigger that may start. */
export const startable = (given: Partial<StartSnapshot> = {}): StartSnapshot => ({
  id: '00000000-0000-4000-8000-000000000001',
  tenant_id: 't1',
  name: 'w1',
  env: 'dev',
  status: 'active',
  enabled: true,
  triggers: ['http'],
  plan_hash: 'hash',
  secrets: [],
  webhook_key_hash: null,
  raw_body: false,
  signed: false,
  dedupes: false,
  ...given,
});

/** A verifier that takes `<role>@<tenant>` for a token, so that tests need no accounts. `#...` makes another session of it. */
export const roleTokens =
  (app: () => App): NonNullable<Handlers['auth.verify']> =>
  ({ params: { token } }) => {
    const [, role, tenant] = /^(member|admin|owner)@(\w+)(?:#\w+)?$/.exec(token) ?? [];
    if (role === undefined || tenant === undefined) throw unauthenticated();
    const principal = {
      kind: 'user',
      tenant_id: tenant,
      user_id: `${role}-id`,
      email: 'a@b.c',
      role: role as 'owner',
    } as const;
    return { ...principal, principal: app().principals.sign(principal, app().clock.now()) };
  };

/** An error as it arrives from another node: fields, but not an instance of a class of this process. */
export const foreign = (type: string, code: number, message: string, data: object = {}): Error =>
  Object.assign(new Error(message), { name: 'AppError', type, code, data });

const unauthenticated = (): Error => foreign('unauthenticated', 401, 'The credential is not valid');
