import { AppError, errorMessage } from '../../lib/errors';
import { timeId } from '../../lib/ids';
import type { ActionContext } from '../../mixins/service';
import { type NewExecution, untold } from '../../runtime/host/host';
import { type Ending, endedExecution, type Execution } from '../../runtime/store/port';
import type { App } from '../app';
import type { StartParams, StartResult, WebhookResponse } from './contract';
import type { Engine } from './engine';
import { executionView } from './views';

/** How long to wait for an end that another host may write, before looking at the run's document. */
const LOOK_MS = 500;
const RETRY_AFTER_SECONDS = 5;
/** Trigger types whose payload is a request; the run's input is its body. */
const REQUESTS = new Set(['http', 'api']);

/**
 * Starts a run on this host; when this answers, it is stored. With `wait_ms`, answers at its end, or as it stands
 * when the time is up.
 */
export async function startRun(app: App, engine: Engine, ctx: ActionContext<'executor.start'>): Promise<StartResult> {
  const { params, tenantId } = ctx;
  const plan = await engine.plan(ctx, tenantId, params.plan_hash);
  const fresh = newExecution(params, tenantId, app.clock.now(), plan.plan.timeoutMs);
  const deadline = app.clock.now() + (params.wait_ms ?? 0);
  const end = params.wait_ms === undefined ? null : engine.ends.within(fresh.id, Math.min(params.wait_ms, LOOK_MS));
  // Nobody else can know a fresh id, so nothing need be stored before the caller is answered, or something happens.
  const lazy = end !== null && params.execution_id === undefined;
  const began = await engine.host.begin(fresh, plan, lazy).catch((fault: unknown) => {
    // Strangers are answered on public routes: what the database says is for the operator.
    ctx.log.warn(`A run of workflow ${params.workflow_id} could not be stored: ${errorMessage(fault)}`);
    throw new AppError(
      'unavailable',
      'The run cannot be stored now; try again',
      { retry_after: RETRY_AFTER_SECONDS },
      { cause: fault },
    );
  });
  if (began === 'exists') return replay(app, engine, tenantId, fresh.id, params);
  if (end === null) return answer(endOf(fresh, null), false);
  const ending = await end;
  if (ending !== null) return answer(endOf(fresh, ending), false);
  // A run that is not stored yet goes on here, as it was begun.
  const look = async () => (await engine.store.load(fresh.id)) ?? endOf(fresh, null);
  return answer(await settled(app, engine, fresh.id, deadline, look), false);
}

/** The run when it has ended, or as it is at the deadline. Another host may end it, of which this one is not told. */
async function settled(
  app: App,
  engine: Engine,
  id: string,
  deadline: number,
  look: () => Promise<Execution>,
): Promise<Execution> {
  for (;;) {
    const left = deadline - app.clock.now();
    // Watched from before the look, so that an end between the two is heard of.
    const end = engine.ends.within(id, Math.max(0, Math.min(left, LOOK_MS)));
    const execution = await look();
    if (execution.status !== 'running' || left <= 0) return execution;
    await end;
  }
}

/** A start that happened before: the run as it is, or, when waited for, as it becomes. */
async function replay(
  app: App,
  engine: Engine,
  tenantId: string,
  id: string,
  params: StartParams,
): Promise<StartResult> {
  const deadline = app.clock.now() + (params.wait_ms ?? 0);
  const look = async (): Promise<Execution> => {
    const execution = await engine.store.load(id);
    if (execution?.tenantId === tenantId && execution.workflowId === params.workflow_id) return execution;
    throw new AppError('conflict', 'This execution id belongs to another start');
  };
  return answer(await settled(app, engine, id, deadline, look), true);
}

function newExecution(params: StartParams, tenantId: string, now: number, timeoutMs: number | null): NewExecution {
  const { trigger } = params;
  const preload = params.preload_from;
  return {
    id: params.execution_id ?? timeId(now),
    tenantId,
    workflowId: params.workflow_id,
    workflowName: params.workflow_name,
    planHash: params.plan_hash,
    env: params.env,
    status: 'running',
    triggerType: params.trigger_type,
    trigger,
    inputKey: REQUESTS.has(params.trigger_type) || (params.retry_of !== undefined && 'body' in trigger) ? 'body' : null,
    output: null,
    error: null,
    response: null,
    waiting: [],
    retryOf: params.retry_of ?? null,
    preload: preload === undefined ? null : { executionId: preload.execution_id, fromStep: preload.from_step ?? null },
    parent: null,
    depth: 0,
    concurrency: null,
    requestId: params.request_id ?? null,
    startedAt: now,
    deadlineAt: timeoutMs === null ? null : now + timeoutMs,
    endedAt: null,
    tokens: 0,
    costUsd: 0,
  };
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
