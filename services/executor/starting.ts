import { AppError, errorMessage } from '../../lib/errors';
import { timeId } from '../../lib/ids';
import type { ActionContext } from '../../mixins/service';
import type { NewExecution } from '../../runtime/host/host';
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
  const end = params.wait_ms === undefined ? null : engine.ends.within(fresh.id, params.wait_ms);
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
  if (end === null) return answer({ ...fresh, owner: null, epoch: 1, wakeAt: null, inbox: 0 }, false);
  const ending = await end;
  if (ending !== null) return answer(endOf(fresh, ending), false);
  return answer((await engine.store.load(fresh.id)) ?? endOf(fresh, null), false);
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
  for (;;) {
    const execution = await engine.store.load(id);
    if (execution === null || execution.tenantId !== tenantId || execution.workflowId !== params.workflow_id) {
      throw new AppError('conflict', 'This execution id belongs to another start');
    }
    const left = deadline - app.clock.now();
    if (execution.status !== 'running' || left <= 0) return answer(execution, true);
    await engine.ends.within(id, Math.min(left, LOOK_MS));
  }
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
    requestId: params.request_id ?? null,
    startedAt: now,
    deadlineAt: timeoutMs === null ? null : now + timeoutMs,
    endedAt: null,
    tokens: 0,
    costUsd: 0,
  };
}

const endOf = (fresh: NewExecution, ending: Ending | null): Execution => {
  const execution: Execution = { ...fresh, owner: null, epoch: 1, wakeAt: null, inbox: 0 };
  return ending === null ? execution : endedExecution(execution, ending);
};

const answer = (execution: Execution, replayed: boolean): StartResult => ({
  execution: executionView(execution),
  replayed,
  // What a `webhook_response` step put out: checked by that node.
  response: execution.response as WebhookResponse | null,
});
