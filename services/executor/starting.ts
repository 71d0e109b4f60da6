import { randomBytes } from 'node:crypto';
import type { PreparedPlan } from '../../dsl';
import { AppError, errorMessage } from '../../lib/errors';
import type { JsonObject } from '../../lib/json';
import type { ActionContext } from '../../mixins/service';
import { type NewExecution, untold } from '../../runtime/host/deps';
import { type Beginning, concurrencyOf, queueOf } from '../../runtime/rules/concurrency';
import { type Concurrency, type Ending, endedExecution, type Execution } from '../../runtime/store/port';
import type { App } from '../app';
import type { StartParams, StartResult, WebhookResponse } from './contract';
import type { Engine } from './engine';
import type { Records } from './records';
import { assertInputs } from './inputs';
import { countStart } from './metering';
import { traceOfRun } from './tracing';
import type { Place } from './usage/meter';
import { executionView, inputOf } from './views';

/** A run that takes longer may be given up by this host, and end on another one. */
const HERE_MS = 500;
const STORED_LOOK_MS = 25;
const RETRY_AFTER_SECONDS = 5;
/** Trigger types whose payload is a member of what they bring: the body of a request, what a test gives. */
const PAYLOADS: ReadonlyMap<string, string> = new Map([
  ['http', 'body'],
  ['api', 'body'],
  ['chat', 'body'],
  ['test', 'trigger'],
]);

/**
 * Starts a run on this host; when this answers, it is stored. With `wait_ms`, answers at its end, or as it stands
 * when the time is up, or when this process is about to stop.
 */
export async function startRun(app: App, engine: Engine, ctx: ActionContext<'executor.start'>): Promise<StartResult> {
  const { params, tenantId } = ctx;
  const { records } = engine;
  const plan = await records.plan(ctx, tenantId, params.plan_hash);
  const { fresh, place } = await newRun(app, records, ctx, plan);
  const deadline = app.clock.now() + (params.wait_ms ?? 0);
  const end = params.wait_ms === undefined ? null : engine.ends.within(fresh.id, Math.min(params.wait_ms, HERE_MS));
  // Nobody asks for a fresh id, so nothing need be stored before the caller is answered, or something happens. A start
  // that is repeated elsewhere meanwhile does no harm: the id is stored once, and nothing happens before it is.
  const lazy = end !== null && params.fresh === true;
  const began = await engine.host.begin(fresh, plan, lazy).catch((fault: unknown) => {
    // It may be stored all the same; if not, the next reading says so.
    place.settle(true);
    throw notStored(ctx, fault);
  });
  place.settle(began !== 'exists');
  if (began === 'exists') return replay(app, records, tenantId, params);
  countStart(app.metrics, params.trigger_type);
  if (end === null) return answer(endOf(fresh, null), false);
  const ending = await end;
  if (ending !== null) return answer(endOf(fresh, ending), false);
  const look = async () => (await whenStored(app, records, fresh.id, deadline)) ?? endOf(fresh, null);
  return answer(await records.settled(deadline, fresh.id, records.asHost, look), false);
}

/** Stores a run for any host to begin. Waits for nothing: its caller does, if he wants to. */
export async function acceptRun(
  app: App,
  records: Records,
  ctx: ActionContext<'executions.accept'>,
): Promise<StartResult> {
  const { params, tenantId } = ctx;
  const plan = await records.plan(ctx, tenantId, params.plan_hash);
  const { fresh, place } = await newRun(app, records, ctx, plan);
  const waiting = [{ step_id: null, kind: 'capacity', name: null, since: place.at, until: null } as const];
  const execution: Execution = { ...fresh, waiting, owner: null, epoch: 0, wakeAt: place.at, ...untold };
  const inserted = await records.store.insert(execution).catch((fault: unknown) => {
    place.settle(true);
    throw notStored(ctx, fault);
  });
  place.settle(inserted !== 'exists');
  if (inserted === 'exists') return replay(app, records, tenantId, params);
  countStart(app.metrics, params.trigger_type);
  return answer(execution, false);
}

/** A run when it has ended, or as it is when the time is up. @throws AppError not_found */
export async function settledRun(
  app: App,
  records: Records,
  { params: { id, wait_ms }, tenantId }: ActionContext<'executions.settled'>,
): Promise<StartResult> {
  const look = async (): Promise<Execution> => {
    const execution = await records.store.load(id);
    if (execution?.tenantId === tenantId) return execution;
    throw new AppError('not_found', `There is no execution ${id}`);
  };
  return answer(await records.settled(app.clock.now() + wait_ms, id, records.asFront, look), false);
}

/** A start that happened before: the run as it is, or, when waited for, as it becomes. */
async function replay(app: App, records: Records, tenantId: string, params: StartParams): Promise<StartResult> {
  const deadline = app.clock.now() + (params.wait_ms ?? 0);
  const id = params.execution_id;
  const look = async (): Promise<Execution> => {
    const execution = await whenStored(app, records, id, deadline);
    if (execution?.tenantId === tenantId && execution.workflowId === params.workflow_id) return execution;
    throw new AppError('conflict', 'This execution id belongs to another start');
  };
  return answer(await records.settled(deadline, id, records.asHost, look), params.fresh !== true);
}

/** The run, as soon as it is stored; null when it is not by the deadline. One that was begun lazily is stored late. */
async function whenStored(app: App, records: Records, id: string, deadline: number): Promise<Execution | null> {
  for (;;) {
    const execution = await records.store.load(id);
    if (execution !== null || app.clock.now() >= deadline) return execution;
    await new Promise<void>((resolve) => app.clock.after(STORED_LOOK_MS, resolve));
  }
}

/** Strangers are answered on public routes: what the database says is for the operator. */
function notStored(ctx: ActionContext<'executor.start' | 'executions.accept'>, cause: unknown): AppError {
  ctx.log.warn(`A run of workflow ${ctx.params.workflow_id} could not be stored: ${errorMessage(cause)}`);
  const later = { retry_after: RETRY_AFTER_SECONDS };
  return new AppError('unavailable', 'The run cannot be stored now; try again', later, { cause });
}

/** The tenant's constants, where the concurrency key may need them. */
const varsOfKey = async (
  records: Records,
  ctx: ActionContext<'executor.start' | 'executions.accept'>,
  { usesVars, concurrencyKey }: PreparedPlan,
): Promise<JsonObject> => (usesVars && concurrencyKey !== null ? records.vars(ctx, ctx.tenantId) : {});

/** A new run with its place in the tenant's month. @throws AppError quota_exceeded, invalid_input, invalid_request */
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
    const fresh = newExecution(params, tenantId, place.at, plan, vars);
    return { fresh: { ...fresh, ...traceOfRun(app.tracer, ctx.trace) }, place };
  } catch (fault) {
    place.settle(false);
    throw fault;
  }
}

/** @throws AppError invalid_input, invalid_request */
function newExecution(
  params: StartParams,
  tenantId: string,
  now: number,
  plan: PreparedPlan,
  vars: JsonObject,
): NewExecution {
  const { trigger, parent, env } = params;
  const inputKey = payloadKey(params);
  // A test runs a part of the workflow, with whatever its author wants to try.
  if (params.trigger_type !== 'test') assertInputs(plan, inputOf({ trigger, inputKey }));
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
    preload: preload === undefined ? null : { executionId: preload.execution_id, fromStep: preload.from_step ?? null },
    parent:
      parent === undefined ? null : { executionId: parent.execution_id, path: parent.path, awaited: parent.awaited },
    depth: params.depth ?? 0,
    concurrency:
      groupOf(plan, { tenantId, workflowId: params.workflow_id, env, trigger, vars, startedAt: now }) ??
      (params.queue === undefined ? null : queueOf(tenantId, params.workflow_id, params.queue)),
    requestId: params.request_id ?? null,
    startedAt: now,
    deadlineAt: timeoutMs === null ? null : now + timeoutMs,
    endedAt: null,
    steps: 0,
    tokens: 0,
    costUsd: 0,
  };
}

/** The member of the trigger that the run's author thinks of as its input; null: all of it. */
function payloadKey({ trigger_type: type, trigger, retry_of: retryOf }: StartParams): string | null {
  const known = PAYLOADS.get(type);
  if (known !== undefined) return known;
  return retryOf !== undefined && 'body' in trigger ? 'body' : null;
}

/** @throws AppError invalid_request: the key is made of what the caller sends */
function groupOf(plan: PreparedPlan, run: Beginning): Concurrency | null {
  try {
    return concurrencyOf(plan, run, randomBytes);
  } catch (cause) {
    const message = `The concurrency key of the workflow cannot be evaluated: ${errorMessage(cause)}`;
    throw new AppError('invalid_request', message, undefined, { cause });
  }
}

const endOf = (fresh: NewExecution, ending: Ending | null): Execution => {
  const execution: Execution = { ...fresh, owner: null, epoch: 1, wakeAt: null, ...untold };
  return ending === null ? execution : endedExecution(execution, ending);
};

const answer = (execution: Execution, replayed: boolean): StartResult => ({
  execution: executionView(execution),
  replayed,
  // What a `webhook_response` step put out: checked by that node.
  response: execution.response as WebhookResponse | null,
});
