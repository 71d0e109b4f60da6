import type { Context, ServiceSchema } from 'moleculer';
import type { Json, JsonObject } from '../../../lib/json';
import { timeId } from '../../../lib/ids';
import { DEFAULT_PLANS } from '../../../lib/plans';
import type { App } from '../../../services/app';
import { assertSameStart } from '../../../services/executor/same-start';
import type { ResultOf } from '../../../contracts/catalogue';
import { until } from '../../support/until';
import type { ExecutionView, StartParams, StartResult } from '../../../contracts/executions/views';

type Meta = { principal?: string };

/** The tenant that a call acts for as a service; a call without such a principal is refused as the real services do. */
function tenantOf(app: App, ctx: Context<unknown, Meta>): string {
  const principal = app.principals.verify(ctx.meta.principal, app.clock.now());
  if (principal?.role !== 'service') throw new Error('internal action called without a service principal');
  return principal.tenant_id;
}

/** Plan limits and settings of tenants, as a test sets them; generous for those it does not name. */
export class FakeAuth {
  readonly tenants = new Map<
    string,
    { active?: number | null; concurrent?: number | null; approval?: boolean; suspended?: boolean }
  >();
  calls = 0;

  readonly service = (app: App): ServiceSchema => ({
    name: 'auth',
    actions: {
      entitlements: (ctx: Context<unknown, Meta>): ResultOf<'auth.entitlements'> => {
        this.calls += 1;
        const tenant = this.tenants.get(tenantOf(app, ctx)) ?? {};
        return {
          plan: 'free',
          limits: {
            ...DEFAULT_PLANS.enterprise,
            active_workflows: tenant.active === undefined ? 1_000 : tenant.active,
            concurrent_executions: tenant.concurrent ?? null,
          },
          overrides: [],
          require_approval: tenant.approval ?? false,
          suspended: tenant.suspended ?? false,
        };
      },
    },
  });
}

/** Remembers starts, once per execution id, and what was purged. */
export class FakeExecutor {
  readonly runs = new Map<string, { tenant: string; params: StartParams; view: ExecutionView }>();
  readonly purges: string[] = [];
  /** How the next starts fail, in order; null: they do not. */
  readonly startFaults: (Error | null)[] = [];
  /** Tenants whose starts are not answered as long as they are in here. */
  readonly hanging = new Set<string>();
  /** How many of the next purges fail. */
  failingPurges = 0;
  health: ResultOf<'executions.health'>['data'] = [];

  readonly service = (app: App): ServiceSchema[] => [this.#executor(app), this.#executions(app)];

  readonly #executor = (app: App): ServiceSchema => ({
    name: 'executor',
    actions: {
      start: async (ctx: Context<StartParams, Meta>): Promise<StartResult> => {
        const tenant = tenantOf(app, ctx);
        await until('starts are answered', () => !this.hanging.has(tenant), 60_000);
        const fault = this.startFaults.shift() ?? null;
        if (fault !== null) throw fault;
        const id = ctx.params.execution_id ?? timeId(app.clock.now());
        const known = this.runs.get(id);
        if (known !== undefined) {
          await assertSameStart(ctx.params.same, known.params.trigger, ctx.params.trigger);
          return { ...resultOf(known.view), replayed: true, ...recordFor(ctx.params, known.view) };
        }
        const view = executionView(id, tenant, ctx.params);
        this.runs.set(id, { tenant, params: ctx.params, view });
        return { ...resultOf(view), ...recordFor(ctx.params, view) };
      },
    },
  });

  readonly #executions = (app: App): ServiceSchema => ({
    name: 'executions',
    actions: {
      settled: (ctx: Context<{ id: string }, Meta>): StartResult => {
        tenantOf(app, ctx);
        const view = this.runs.get(ctx.params.id)?.view;
        if (view === undefined) throw new Error(`no run ${ctx.params.id}`);
        return resultOf(view);
      },
      statuses: (ctx: Context<{ ids: string[] }, Meta>): ResultOf<'executions.statuses'> => {
        tenantOf(app, ctx);
        const data = ctx.params.ids.flatMap((id) => this.runs.get(id)?.view ?? []);
        return { data: data.map(({ id, status }) => ({ id, status })) };
      },
      purge: (ctx: Context<{ workflow_id: string }, Meta>) => {
        tenantOf(app, ctx);
        if (this.failingPurges > 0) {
          this.failingPurges -= 1;
          throw new Error('the executor is away');
        }
        this.purges.push(ctx.params.workflow_id);
        const mine = [...this.runs].filter(([, run]) => run.params.workflow_id === ctx.params.workflow_id);
        for (const [id] of mine) this.runs.delete(id);
        return { removed: mine.length };
      },
      recent: (ctx: Context<unknown, Meta>): ResultOf<'executions.recent'> => {
        tenantOf(app, ctx);
        return { data: [] };
      },
      health: (ctx: Context<{ workflow_ids: string[] }, Meta>) => {
        tenantOf(app, ctx);
        return { data: this.health.filter((row) => ctx.params.workflow_ids.includes(row.workflow_id)) };
      },
    },
  });

  /** The only run there is. */
  get only() {
    const [run, ...others] = [...this.runs.values()];
    if (run === undefined || others.length > 0) throw new Error(`expected one run, there are ${this.runs.size}`);
    return run;
  }
}

const resultOf = ({ id, status, output, error }: ExecutionView): StartResult => ({
  id,
  status,
  output,
  error,
  response: null,
  replayed: false,
});

const recordFor = ({ record }: StartParams, view: ExecutionView): Pick<StartResult, 'record'> =>
  record === true ? { record: view } : {};

function executionView(id: string, tenantId: string, params: StartParams): ExecutionView {
  return {
    id,
    tenant_id: tenantId,
    workflow_def_id: params.workflow_id,
    workflow_name: params.workflow_name,
    status: 'running',
    trigger_type: params.trigger_type,
    trigger: params.trigger,
    input: params.trigger,
    output: null,
    error: null,
    waiting: [],
    retry_of: null,
    parent: null,
    trial: false,
    labels: {},
    warnings: [],
    started_at: new Date(0).toISOString(),
    ended_at: null,
    duration_ms: null,
    tokens: 0,
    cost_usd: 0,
  };
}

/** A small valid document; `config` becomes the config of its only step. */
export const document = (config: JsonObject = { greeting: 'hello' }, trigger = 'http'): JsonObject => ({
  id: 'sample',
  trigger: { type: trigger, config: {} },
  steps: [{ id: 'first', type: 'set', config }],
});

/** The code of the error that a call ends with; fails when it ends well. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  const failure = await call.then(
    (value: unknown) => new Error(`expected an error, got ${JSON.stringify(value as Json)}`),
    (error: unknown) => error as Error & { type?: string },
  );
  if (!('type' in failure) || typeof failure.type !== 'string') throw failure;
  return failure.type;
}
