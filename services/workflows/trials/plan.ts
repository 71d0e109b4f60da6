import { compileSliced, type WorkflowDocument } from '../../../dsl';
import { AppError } from '../../../lib/errors';
import type { JsonObject } from '../../../lib/json';
import { NO_LIMITS } from '../../../lib/json/limits';
import { parseJsonSliced } from '../../../lib/json/parse-sliced';
import type { ActionContext } from '../../../mixins/service';
import type { TrialPlan } from '../../../contracts/workflows/trials';
import type { Definition } from '../definition';
import type { WorkflowRecord } from '../models';
import type { StepTestDeps } from '../run-step-test';
import { trialDocument } from './document';

type Context = Pick<ActionContext<'workflows.trial_plan'>, 'params' | 'tenantId' | 'call'>;

/** The parts of the service that plans of trials use. */
interface TrialPlanParts extends StepTestDeps {
  /** Validates a document. @throws AppError invalid_dsl, payload_too_large */
  readonly define: (ctx: Pick<Context, 'tenantId' | 'call'>, dsl: unknown) => Promise<Definition>;
  /** The document of the draft, or of a saved version, as text. @throws AppError not_found */
  readonly saved: (tenantId: string, workflowId: string, version: string) => Promise<string>;
}

const MAX_NAMED = 10;

/** Plans of trials of documents that are saved. */
export const trialPlans = (parts: TrialPlanParts) => ({
  /** @throws AppError not_found, invalid_dsl, invalid_request, unknown_secret */
  async trialPlan(ctx: Context): Promise<TrialPlan> {
    const { params, tenantId, call } = ctx;
    const { id, version, writes, pins = {} } = params;
    const record = await parts.workflows.get(tenantId, id);
    const text = version === 'live' ? record.dsl : await parts.saved(tenantId, id, version);
    // Stored as the text of an object.
    const dsl = (await parseJsonSliced(text, NO_LIMITS)) as JsonObject;
    const { dslHash } = await parts.define(ctx, dsl);
    const nodeTypes = await parts.tenantNodeTypes.of(tenantId, dsl);
    const rules = { pins: pins as JsonObject, suppressWrites: writes !== 'allow' };
    const { document, pinned, suppressed } = trialDocument(dsl, nodeTypes, rules);
    if (writes === 'pinned') assertPinned(suppressed);
    const plan = await compileSliced(document as unknown as WorkflowDocument, nodeTypes);
    await parts.starts.assertSecrets(call, tenantId, plan.secrets);
    await parts.workflows.putPlan(plan);
    return {
      workflow: { id: record._id, name: record.name, env: record.env },
      plan_hash: plan.hash,
      dsl_hash: dslHash,
      approved: isApproved(record, dslHash) && Object.keys(pins).length === 0,
      pinned,
      suppressed,
    };
  },
});

const isApproved = ({ status, dsl_hash }: WorkflowRecord, dslHash: string): boolean =>
  status === 'active' && dsl_hash === dslHash;

/** @throws AppError invalid_request naming the steps */
function assertPinned(unpinned: readonly string[]): void {
  if (unpinned.length === 0) return;
  const more = unpinned.length > MAX_NAMED ? ` and ${unpinned.length - MAX_NAMED} more` : '';
  throw new AppError(
    'invalid_request',
    `Steps that change something outside have no pin: ${unpinned.slice(0, MAX_NAMED).join(', ')}${more}; give their outputs in "pins", or use "writes": "suppress"`,
    { details: unpinned.map((id) => ({ path: `pins.${id}`, message: 'is missing' })) },
  );
}
