import { isTrial } from '../../lib/trial';
import { AppError } from '../../lib/errors';
import { derivedId, timeId } from '../../lib/ids';
import { auditedBy } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import { assertStartable, type StartCause } from '../../mixins/start-run';
import type { Execution } from '../../runtime/core/model';
import type { App } from '../app';
import type { ExecutionView, StartedView } from '../../contracts/executions/views';
import { executionTarget } from './audit-changes';
import type { Call } from '../../contracts/catalogue';
import type { PreparedPlan } from '../../dsl';
import type { Records } from './records';
import { restartPlace } from './restart-path';
import type { ExecutionQueries } from './execution-queries';

/**
 * Retries an ended execution as a new one that reuses the outputs of completed steps. `from_step`: runs this step and all later
 * steps again; the path of a step in a loop restarts that item alone. Without it only failed runs can be retried.
 */
export const retryAction = (
  app: App,
  records: Records,
  executions: ExecutionQueries,
  hasBegun: (call: Call, execution: Execution, path: string) => Promise<boolean>,
) =>
  async function retry(ctx: ActionContext<'executions.retry'>): Promise<StartedView> {
    const { params, tenantId } = ctx;
    const earlier = await executions.get(tenantId, params.id);
    assertRetryable(earlier, params.from_step);
    if (await records.removals.has(earlier.id))
      throw new AppError('not_found', `The history of execution ${earlier.id} is over; start the workflow anew`);
    const workflow = await records.starts.find(ctx.call, earlier.workflowId);
    if (workflow === null) throw new AppError('not_found', `The workflow of execution ${earlier.id} is gone`);
    assertStartable(workflow);
    const planHash = params.use_latest === true ? workflow.plan_hash : earlier.planHash;
    const fromStep = restartOf(await records.plan(ctx, tenantId, planHash), params.from_step);
    if (fromStep?.includes('/') && !(await hasBegun(ctx.call, earlier, fromStep)))
      throw new AppError('invalid_request', `Execution ${earlier.id} has not begun ${params.from_step}`, {
        details: [{ path: 'from_step', message: 'must be the path of a step that has begun, or the id of a step' }],
      });
    const key = params.idempotency_key;
    const id =
      key === undefined ? timeId(app.clock.now()) : derivedId(app.keys.ids, 'retry', tenantId, earlier.id, key);
    const cause: StartCause = {
      type: 'retry',
      trigger: params.input ?? earlier.trigger,
      retry_of: earlier.id,
      preload_from: {
        execution_id: earlier.id,
        ...(fromStep === undefined ? {} : { from_step: fromStep }),
      },
      ...(earlier.labels === undefined ? {} : { labels: { ...earlier.labels } }),
      requestId: ctx.requestId,
      executionId: id,
      fresh: key === undefined,
      record: true,
    };
    const { record, replayed } = await app.audit.audited(
      auditedBy(ctx),
      {
        action: 'execution.retry',
        target: executionTarget(earlier),
        after: {
          execution_id: id,
          from_step: fromStep ?? null,
          use_latest: params.use_latest === true,
          input_changed: params.input !== undefined,
        },
      },
      () => records.starts.start(ctx.call, { ...workflow, plan_hash: planHash }, cause),
    );
    const started = record as ExecutionView;
    return replayed ? { ...started, replayed } : started;
  };

function assertRetryable({ id, status, triggerType }: Execution, fromStep: string | undefined): void {
  if (isTrial(triggerType))
    throw new AppError(
      'conflict',
      `Execution ${id} was ${triggerType === 'test' ? 'the test of a step; test the step' : 'a trial; try the document'} again instead`,
    );
  if (status === 'running')
    throw new AppError('execution_running', `Execution ${id} is still running; cancel it first`);
  if (status === 'failed' || fromStep !== undefined) return;
  throw new AppError(
    'conflict',
    `Execution ${id} is ${status}; only a failed one is retried, or any ended one with from_step`,
  );
}

/** @throws AppError invalid_request when the plan has no such step */
function restartOf(plan: PreparedPlan, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const found = restartPlace(plan, given);
  if (found !== null) return found;
  const ids = [...plan.byPath.values()].map(({ def }) => def.id);
  throw new AppError('invalid_request', `There is no step ${given}`, {
    details: [{ path: 'from_step', message: `is none of ${ids.join(', ')}, nor the path of a step in a loop` }],
  });
}
