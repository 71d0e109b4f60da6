import { compileTemplate, pinsIn, placedSteps, stepsUsed } from '../../../dsl';
import { AppError, type ErrorDetail, summaryOf } from '../../../lib/errors';
import { isObject, type JsonObject } from '../../../lib/json';
import { assertMayRunUnapproved } from '../../../mixins/secret-reference';
import type { ActionContext } from '../../../mixins/service';
import type { App } from '../../app';
import type { StepTestView } from '../../../contracts/workflows/views';
import type { Findings } from '../definition';
import { runStepTest, type StepTestDeps } from '../run-step-test';
import { planOfStep } from '../step-test';
import { triggerOfRun } from './earlier-run';
import { subjectOf } from './index';

/** The parts of the service that such tests use. */
interface StepTrialParts extends StepTestDeps {
  readonly examine: (ctx: Pick<StepContext, 'tenantId' | 'call' | 'folders'>, dsl: unknown) => Promise<Findings>;
}

type StepContext = ActionContext<'workflows.test_document_step'>;

/** The check of a document ends with so many faults, and others may be missing. */
const MAX_FAULTS = 100;
/** Steps of a run that are read for one test. */
const MAX_READ = 100;
const MAX_ROWS = 1_000;

/** Tries single steps of documents that are not saved. */
export const stepTrials = (app: App, parts: StepTrialParts) => ({
  /** Other steps of the document may have faults. @throws AppError invalid_dsl, not_found, forbidden, unknown_secret */
  async testDocumentStep(ctx: StepContext): Promise<StepTestView> {
    const { params, tenantId } = ctx;
    await assertMayRunUnapproved(ctx, 'publish it, and test the step after its approval');
    const { step_id: stepId, loop = null, error = null } = params;
    const { dsl, step } = await stepIn(parts, ctx, stepId);
    const of = await subjectOf(app, parts, ctx, dsl, params.workflow_id);
    const earlier = await seenIn(ctx, step, params.from_execution);
    const plan = planOfStep(dsl, step, await parts.tenantNodeTypes.of(tenantId, dsl), true);
    const trigger = params.trigger ?? earlier.trigger;
    const steps = { ...pinsIn(dsl), ...earlier.steps, ...params.steps };
    return runStepTest(app, parts, ctx, { of, plan, stepId, trigger, steps, loop, error });
  },
});

/** A step of a document, which is valid itself. @throws AppError invalid_dsl, not_found */
async function stepIn(
  { examine }: StepTrialParts,
  ctx: StepContext,
  stepId: string,
): Promise<{ dsl: JsonObject; step: JsonObject }> {
  const { dsl } = ctx.params;
  const { errors } = await examine(ctx, dsl);
  if (!isObject(dsl) || errors.length >= MAX_FAULTS) throw invalid(errors);
  const placed = [...placedSteps(dsl)].find(({ step }) => step.id === stepId);
  if (placed === undefined) throw new AppError('not_found', `The document has no step ${stepId}`);
  const faults = errors.filter(({ path }) => concerns(path, placed.path));
  if (faults.length > 0) throw invalid(faults);
  return { dsl, step: placed.step };
}

const invalid = (errors: readonly ErrorDetail[]): AppError =>
  new AppError('invalid_dsl', `The step cannot be tested: ${summaryOf(errors)}`, { details: [...errors] });

/** True for faults of the step, of the whole document, and of what goes for all steps. */
const concerns = (path: string, step: string): boolean =>
  path === '' || path === 'id' || /^retry\b/.test(path) || path === step || path.startsWith(`${step}.`);

interface SampleView {
  readonly trigger: JsonObject;
  readonly steps: JsonObject;
}

/** What a step would have seen in a run. @throws AppError not_found, conflict */
async function seenIn({ call }: StepContext, step: JsonObject, executionId: string | undefined): Promise<SampleView> {
  if (executionId === undefined) return { trigger: {}, steps: {} };
  const trigger = await triggerOfRun(call, executionId);
  const used = stepsUsed(compileTemplate(step));
  const asked = used === null ? [{}] : used.slice(0, MAX_READ).map((step_id) => ({ step_id }));
  const steps: JsonObject = {};
  for (const filter of asked) {
    const page = await call('executions.detail', { id: executionId, limit: MAX_ROWS, ...filter });
    for (const { step_id, status, output } of page.steps) if (status === 'completed') steps[step_id] = output;
  }
  return { trigger, steps };
}
