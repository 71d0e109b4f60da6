import type { ResultOf } from '../../contracts/catalogue';
import { documentOf } from '../../dsl';
import type { ActionContext } from '../../mixins/service';
import { nodes } from '../../nodes';
import type { ExecutionQueries } from './execution-queries';
import type { Records } from './records';

/** The document of a run, from the plan that it runs. Timeouts that its built-in types have anyway are left out. */
export const runDocument =
  (records: Pick<Records, 'plan'>, executions: ExecutionQueries) =>
  async (ctx: ActionContext<'executions.document'>): Promise<ResultOf<'executions.document'>> => {
    const { id, values } = ctx.params;
    const { workflowId, workflowName, tenantId, planHash } = await executions.get(ctx.tenantId, id);
    const { plan } = await records.plan(ctx, tenantId, planHash);
    const dsl = documentOf(plan, { nodeTypes: nodes.types, ...(values === undefined ? {} : { values }) });
    return { execution_id: id, workflow_def_id: workflowId, workflow_name: workflowName, dsl: { ...dsl } };
  };
