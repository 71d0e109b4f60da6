import { compileSliced, type WorkflowDocument } from '../../../dsl';
import { derivedId } from '../../../lib/ids';
import { parseInstant } from '../../../lib/instant';
import type { JsonObject } from '../../../lib/json';
import { assertMayRunUnapproved } from '../../../mixins/secret-reference';
import type { ActionContext } from '../../../mixins/service';
import { maxWaitMs, type StartCause, type StartedWorkflow } from '../../../mixins/start-run';
import type { App } from '../../app';
import type { ExecutionView } from '../../../contracts/executions/views';
import type { TrialView } from '../../../contracts/workflows/trials';
import type { Definition } from '../definition';
import type { StepTestDeps } from '../run-step-test';
import { trialDocument } from './document';
import { triggerOfRun } from './earlier-run';

/** The parts of the service that trials use. */
interface TrialDeps extends StepTestDeps {
  /** Validates a document. @throws AppError invalid_dsl, payload_too_large */
  readonly define: (ctx: TrialContext, dsl: unknown) => Promise<Definition>;
}

type TrialContext = Pick<ActionContext<'workflows.try'>, 'principal' | 'tenantId' | 'call' | 'folders'>;

/** Runs documents that are not saved. */
export const trials = (app: App, parts: TrialDeps) => ({
  /** @throws AppError invalid_dsl, not_found, forbidden, conflict, unknown_secret, invalid_input, quota_exceeded */
  async tryDocument(ctx: ActionContext<'workflows.try'>): Promise<TrialView> {
    const { params, tenantId, call, requestId } = ctx;
    await assertMayRunUnapproved(ctx, 'publish it, and try it after its approval');
    await parts.define(ctx, params.dsl);
    // The validator takes objects only.
    const dsl = params.dsl as JsonObject;
    const nodeTypes = await parts.tenantNodeTypes.of(tenantId, dsl);
    const { document, pinned, suppressed } = trialDocument(dsl, nodeTypes, {
      untilStep: params.until_step,
      pins: params.pins ?? {},
      suppressWrites: params.suppress_writes === true,
    });
    const of = await subjectOf(app, parts, ctx, dsl, params.workflow_id);
    const { from_execution: from, until_step: until } = params;
    const earlier = from === undefined ? {} : await triggerOfRun(call, from);
    // A part of a document that the language has accepted.
    const now = params.now === undefined ? undefined : parseInstant('now', params.now);
    const plan = await compileSliced(document as unknown as WorkflowDocument, nodeTypes, now);
    await parts.starts.assertSecrets(call, tenantId, plan.secrets);
    await parts.workflows.putPlan(plan);
    const cause: StartCause = {
      type: 'trial',
      trigger: params.trigger ?? earlier,
      requestId,
      record: true,
      ...(from === undefined ? {} : { preload_from: { execution_id: from, only_unchanged: true, ...fromStep(until) } }),
      ...(params.wait === true ? { waitMs: maxWaitMs(app.config.requestTimeoutMs) } : {}),
    };
    const { record } = await parts.starts.start(call, { ...of, tenant_id: tenantId, plan_hash: plan.hash }, cause);
    return { ...(record as ExecutionView), pinned, suppressed };
  },
});

/** What the run counts as: one of its workflow, or of documents of this name. */
export async function subjectOf(
  app: Pick<App, 'keys'>,
  parts: Pick<StepTestDeps, 'workflows'>,
  { tenantId }: Pick<TrialContext, 'tenantId'>,
  dsl: JsonObject,
  workflowId: string | undefined,
): Promise<Pick<StartedWorkflow, 'id' | 'name' | 'env'>> {
  if (workflowId !== undefined) {
    const { _id, name, env } = await parts.workflows.get(tenantId, workflowId);
    return { id: _id, name, env };
  }
  const id = String(dsl.id);
  const name = typeof dsl.name === 'string' ? dsl.name : id;
  return { id: derivedId(app.keys.principal, 'trial', tenantId, id), name, env: 'dev' };
}

/** A step up to which a document is tried runs again. */
const fromStep = (id: string | undefined): { from_step?: string } => (id === undefined ? {} : { from_step: id });
