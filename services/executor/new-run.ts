import { randomBytes } from 'node:crypto';
import { type PreparedPlan, renderKey } from '../../dsl';
import type { Compute } from '../../lib/compute';
import { assertNotRetryable } from '../../lib/compute/unavailable';
import { AppError, errorMessage } from '../../lib/errors';
import { isObject, type JsonObject } from '../../lib/json';
import type { ActionContext } from '../../mixins/service';
import type { StartParams } from '../../contracts/executions/views';
import { type StartingRun, concurrencyContext, concurrencyOf, queueOf } from '../../runtime/core/decide/concurrency';
import type { Concurrency } from '../../runtime/core/model';
import type { NewExecution } from '../../runtime/worker/deps';
import type { App } from '../app';
import { assertInputs } from './inputs';
import type { GatheringRule } from '../../runtime/core/decide/gathering';
import { gatheringOf, rankOfStart, rateLimitOf, throttleOf } from './flow-control';
import { labelsOf } from './labels';
import { countedStart } from './rate-limit';
import type { Records } from './records';
import { traceOfRun } from './tracing';
import type { StartReservation } from './usage/meter';
import { inputOf } from './views';

/** Trigger types whose payload is a member of the trigger: the body of a request, or the input of a test. */
const PAYLOADS: ReadonlyMap<string, string> = new Map([
  ['http', 'body'],
  ['api', 'body'],
  ['chat', 'body'],
  ['form', 'body'],
  ['test', 'trigger'],
]);

/** The tenant's constants, if what is evaluated at the start may use them. */
const varsAtStart = async (
  records: Records,
  ctx: ActionContext<'executor.start' | 'executions.accept'>,
  { usesVarsAtStart }: PreparedPlan,
): Promise<JsonObject> => (usesVarsAtStart ? records.vars(ctx, ctx.tenantId) : {});

/** `rule`: how it is gathered with other starts; null: it is a run of its own. */
interface NewRun {
  readonly fresh: NewExecution;
  readonly place: StartReservation;
  readonly rule: GatheringRule | null;
}

/** A new run with its reserved quota. @throws AppError quota_exceeded, start_limited, invalid_input, invalid_request */
export async function newRun(
  app: App,
  records: Records,
  ctx: ActionContext<'executor.start' | 'executions.accept'>,
  plan: PreparedPlan,
): Promise<NewRun> {
  const { params, tenantId } = ctx;
  const vars = await varsAtStart(records, ctx, plan);
  const place = await records.usage.place(ctx, tenantId, params);
  try {
    const compute = app.compute.lane(tenantId);
    const run = await newExecution(compute, params, tenantId, place.at, plan, vars);
    if (plan.rateLimit !== null) await assertStartsLeft(compute, records, plan, params, { ...run, vars });
    const rule = isGathered(plan, params)
      ? await gatheringOf(compute, plan, run, concurrencyContext({ ...run, vars }, randomBytes))
      : null;
    const fresh = app.tracer === null ? run : { ...run, ...traceOfRun(app.tracer, ctx.trace) };
    return { fresh, place, rule };
  } catch (fault) {
    place.settle(false);
    throw fault;
  }
}

/** Starts of these types have callers that depend on the run, its end or its id. */
const RUNS_OF_THEIR_OWN: ReadonlySet<string> = new Set(['chat', 'form', 'schedule', 'sub_workflow', 'test', 'trial']);

const isGathered = ({ gathering }: PreparedPlan, { trigger_type, retry_of, preload_from }: StartParams): boolean =>
  gathering !== null && retry_of === undefined && preload_from === undefined && !RUNS_OF_THEIR_OWN.has(trigger_type);

/** A repeated start of a known run does not count again. @throws AppError start_limited, invalid_request, unavailable */
async function assertStartsLeft(
  compute: Compute,
  { windows, store }: Pick<Records, 'windows' | 'store'>,
  plan: PreparedPlan,
  { fresh: isFresh }: StartParams,
  run: NewExecution & StartingRun,
): Promise<void> {
  const rate = await rateLimitOf(compute, plan, run, concurrencyContext(run, randomBytes));
  if (rate === null || (isFresh !== true && (await store.load(run.id)) !== null)) return;
  await countedStart(windows, rate, run.id, run.startedAt);
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
  const context = concurrencyContext(run, randomBytes);
  const throttle = await throttleOf(compute, plan, run, context);
  const { rank, warning } = await rankOfStart(compute, plan, run, context);
  const labelled = await labelsOf(compute, plan, context, params.labels);
  const warnings = [...(warning === undefined ? [] : [warning]), ...(labelled.warnings ?? [])];
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
    ...(throttle === null ? {} : { throttle }),
    ...(rank === undefined ? {} : { rank }),
    ...labelled,
    ...(warnings.length === 0 ? {} : { warnings }),
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
export function triggerOf({ trigger, spread_body: spreads }: StartParams): JsonObject {
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
