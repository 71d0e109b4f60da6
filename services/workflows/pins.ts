import { getStep } from '../../dsl';
import { AppError } from '../../lib/errors';
import { isObject, type JsonObject } from '../../lib/json';
import type { ActionContext } from '../../mixins/service';
import type { WorkflowView } from '../../contracts/workflows/views';
import type { WorkflowStore } from './store';
import { documentOf } from './view';

/** How often a pin starts over because another request has changed the document. */
const MAX_TRIES = 8;

type PinContext = Pick<ActionContext<'workflows.pin'>, 'tenantId' | 'call'>;

/** Replaces a document by compare-and-set; null if the workflow no longer has the expected one. */
type ReplaceDsl<C extends PinContext> = (
  ctx: C,
  id: string,
  seen: string,
  dsl: JsonObject,
) => Promise<WorkflowView | null>;

/** Fixes outputs of steps in documents, and lets them go. Each is a change of the document, as any. */
export function pins<C extends PinContext>(store: WorkflowStore, replace: ReplaceDsl<C>) {
  /** @throws AppError not_found, invalid_dsl, conflict */
  async function change(ctx: C, id: string, stepId: string, mend: (step: JsonObject) => void): Promise<WorkflowView> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const record = await store.get(ctx.tenantId, id);
      const dsl = await documentOf(record);
      mend(getStep(dsl, stepId));
      const view = await replace(ctx, id, record.dsl_hash, dsl);
      if (view !== null) return view;
    }
    throw new AppError('conflict', 'Too many changes of this workflow at the same time; try again');
  }

  return {
    /** @throws AppError invalid_request, not_found, conflict */
    async pin(ctx: C & ActionContext<'workflows.pin'>): Promise<WorkflowView> {
      const { id, step_id, output, execution_id, path } = ctx.params;
      if ((output === undefined) === (execution_id === undefined))
        throw new AppError('invalid_request', "Give either 'output', or the 'execution_id' of a run that had one");
      const pinned = output ?? (await outputIn(ctx, id, execution_id as string, step_id, path));
      return change(ctx, id, step_id, (step) => {
        step.pin = pinned;
      });
    },

    /** @throws AppError not_found, conflict */
    unpin: (ctx: C & ActionContext<'workflows.unpin'>): Promise<WorkflowView> =>
      change(ctx, ctx.params.id, ctx.params.step_id, (step) => {
        delete step.pin;
      }),
  };
}

/** What a step of a run of the workflow has put out; secrets are masked in it. @throws AppError not_found, conflict */
async function outputIn(
  { call }: PinContext,
  workflowId: string,
  executionId: string,
  stepId: string,
  path: string | undefined,
): Promise<JsonObject> {
  const asked = { id: executionId, step_id: stepId, ...(path === undefined ? {} : { path }) };
  const { execution, steps } = await call('executions.detail', asked);
  if (execution.workflow_def_id !== workflowId)
    throw new AppError('not_found', `Workflow ${workflowId} has no execution ${executionId}`);
  const completed = steps.findLast((step) => step.status === 'completed' && (path === undefined || step.path === path));
  if (completed !== undefined && isObject(completed.output)) return completed.output;
  throw new AppError('conflict', `Step ${stepId} has no output in execution ${executionId} that could be pinned`);
}
