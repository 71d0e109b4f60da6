import {
  compile,
  controlType,
  getStep,
  pinsIn,
  type Plan,
  type NodeTypes,
  stepsIn,
  type WorkflowDocument,
} from '../../dsl';
import { AppError } from '../../lib/errors';
import type { JsonObject } from '../../lib/json';
import { assertMaySendSecrets } from '../../mixins/secret-reference';
import type { ActionContext } from '../../mixins/service';
import type { App } from '../app';
import type { StepTestView } from '../../contracts/workflows/views';
import { type StepTestDeps, runStepTest } from './run-step-test';
import { documentOf } from './view';

/** What says when a step runs, or what counts instead of it. A test runs it, now and once. */
const NOT_IN_TESTS: ReadonlySet<string> = new Set(['if', 'needs', 'retry', 'on_error', 'compensate', 'cache', 'pin']);

/** Tries single steps of workflows. */
export const stepTests = (app: App, parts: StepTestDeps) => ({
  /**
   * Runs a step as it is saved, with all that is inside of it, as a run of its own. What it would see of others is
   * given, or pinned. Its effects are real. @throws AppError not_found, workflow_pending, unknown_secret
   */
  async testStep(ctx: ActionContext<'workflows.test_step'>): Promise<StepTestView> {
    const { params, tenantId } = ctx;
    const record = await parts.workflows.get(tenantId, params.id);
    // A disabled workflow may be worked on. One that waits for approval runs nothing of what it may contain.
    if (record.status === 'pending_approval')
      throw new AppError('workflow_pending', 'This workflow waits for approval; its steps can be tested after that');
    const dsl = await documentOf(record);
    const pins = params.pin ?? true;
    const plan = planOfStep(dsl, getStep(dsl, params.step_id), await parts.tenantNodeTypes.of(tenantId, dsl), pins);
    const { loop = null, error = null } = params;
    // Outputs of earlier steps are what an approved workflow has made of its input; given here, they may hold any address.
    const given = [params.steps, params.loop, params.error].some((each) => each !== undefined && each !== null);
    if (given && plan.secrets.length > 0)
      await assertMaySendSecrets(ctx, 'test the step without "steps", "loop" and "error"');
    // The check of params takes null for nothing where a field may be absent.
    const [trigger, steps] = [params.trigger ?? {}, params.steps ?? {}];
    const seen = pins ? { ...pinsIn(dsl), ...steps } : steps;
    const of = { id: record._id, name: record.name, env: record.env };
    return runStepTest(app, parts, ctx, { of, plan, stepId: params.step_id, trigger, steps: seen, loop, error });
  },
});

/** The plan of a step alone. What the document says of all steps goes for those inside of it. */
export function planOfStep(dsl: JsonObject, step: JsonObject, nodeTypes: NodeTypes, pins: boolean): Plan {
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
