import { randomBytes } from 'node:crypto';
import { type PreparedPlan, renderKey } from '../../dsl';
import type { Compute } from '../../lib/compute';
import { assertNotRetryable } from '../../lib/compute/unavailable';
import { AppError, errorMessage } from '../../lib/errors';
import { isObject, type JsonObject } from '../../lib/json';
import type { ActionContext } from '../../mixins/service';
import { recordWaiter } from '../../runtime/worker/concurrency-groups';
import { type NewExecution, INITIAL_FIELDS } from '../../runtime/worker/deps';
import { type StartingRun, concurrencyContext, concurrencyOf, queueOf } from '../../runtime/core/decide/concurrency';
import { type Concurrency, type Ending, endedExecution, type Execution } from '../../runtime/core/model';
import type { App } from '../app';
import type { StartParams, StartResult, WebhookResponse } from '../../contracts/executions/views';
import type { Engine } from './engine';
import type { Records } from './records';
import { assertInputs } from './inputs';
import { assertSameStart } from './same-start';
import { countStart } from './metering';
import { traceOfRun } from './tracing';
import type { Place } from './usage/meter';
import { executionView, inputOf } from './views';

/** A longer run may move to another host, so a longer wait polls the document. */
const MAX_LOCAL_WAIT_MS = 500;
/** How long a run whose caller waits until it is stored may run before that, if it has no effect. */
const MAX_UNSTORED_MS = 2;
const STORED_POLL_MS = 25;
const RETRY_AFTER_SECONDS = 5;
/** Trigger types whose payload is a member of the trigger: the body of a request, or the input of a test. */
const PAYLOADS: ReadonlyMap<string, string> = new Map([
  ['http', 'body'],
  ['api', 'body'],
  ['chat', 'body'],
  ['test', 'trigger'],
]);

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

/** The tenant's constants, if the concurrency key may use them. */
const varsOfKey = async (
  records: Records,
  ctx: ActionContext<'executor.start' | 'executions.accept'>,
  { usesVars, concurrencyKey }: PreparedPlan,
): Promise<JsonObject> => (usesVars && concurrencyKey !== null ? records.vars(ctx, ctx.tenantId) : {});

/** A new run with its reserved quota. @throws AppError quota_exceeded, invalid_input, invalid_request */
async function newRun(
  app: App,
  records: Records,
  ctx: ActionContext<'executor.start' | 'executions.accept'>,
  plan: PreparedPlan,
): Promise<{ fresh: NewExecution; place: Place }> {
  const { params, tenantId } = ctx;
  const vars = await varsOfKey(records, ctx, plan);
  const place = await records.usage.place(ctx, tenantId, params);
  try {
    const fresh = await newExecution(app.compute.lane(tenantId), params, tenantId, place.at, plan, vars);
    return { fresh: { ...fresh, ...traceOfRun(app.tracer, ctx.trace) }, place };
  } catch (fault) {
    place.settle(false);
    throw fault;
  }
}

/** @throws AppError invalid_input, invalid_request, unavailable */
async function newExecution(
  compute: Compute,
  params: StartParams,
  tenantId: string,
  now: number,
  plan: PreparedPlan,
  vars: JsonObject,
): Promise<NewExecution> {
  const { parent, env } = params;
  const trigger = triggerOf(params);
  const inputKey = payloadKey(params, trigger);
  // A test runs a part of the workflow with any input.
  if (params.trigger_type !== 'test') await assertInputs(compute, plan, inputOf({ trigger, inputKey }));
  const run = { tenantId, workflowId: params.workflow_id, env, trigger, vars, startedAt: now };
  const group = await groupOf(compute, plan, run);
  const { timeoutMs } = plan.plan;
  const preload = params.preload_from;
  return {
    id: params.execution_id,
    tenantId,
    workflowId: params.workflow_id,
    workflowName: params.workflow_name,
    planHash: params.plan_hash,
    env,
    status: 'running',
    triggerType: params.trigger_type,
    trigger,
    inputKey,
    output: null,
    error: null,
    response: null,
    waiting: [],
    retryOf: params.retry_of ?? null,
    resumeFrom:
      preload === undefined
        ? null
        : {
            executionId: preload.execution_id,
            fromStep: preload.from_step ?? null,
            ...(preload.only_unchanged === true ? { onlyUnchanged: true } : {}),
          },
    parent:
      parent === undefined ? null : { executionId: parent.execution_id, path: parent.path, awaited: parent.awaited },
    depth: params.depth ?? 0,
    concurrency: group ?? (params.queue === undefined ? null : queueOf(tenantId, params.workflow_id, params.queue)),
    requestId: params.request_id ?? null,
    startedAt: now,
    deadlineAt: timeoutMs === null ? null : now + timeoutMs,
    endedAt: null,
    steps: 0,
    tokens: 0,
    costUsd: 0,
  };
}

/** The `trigger` root of expressions. The values are shared with `trigger.body`, not copied. */
function triggerOf({ trigger, spread_body: spreads }: StartParams): JsonObject {
  return spreads === true && isObject(trigger.body) ? { ...trigger.body, ...trigger } : trigger;
}

/** The member of the trigger that is the payload; null: the whole trigger. */
function payloadKey({ trigger_type: type, retry_of: retryOf }: StartParams, trigger: JsonObject): string | null {
  const known = PAYLOADS.get(type);
  if (known !== undefined) return known;
  return (retryOf !== undefined || type === 'trial') && 'body' in trigger ? 'body' : null;
}

/** @throws AppError invalid_request, because the key depends on the caller's input; unavailable */
async function groupOf(compute: Compute, plan: PreparedPlan, run: StartingRun): Promise<Concurrency | null> {
  const { concurrencyKey } = plan;
  if (concurrencyKey === null) return null;
  try {
    return concurrencyOf(
      plan.plan,
      run,
      await renderKey(compute, concurrencyKey, concurrencyContext(run, randomBytes)),
    );
  } catch (cause) {
    assertNotRetryable(cause);
    const message = `The concurrency key of the workflow cannot be evaluated: ${errorMessage(cause)}`;
    throw new AppError('invalid_request', message, undefined, { cause });
  }
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
