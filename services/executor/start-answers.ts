import { AppError, errorMessage } from '../../lib/errors';
import type { ActionContext } from '../../mixins/service';
import { type NewExecution, INITIAL_FIELDS } from '../../runtime/worker/deps';
import { type Ending, endedExecution, type Execution } from '../../runtime/core/model';
import type { App } from '../app';
import type { StartParams, StartResult, WebhookResponse } from '../../contracts/executions/views';
import { triggerOf } from './new-run';
import type { Records } from './records';
import { assertSameStart } from './same-start';
import { executionView } from './views';

const STORED_POLL_MS = 25;
const RETRY_AFTER_SECONDS = 5;

/** The run of a repeated start, after waiting for its end if requested. @throws AppError idempotency_mismatch, conflict */
export async function replay(app: App, records: Records, tenantId: string, params: StartParams): Promise<StartResult> {
  const deadline = app.clock.now() + (params.wait_ms ?? 0);
  const id = params.execution_id;
  let isChecked = params.same === undefined;
  const look = async (): Promise<Execution> => {
    const execution = await whenStored(app, records, id, deadline);
    if (execution?.tenantId !== tenantId || execution.workflowId !== params.workflow_id)
      throw new AppError('conflict', 'This execution id belongs to another start');
    if (!isChecked) await assertSameStart(params.same, execution.trigger, triggerOf(params));
    isChecked = true;
    return execution;
  };
  return answer(await records.settled(deadline, id, records.asHost, look), params, params.fresh !== true);
}

/** Waits until a run is stored; null when it is not stored by the deadline. A deferred insert stores a run late. */
export async function whenStored(app: App, records: Records, id: string, deadline: number): Promise<Execution | null> {
  for (;;) {
    const execution = await records.store.load(id);
    if (execution !== null || app.clock.now() >= deadline) return execution;
    await new Promise<void>((resolve) => app.clock.after(STORED_POLL_MS, resolve));
  }
}

/** Public routes show this error to unauthenticated callers, so details of the database go to the log only. */
export function notStored(ctx: ActionContext<'executor.start' | 'executions.accept'>, cause: unknown): AppError {
  ctx.log.warn(`A run of workflow ${ctx.params.workflow_id} could not be stored: ${errorMessage(cause)}`);
  const later = { retry_after: RETRY_AFTER_SECONDS };
  return new AppError('unavailable', 'The run could not be stored: the database does not answer. Try again', later, {
    cause,
  });
}

export const endOf = (fresh: NewExecution, ending: Ending | null): Execution => {
  const execution: Execution = { ...fresh, owner: null, epoch: 1, wakeAt: null, ...INITIAL_FIELDS };
  return ending === null ? execution : endedExecution(execution, ending);
};

export const answer = (
  execution: Execution,
  { record }: Pick<StartParams, 'record'>,
  replayed = false,
): StartResult => ({
  id: execution.id,
  status: execution.status,
  output: execution.output,
  error: execution.error,
  // The output of a `webhook_response` step, which its node has validated.
  response: execution.response as WebhookResponse | null,
  replayed,
  ...(record === true ? { record: executionView(execution) } : {}),
});
