import { AppError } from '../../lib/errors';
import { derivedId, timeId } from '../../lib/ids';
import { startExecution } from '../../mixins/admission';
import { auditedBy } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import type { Execution } from '../../runtime/store/port';
import type { App } from '../app';
import type { StartedView, StartParams } from './contract';
import { executionTarget } from './on-record';
import type { Records } from './records';
import type { Executions } from './rows';

/**
 * Runs an ended execution again as a new one that takes over the outputs of its completed steps, so that none of them
 * runs twice. `from_step` runs that step and those after it anew; without it only failed runs are retried.
 */
export const retrying = (app: App, records: Records, executions: Executions) =>
  async function retry(ctx: ActionContext<'executions.retry'>): Promise<StartedView> {
    const { params, tenantId } = ctx;
    const earlier = await executions.get(tenantId, params.id);
    assertRetryable(earlier, params.from_step);
    if (await records.removals.has(earlier.id))
      throw new AppError('not_found', `The history of execution ${earlier.id} is over; start the workflow anew`);
    const workflow = await ctx.call('workflows.startable', { id: earlier.workflowId }, { asServiceOf: tenantId });
    if (workflow === null) throw new AppError('not_found', `The workflow of execution ${earlier.id} is gone`);
    if (!workflow.enabled)
      throw new AppError('workflow_disabled', 'This workflow is disabled; enable it before starting it');
    if (workflow.status !== 'active') throw new AppError('workflow_pending', 'This workflow waits for approval');
    const planHash = params.use_latest === true ? workflow.plan_hash : earlier.planHash;
    const { plan, byPath } = await records.plan(ctx, tenantId, planHash);
    assertStep(
      [...byPath.values()].map(({ def }) => def.id),
      params.from_step,
    );
    const key = params.idempotency_key;
    const id =
      key === undefined ? timeId(app.clock.now()) : derivedId(app.keys.ids, 'retry', tenantId, earlier.id, key);
    const start: StartParams = {
      workflow_id: earlier.workflowId,
      workflow_name: workflow.name,
      env: workflow.env,
      plan_hash: planHash,
      secrets: [...plan.secrets],
      trigger_type: 'retry',
      trigger: params.input ?? earlier.trigger,
      input: null,
      retry_of: earlier.id,
      preload_from: {
        execution_id: earlier.id,
        ...(params.from_step === undefined ? {} : { from_step: params.from_step }),
      },
      request_id: ctx.requestId,
      execution_id: id,
      fresh: key === undefined,
    };
    const { execution, replayed } = await app.audit.audited(
      auditedBy(ctx),
      {
        action: 'execution.retry',
        target: executionTarget(earlier),
        after: {
          execution_id: id,
          from_step: params.from_step ?? null,
          use_latest: params.use_latest === true,
          input_changed: params.input !== undefined,
        },
      },
      () => startExecution(app, ctx.call, tenantId, start),
    );
    return replayed ? { ...execution, replayed } : execution;
  };

function assertRetryable({ id, status, triggerType }: Execution, fromStep: string | undefined): void {
  if (triggerType === 'test')
    throw new AppError('conflict', `Execution ${id} was the test of a step; test the step again instead`);
  if (status === 'running')
    throw new AppError('execution_running', `Execution ${id} is still running; cancel it first`);
  if (status === 'failed' || fromStep !== undefined) return;
  throw new AppError(
    'conflict',
    `Execution ${id} is ${status}; only a failed one is retried, or any ended one with from_step`,
  );
}

function assertStep(ids: readonly string[], fromStep: string | undefined): void {
  if (fromStep === undefined || ids.includes(fromStep)) return;
  throw new AppError('invalid_request', `There is no step ${fromStep}`, {
    details: [{ path: 'from_step', message: `is none of ${ids.join(', ')}` }],
  });
}
