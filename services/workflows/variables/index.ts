import { AppError } from '../../../lib/errors';
import type { Json, JsonObject } from '../../../lib/json';
import { auditedBy, recordedBy } from '../../../mixins/audit';
import type { Handlers } from '../../../mixins/service';
import type { App } from '../../app';
import type { VariableView } from '../../../contracts/workflows/views';
import { type Variable, variablesModel } from './model';
import { VariableStore } from './store';
import { pageOf, sliceOf } from '../../../lib/page';

/** What the keys of caches of variables begin with, in `cache.stale`; then the tenant. */
const VARIABLES = 'workflows.variables:';

const MAX_VALUE_BYTES = 64 * 1024;

type VariableActions = 'variables' | 'put_variable' | 'remove_variable' | 'variable_used_by' | 'variable_values';

/** Handlers of this part of the service's actions. */
type Actions = Pick<Handlers<'workflows'>, VariableActions>;

/** The part of the service that is about the tenants' named constants. `stale` tells the caches of all nodes. */
export function variables(app: App, stale: (key: string) => Promise<void>) {
  const store = new VariableStore(variablesModel(app.db), (tenantId) => stale(`${VARIABLES}${tenantId}`));

  const actions: Actions = {
    async variables({ params, tenantId }) {
      // They are one record, of bounded size.
      const { data, ...page } = sliceOf(await store.list(tenantId), pageOf(params));
      return { data: data.map(toView), ...page };
    },
    async put_variable(ctx) {
      const { params, tenantId, principal } = ctx;
      const variable: Variable = {
        name: params.name,
        value: textOf(params.value),
        updated_by: principal?.user_id ?? 'service',
        updated_at: new Date(app.clock.now()),
      };
      const { created } = await store.put(tenantId, variable, recordedBy(app.audit, auditedBy(ctx)));
      return { ...toView(variable), created };
    },
    remove_variable: (ctx) => store.remove(ctx.tenantId, ctx.params.name, recordedBy(app.audit, auditedBy(ctx))),
    async variable_used_by({ params: { name }, tenantId, call, folders }) {
      if (!(await store.list(tenantId)).some((variable) => variable.name === name))
        throw new AppError('not_found', `There is no variable ${name}`);
      const found = await call('workflows.uses', { kind: 'variable', refs: [name] }, { asServiceOf: tenantId });
      return { ...found, data: await folders.only(found.data, (row) => row.workflow_id) };
    },
    variable_values: async ({ tenantId }): Promise<JsonObject> =>
      // Makes own members only, also of the name `__proto__`.
      Object.fromEntries((await store.list(tenantId)).map((variable) => [variable.name, valueOf(variable)])),
  };

  return {
    actions,
    /** The names that a DSL of the tenant may use. */
    namesOf: async (tenantId: string): Promise<ReadonlySet<string>> =>
      new Set((await store.list(tenantId)).map((variable) => variable.name)),
  };
}

function textOf(value: Json): string {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_VALUE_BYTES) return text;
  throw new AppError(
    'invalid_request',
    `The 'value' has ${bytes} bytes as JSON; a variable holds at most ${MAX_VALUE_BYTES}`,
    { details: [{ path: 'value', message: `must be at most ${MAX_VALUE_BYTES} bytes` }] },
  );
}

// It was made from JSON.
const valueOf = ({ value }: Variable): Json => JSON.parse(value) as Json;

const toView = (variable: Variable): VariableView => ({
  name: variable.name,
  value: valueOf(variable),
  updated_at: variable.updated_at.toISOString(),
});
