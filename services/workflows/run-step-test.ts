import type { Plan } from '../../dsl';
import type { JsonObject } from '../../lib/json';
import type { ActionContext } from '../../mixins/service';
import { maxWaitMs, type StartedWorkflow, type StartRun } from '../../mixins/start-run';
import type { App } from '../app';
import type { ExecutionView, StepView } from '../../contracts/executions/views';
import type { StepTestView } from '../../contracts/workflows/views';
import type { WorkflowStore } from './store';
import type { TenantNodeTypes } from './tenant-node-types';

/** How often a run that has not ended is looked at. */
const POLL_MS = 1_000;
/** Waits that only a person or another system ends, which a test does not have. */
const EXTERNAL_WAITS: ReadonlySet<string> = new Set(['approval', 'form', 'signal']);

/** What is tried: the plan of one step, of which the run counts as one of `of`, with what the step sees of others. */
interface Subject {
  readonly of: Pick<StartedWorkflow, 'id' | 'name' | 'env'>;
  readonly plan: Plan;
  readonly stepId: string;
  readonly trigger: JsonObject;
  readonly steps: JsonObject;
  readonly loop: JsonObject | null;
  readonly error: JsonObject | null;
}

/** The parts of the service that a test of a step uses. */
export interface StepTestDeps {
  readonly starts: StartRun;
  readonly workflows: WorkflowStore;
  readonly tenantNodeTypes: TenantNodeTypes;
}

type StepTestContext = Pick<ActionContext<'workflows.test_step'>, 'tenantId' | 'call' | 'requestId'>;

/**
 * Runs one step as a run of its own, whose effects are real, and waits for what becomes of it.
 * @throws AppError unknown_secret
 */
export async function runStepTest(
  app: App,
  { starts, workflows }: Pick<StepTestDeps, 'starts' | 'workflows'>,
  ctx: StepTestContext,
  subject: Subject,
): Promise<StepTestView> {
  const { tenantId, call, requestId } = ctx;
  const { plan, stepId, trigger, steps, loop, error } = subject;
  const until = app.clock.now() + maxWaitMs(app.config.requestTimeoutMs);
  await starts.assertSecrets(call, tenantId, plan.secrets);
  await workflows.putPlan(plan);
  const workflow = { ...subject.of, tenant_id: tenantId, plan_hash: plan.hash };
  const cause = { type: 'test', trigger: { trigger, steps, loop, error }, requestId, waitMs: POLL_MS, record: true };
  const { record } = await starts.start(call, workflow, cause);
  return outcome(ctx, stepId, await waitForEnd(app, ctx, record as ExecutionView, until));
}

/** The run at its end, at the deadline, or when it waits for external input. */
async function waitForEnd(app: App, ctx: StepTestContext, begun: ExecutionView, until: number): Promise<ExecutionView> {
  let execution = begun;
  for (;;) {
    const left = until - app.clock.now();
    if (execution.status !== 'running' || left <= 0 || waitsForInput(execution)) return execution;
    const poll = { id: execution.id, wait_ms: Math.min(POLL_MS, left), record: true };
    const { record } = await ctx.call('executions.settled', poll, { asServiceOf: ctx.tenantId });
    execution = record as ExecutionView;
  }
}

const waitsForInput = ({ waiting }: ExecutionView): boolean => waiting.some(({ kind }) => EXTERNAL_WAITS.has(kind));

/** The result of the step. A run that waits for external input is cancelled, since it would not end. */
async function outcome(ctx: StepTestContext, stepId: string, execution: ExecutionView): Promise<StepTestView> {
  const { id } = execution;
  const { steps } = await ctx.call('executions.detail', { id, include: 'logs' });
  const step = steps.find(({ path }) => path === stepId) as StepView;
  const waiting = execution.status === 'running' && waitsForInput(execution) ? execution.waiting : [];
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
