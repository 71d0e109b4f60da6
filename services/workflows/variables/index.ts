import { AppError } from '../../../lib/errors';
import type { Json, JsonObject } from '../../../lib/json';
import { auditedBy, recordedBy } from '../../../mixins/audit';
import type { ActionDefinition } from '../../../mixins/service';
import type { App } from '../../app';
import type { ActionName } from '../../catalogue';
import type { VariableView } from '../contract';
import { type Variable, variablesModel } from './model';
import { VariableStore } from './store';

/** What the keys of caches of variables begin with, in `cache.stale`; then the tenant. */
const VARIABLES = 'workflows.variables:';

const MOST_BYTES = 64 * 1024;

const name = {
  type: 'string',
  pattern: /^[A-Za-z_]\w{0,127}$/,
  messages: {
    stringPattern: "The 'name' must be 1 to 128 letters, digits and underscores, and not begin with a digit.",
  },
} as const;

type VariableActions = 'variables' | 'put_variable' | 'remove_variable' | 'variable_values';

/** A part of the service's menu. */
type Menu = { readonly [N in VariableActions]: ActionDefinition<Extract<ActionName, `workflows.${N}`>> };

/** The part of the service that is about the tenants' named constants. `stale` tells the caches of all nodes. */
export function variables(app: App, stale: (key: string) => void) {
  const store = new VariableStore(variablesModel(app.db), (tenantId) => stale(`${VARIABLES}${tenantId}`));

  const menu: Menu = {
    variables: {
      access: 'member',
      summary: 'Named constants, by name',
      params: {},
      handle: async ({ tenantId }) => ({ data: (await store.list(tenantId)).map(toView) }),
    },
    put_variable: {
      access: 'admin',
      summary: 'Creates or replaces a named constant',
      params: { name, value: { type: 'any', nullable: true } },
      async handle(ctx) {
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
    },
    remove_variable: {
      access: 'admin',
      summary: 'Removes a named constant',
      params: { name },
      handle: (ctx) => store.remove(ctx.tenantId, ctx.params.name, recordedBy(app.audit, auditedBy(ctx))),
    },
    variable_values: {
      access: 'internal',
      summary: 'The values of all named constants, by name',
      params: {},
      handle: async ({ tenantId }): Promise<JsonObject> =>
        // Makes own members only, also of the name `__proto__`.
        Object.fromEntries((await store.list(tenantId)).map((variable) => [variable.name, valueOf(variable)])),
    },
  };

  return {
    menu,
    /** The names that a DSL of the tenant may use. */
    namesOf: async (tenantId: string): Promise<ReadonlySet<string>> =>
      new Set((await store.list(tenantId)).map((variable) => variable.name)),
  };
}

function textOf(value: Json): string {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MOST_BYTES) return text;
  throw new AppError(
    'invalid_request',
    `The 'value' has ${bytes} bytes as JSON; a variable holds at most ${MOST_BYTES}`,
    { details: [{ path: 'value', message: `must be at most ${MOST_BYTES} bytes` }] },
  );
}

// It was made from JSON.
const valueOf = ({ value }: Variable): Json => JSON.parse(value) as Json;

const toView = (variable: Variable): VariableView => ({
  name: variable.name,
  value: valueOf(variable),
  updated_at: variable.updated_at.toISOString(),
});
