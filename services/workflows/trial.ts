import type { Plan } from '../../dsl';
import type { JsonObject } from '../../lib/json';
import { assertSecretsExist, type Runnable, startExecution, startParams, waitMs } from '../../mixins/admission';
import type { ActionContext } from '../../mixins/service';
import type { App } from '../app';
import type { ExecutionView, StepView } from '../executor/contract';
import type { StepTestView } from './contract';
import { missingSecrets } from './editing';
import type { WorkflowStore } from './store';

/** How often a run that has not ended is looked at. */
const LOOK_MS = 1_000;
/** What a run waits for that nobody gives in a test. */
const OF_OTHERS: ReadonlySet<string> = new Set(['approval', 'signal']);

/** What is tried: the plan of one step, of which the run counts as one of `of`, with what the step sees of others. */
export interface Subject {
  readonly of: Pick<Runnable, 'id' | 'name' | 'env'>;
  readonly plan: Plan;
  readonly stepId: string;
  readonly trigger: JsonObject;
  readonly steps: JsonObject;
  readonly loop: JsonObject | null;
  readonly error: JsonObject | null;
}

type Trying = Pick<ActionContext<'workflows.test_step'>, 'tenantId' | 'call' | 'requestId'>;

/**
 * Runs one step as a run of its own, whose effects are real, and waits for what becomes of it.
 * @throws AppError unknown_secret
 */
export async function tryStep(app: App, store: WorkflowStore, ctx: Trying, subject: Subject): Promise<StepTestView> {
  const { tenantId, call, requestId } = ctx;
  const { plan, stepId, trigger, steps, loop, error } = subject;
  const until = app.clock.now() + waitMs(app.config.requestTimeoutMs);
  const secrets = [...plan.secrets];
  if (secrets.length > 0) assertSecretsExist(await missingSecrets(call, tenantId)(secrets));
  await store.putPlan(plan);
  const start = startParams(
    { ...subject.of, plan_hash: plan.hash, secrets },
    { type: 'test', trigger: { trigger, steps, loop, error }, input: trigger, requestId, waitMs: LOOK_MS },
    app.clock.now(),
  );
  const { execution } = await startExecution(app, call, tenantId, start);
  return outcome(ctx, stepId, await settled(app, ctx, execution, until));
}

/** The run at its end, or when the time is up, or when it waits for somebody. */
async function settled(app: App, ctx: Trying, begun: ExecutionView, until: number): Promise<ExecutionView> {
  let execution = begun;
  for (;;) {
    const left = until - app.clock.now();
    if (execution.status !== 'running' || left <= 0 || waitsForOthers(execution)) return execution;
    const look = { id: execution.id, wait_ms: Math.min(LOOK_MS, left) };
    ({ execution } = await ctx.call('executions.settled', look, { asServiceOf: ctx.tenantId }));
  }
}

const waitsForOthers = ({ waiting }: ExecutionView): boolean => waiting.some(({ kind }) => OF_OTHERS.has(kind));

/** What the step has come to. A run that waits for somebody is cancelled: it would wait for ever. */
async function outcome(ctx: Trying, stepId: string, execution: ExecutionView): Promise<StepTestView> {
  const { id } = execution;
  const { steps } = await ctx.call('executions.detail', { id, include: 'logs' });
  const step = steps.find(({ path }) => path === stepId) as StepView;
  const waiting = execution.status === 'running' && waitsForOthers(execution) ? execution.waiting : [];
  if (waiting.length > 0) await ctx.call('executions.cancel', { id });
  const { status, input, output, error, duration_ms } = step;
  return {
    execution_id: id,
    // A run may have been refused before its step began.
    status: status === 'pending' && execution.status !== 'running' ? execution.status : status,
    input,
    output,
    error: error ?? execution.error,
    duration_ms,
    logs: steps
      .flatMap(({ path, logs = [] }) => logs.map((line) => ({ path, ...line })))
      .sort((a, b) => a.at.localeCompare(b.at)),
    waiting,
  };
}
