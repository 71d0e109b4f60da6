import { compile, controlType, type NodeTypes, type Plan, type WorkflowDocument } from '../../dsl';
import { AppError } from '../../lib/errors';
import type { JsonObject } from '../../lib/json';
import { assertSecretsExist, startExecution, startParams, waitMs } from '../../mixins/admission';
import type { ActionContext } from '../../mixins/service';
import type { App } from '../app';
import type { ExecutionView, StepView } from '../executor/contract';
import type { StepTestView } from './contract';
import { missingSecrets } from './editing';
import { getStep, stepsIn } from './steps-in';
import type { WorkflowStore } from './store';

/** How often a run that has not ended is looked at. */
const LOOK_MS = 1_000;
/** What says when a step runs, or what counts instead of it. A test runs it, now and once. */
const NOT_IN_TESTS: ReadonlySet<string> = new Set(['if', 'needs', 'retry', 'on_error', 'compensate', 'cache', 'pin']);
/** What a run waits for that nobody gives in a test. */
const OF_OTHERS: ReadonlySet<string> = new Set(['approval', 'signal']);

type Testing = ActionContext<'workflows.test_step'>;

/** Tries single steps of workflows. */
export const stepTests = (app: App, store: WorkflowStore, nodeTypes: NodeTypes) => ({
  /**
   * Runs a step as it is saved, with all that is inside of it, as a run of its own. What it would see of others is
   * given, or pinned. Its effects are real. @throws AppError not_found, workflow_pending, unknown_secret
   */
  async testStep(ctx: Testing): Promise<StepTestView> {
    const { params, tenantId, call, requestId } = ctx;
    const until = app.clock.now() + waitMs(app.config.requestTimeoutMs);
    const record = await store.get(tenantId, params.id);
    // A disabled workflow may be worked on. One that waits for approval runs nothing of what it may contain.
    if (record.status === 'pending_approval')
      throw new AppError('workflow_pending', 'This workflow waits for approval; its steps can be tested after that');
    const dsl = JSON.parse(record.dsl) as JsonObject;
    const pins = params.pin ?? true;
    const plan = planOfStep(dsl, getStep(dsl, params.step_id), nodeTypes, pins);
    const secrets = [...plan.secrets];
    if (secrets.length > 0) assertSecretsExist(await missingSecrets(call, tenantId)(secrets));
    await store.putPlan(plan);
    const { trigger = {}, steps = {}, loop = null, error = null } = params;
    const given: JsonObject = { trigger, steps: pins ? { ...pinsIn(dsl), ...steps } : steps, loop, error };
    const start = startParams(
      { id: record._id, name: record.name, env: record.env, plan_hash: plan.hash, secrets },
      { type: 'test', trigger: given, input: trigger, requestId, waitMs: LOOK_MS },
      app.clock.now(),
    );
    const { execution } = await startExecution(app, call, tenantId, start);
    return outcome(ctx, await settled(app, ctx, execution, until));
  },
});

/** The plan of a step alone. What the document says of all steps goes for those inside of it. */
function planOfStep(dsl: JsonObject, step: JsonObject, nodeTypes: NodeTypes, pins: boolean): Plan {
  const alone: JsonObject = Object.fromEntries(Object.entries(step).filter(([key]) => !NOT_IN_TESTS.has(key)));
  if (controlType(String(step.type)) === null) alone.retry = { max_attempts: 1 };
  if (!pins) for (const inner of stepsIn([alone])) delete inner.pin;
  const document = {
    id: dsl.id,
    trigger: { type: 'manual' },
    steps: [alone],
    ...(dsl.retry === undefined ? {} : { retry: dsl.retry }),
  };
  // A part of a document that the language has accepted; what it refers to elsewhere is given to the run.
  return compile(document as unknown as WorkflowDocument, nodeTypes);
}

/** The outputs that are pinned in a document, by step. */
const pinsIn = (dsl: JsonObject): JsonObject =>
  Object.fromEntries(
    [...stepsIn([dsl.steps, dsl.on_error])].flatMap(({ id, pin }) =>
      pin === undefined ? [] : [[String(id), pin] as const],
    ),
  );

/** The run at its end, or when the time is up, or when it waits for somebody. */
async function settled(app: App, ctx: Testing, begun: ExecutionView, until: number): Promise<ExecutionView> {
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
async function outcome(ctx: Testing, execution: ExecutionView): Promise<StepTestView> {
  const { id } = execution;
  const { steps } = await ctx.call('executions.detail', { id, include: 'logs' });
  const step = steps.find(({ path }) => path === ctx.params.step_id) as StepView;
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
    logs: steps.flatMap(({ logs = [] }) => logs),
    waiting,
  };
}
