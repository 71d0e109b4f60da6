import { AppError, errorMessage } from '../../lib/errors';
import type { ActionContext } from '../../mixins/service';
import { recordWaiter } from '../../runtime/worker/concurrency-groups';
import { type NewExecution, INITIAL_FIELDS } from '../../runtime/worker/deps';
import { type Ending, endedExecution, type Execution } from '../../runtime/core/model';
import type { App } from '../app';
import type { StartParams, StartResult, WebhookResponse } from '../../contracts/executions/views';
import type { Engine } from './engine';
import type { Records } from './records';
import { countStart } from './metering';
import { newRun, triggerOf } from './new-run';
import { assertSameStart } from './same-start';
import { executionView } from './views';

/** A longer run may move to another host, so a longer wait polls the document. */
const MAX_LOCAL_WAIT_MS = 500;
/** How long a run whose caller waits until it is stored may run before that, if it has no effect. */
const MAX_UNSTORED_MS = 2;
const STORED_POLL_MS = 25;
const RETRY_AFTER_SECONDS = 5;
/**
 * Starts a run on this host. The run is stored when the call resolves. With `wait_ms`, waits for its end, the timeout or the
 * shutdown of this process.
 */
export async function startRun(app: App, engine: Engine, ctx: ActionContext<'executor.start'>): Promise<StartResult> {
  const { params, tenantId } = ctx;
  const { records } = engine;
  const plan = await records.plan(ctx, tenantId, params.plan_hash);
  const { fresh, place } = await newRun(app, records, ctx, plan);
  const deadline = app.clock.now() + (params.wait_ms ?? 0);
  const end =
    params.wait_ms === undefined ? null : engine.ends.within(fresh.id, Math.min(params.wait_ms, MAX_LOCAL_WAIT_MS));
  // No other caller knows a fresh id, so the run is stored only before its first effect or the answer: a short run is one
  // write. A start that is repeated at another host meanwhile is harmless: the id is stored once, and no effect happens
  // before.
  const storeWithinMs = params.fresh !== true ? 0 : end === null ? MAX_UNSTORED_MS : Number.POSITIVE_INFINITY;
  const began = await engine.host.begin(fresh, plan, storeWithinMs).catch((fault: unknown) => {
    // The outcome of the write is unknown; the next usage read corrects the count.
    place.settle(true);
    throw notStored(ctx, fault);
  });
  place.settle(began !== 'exists');
  if (began === 'exists') return replay(app, records, tenantId, params);
  countStart(app.metrics, params.trigger_type);
  if (end === null) return answer(endOf(fresh, null), params);
  const ending = await end;
  if (ending !== null) return answer(endOf(fresh, ending), params);
  const look = async () => (await whenStored(app, records, fresh.id, deadline)) ?? endOf(fresh, null);
  return answer(await records.settled(deadline, fresh.id, records.asHost, look), params);
}

/** Stores a run that any host may start. Does not wait for its end. */
export async function enqueueRun(
  app: App,
  records: Records,
  ctx: ActionContext<'executions.accept'>,
): Promise<StartResult> {
  const { params, tenantId } = ctx;
  const plan = await records.plan(ctx, tenantId, params.plan_hash);
  const { fresh, place } = await newRun(app, records, ctx, plan);
  const waiting = [{ step_id: null, kind: 'capacity', name: null, since: place.at, until: null } as const];
  const execution: Execution = { ...fresh, waiting, owner: null, epoch: 0, wakeAt: place.at, ...INITIAL_FIELDS };
  const inserted = await insertWaiting(app, records, execution).catch((fault: unknown) => {
    place.settle(true);
    throw notStored(ctx, fault);
  });
  place.settle(inserted !== 'exists');
  if (inserted === 'exists') return replay(app, records, tenantId, params);
  countStart(app.metrics, params.trigger_type);
  return answer(execution, params);
}

async function insertWaiting(app: App, records: Records, execution: Execution): Promise<'inserted' | 'exists'> {
  const { store, groups } = records;
  const inserted = await store.insert(execution);
  await recordWaiter({ store, groups, clock: app.clock }, execution, inserted);
  return inserted;
}

/** Waits until a run has ended or the time is up. Returns the run. @throws AppError not_found */
export async function waitForEnd(
  app: App,
  records: Records,
  { params, tenantId }: ActionContext<'executions.settled'>,
): Promise<StartResult> {
  const { id, wait_ms } = params;
  const look = async (): Promise<Execution> => {
    const execution = await records.store.load(id);
    if (execution?.tenantId === tenantId) return execution;
    throw new AppError('not_found', `There is no execution ${id}`);
  };
  return answer(await records.settled(app.clock.now() + wait_ms, id, records.asFront, look), params);
}

/** The run of a repeated start, after waiting for its end if requested. @throws AppError idempotency_mismatch, conflict */
async function replay(app: App, records: Records, tenantId: string, params: StartParams): Promise<StartResult> {
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
async function whenStored(app: App, records: Records, id: string, deadline: number): Promise<Execution | null> {
  for (;;) {
    const execution = await records.store.load(id);
    if (execution !== null || app.clock.now() >= deadline) return execution;
    await new Promise<void>((resolve) => app.clock.after(STORED_POLL_MS, resolve));
  }
}

/** Public routes show this error to unauthenticated callers, so details of the database go to the log only. */
function notStored(ctx: ActionContext<'executor.start' | 'executions.accept'>, cause: unknown): AppError {
  ctx.log.warn(`A run of workflow ${ctx.params.workflow_id} could not be stored: ${errorMessage(cause)}`);
  const later = { retry_after: RETRY_AFTER_SECONDS };
  return new AppError('unavailable', 'The run could not be stored: the database does not answer. Try again', later, {
    cause,
  });
}

const endOf = (fresh: NewExecution, ending: Ending | null): Execution => {
  const execution: Execution = { ...fresh, owner: null, epoch: 1, wakeAt: null, ...INITIAL_FIELDS };
  return ending === null ? execution : endedExecution(execution, ending);
};

const answer = (execution: Execution, { record }: Pick<StartParams, 'record'>, replayed = false): StartResult => ({
  id: execution.id,
  status: execution.status,
  output: execution.output,
  error: execution.error,
  // The output of a `webhook_response` step, which its node has validated.
  response: execution.response as WebhookResponse | null,
  replayed,
  ...(record === true ? { record: executionView(execution) } : {}),
});
