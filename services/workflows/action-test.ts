import { compile, validateDocument } from '../../dsl';
import { AppError, summaryOf } from '../../lib/errors';
import { derivedId } from '../../lib/ids';
import { assertMaySendSecrets } from '../../mixins/secret-reference';
import type { ActionContext } from '../../mixins/service';
import type { App } from '../app';
import type { StepTestView } from '../../contracts/workflows/views';
import { type StepTestDeps, runStepTest } from './run-step-test';

/** The id of the only step of a trial. */
const STEP = 'test';

/** Tries actions of connectors. */
export const actionTests = (app: App, parts: StepTestDeps) => ({
  /** Does the action for real, as a step of this input would. @throws AppError not_found, invalid_request, unknown_secret */
  async testAction(ctx: ActionContext<'workflows.test_action'>): Promise<StepTestView> {
    const { params, tenantId } = ctx;
    const type = `${params.name}.${params.action}`;
    // The check of params takes null for nothing where a field may be absent.
    const { connection = null } = params;
    const config = { ...params.input, ...(connection === null ? {} : { connection }) };
    const document = {
      id: STEP,
      trigger: { type: 'manual' },
      steps: [{ id: STEP, type, config, retry: { max_attempts: 1 } }],
    };
    const nodeTypes = await parts.tenantNodeTypes.of(tenantId, document);
    if (!nodeTypes.has(type)) throw new AppError('not_found', `There is no action ${params.action} of ${params.name}`);
    const { errors } = validateDocument(document, { nodeTypes });
    if (errors.length > 0) throw invalidInput(errors);
    const plan = compile(document, nodeTypes);
    if (plan.secrets.length > 0) await assertMaySendSecrets(ctx, 'name no secret in "input"');
    // Runs of one action belong together, though to no workflow.
    const of = { id: derivedId(app.keys.principal, 'action', tenantId, type), name: type, env: 'dev' as const };
    const seen = { trigger: {}, steps: {}, loop: null, error: null };
    return runStepTest(app, parts, ctx, { of, plan, stepId: STEP, ...seen });
  },
});

/** The faults as faults of what the caller has sent. */
function invalidInput(errors: readonly { path: string; message: string; hint?: string }[]): AppError {
  const details = errors.map((error) => ({ ...error, path: error.path.replace('steps[0].config', 'input') }));
  return new AppError('invalid_request', summaryOf(details), { details });
}
