import { compile, validateDocument } from '../../../dsl';
import { AppError, summaryOf } from '../../../lib/errors';
import { assertMaySendSecrets } from '../../../mixins/secret-reference';
import type { ActionContext } from '../../../mixins/service';
import type { App } from '../../app';
import type { StepTestView } from '../../../contracts/workflows/views';
import { type StepTestDeps, runStepTest } from '../run-step-test';
import { type CustomNodeStore, toCustomNode } from './store';

/** The id of the only step of a trial. */
const STEP = 'test';

/** Tries custom nodes. */
export const customNodeTests = (app: App, store: CustomNodeStore, parts: StepTestDeps) => ({
  /** Sends the request for real, as a step of that config would. @throws AppError not_found, invalid_request, unknown_secret */
  async testNode(ctx: ActionContext<'workflows.test_custom_node'>): Promise<StepTestView> {
    const { params, tenantId } = ctx;
    const record = await store.get(tenantId, params.type);
    // The check of params takes null for nothing where a field may be absent.
    const [config, trigger, steps] = [params.config ?? {}, params.trigger ?? {}, params.steps ?? {}];
    const document = {
      id: STEP,
      trigger: { type: 'manual' },
      steps: [{ id: STEP, type: record.type, config, retry: { max_attempts: 1 } }],
    };
    const nodeTypes = await parts.tenantNodeTypes.of(tenantId);
    const { errors } = validateDocument(document, { nodeTypes });
    if (errors.length > 0) throw invalidConfig(errors);
    const plan = compile(document, nodeTypes);
    const node = toCustomNode(record);
    if (plan.secrets.length > 0 && !hasFixedOrigin(node.request.url))
      await assertMaySendSecrets(ctx, 'the address of this node is made of its fields');
    const of = { id: record._id, name: node.label, env: 'dev' as const };
    return runStepTest(app, parts, ctx, { of, plan, stepId: STEP, trigger, steps, loop: null, error: null });
  },
});

/** Whether an address goes to one server, whatever its expressions come to: none stands before the path. */
const hasFixedOrigin = (url: unknown): boolean =>
  typeof url === 'string' && /^https?:\/\/[^/?#{}\\@]+([/?#]|$)/.test(url);

/** The faults as faults of what the caller has sent. */
function invalidConfig(errors: readonly { path: string; message: string; hint?: string }[]): AppError {
  const details = errors.map((error) => ({ ...error, path: error.path.replace('steps[0].', '') }));
  return new AppError('invalid_request', summaryOf(details), { details });
}
