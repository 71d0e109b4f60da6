import { AppError, summaryOf } from '../../../lib/errors';
import { timeId } from '../../../lib/ids';
import { ofTenant } from '../../../lib/tenant';
import { assertMayRunUnapproved, assertMaySendSecrets, secretNamed } from '../../../mixins/secret-reference';
import type { ActionContext } from '../../../mixins/service';
import type { App } from '../../app';
import type { Datasets } from '../datasets/store';
import { rowsOf } from '../datasets/visible';
import type { Metric } from '../metrics/definition';
import { readMetrics } from '../metrics/read';
import type { DatasetRecord, EvaluationModels, EvaluationRecord } from '../models';
import { gateFaults } from '../rules/gates';
import { SummaryBuilder } from '../rules/summary';

type Context = Pick<ActionContext<'evaluations.create'>, 'params' | 'tenantId' | 'principal' | 'call'>;

const CONCURRENCY = 5;
const ROW_TIMEOUT_SECONDS = 600;
const MAX_NAME_CHARS = 200;

/**
 * A new evaluation, not stored yet: of the rows as they are now.
 * @throws AppError not_found, forbidden, invalid_request, invalid_dsl, unknown_secret
 */
export async function newEvaluation(
  app: App,
  models: Pick<EvaluationModels, 'rows'>,
  datasets: Datasets,
  ctx: Context,
): Promise<Omit<EvaluationRecord, 'tenant_id'>> {
  const { params, tenantId, call, principal } = ctx;
  const dataset = await datasets.get(tenantId, params.dataset_id);
  const metrics = readMetrics(params.metrics);
  const gates = params.gates ?? [];
  assertGates(gates, metrics);
  await assertJudges(ctx, metrics);
  const total = await countRows(models, tenantId, dataset, params.tag);
  if (total === 0) throw noRows(dataset.name, params.tag);
  const version = String(params.version ?? 'live');
  const writes = params.writes ?? 'suppress';
  const asked = {
    id: params.workflow_id,
    version,
    writes,
    ...(params.pins === undefined ? {} : { pins: params.pins }),
  };
  const plan = await call('workflows.trial_plan', asked, { asServiceOf: tenantId });
  if (!plan.approved) await assertMayRunUnapproved(ctx, 'evaluate the approved live document, without "pins"');
  const now = app.clock.now();
  const { workflow } = plan;
  return {
    _id: timeId(now),
    name: params.name ?? `${workflow.name}: ${dataset.name}`.slice(0, MAX_NAME_CHARS),
    status: 'queued',
    error: null,
    dataset_id: dataset._id,
    dataset_name: dataset.name,
    dataset_revision: dataset.revision,
    dataset_aborted: dataset.aborted,
    tag: params.tag ?? null,
    total,
    workflow_id: workflow.id,
    workflow_name: workflow.name,
    env: workflow.env,
    version,
    dsl_hash: plan.dsl_hash,
    plan_hash: plan.plan_hash,
    input_as: params.input_as ?? 'body',
    writes,
    pinned: plan.pinned,
    suppressed: plan.suppressed,
    concurrency: params.concurrency ?? CONCURRENCY,
    row_timeout_ms: (params.row_timeout_seconds ?? ROW_TIMEOUT_SECONDS) * 1_000,
    metrics: JSON.stringify(metrics),
    gates: [...gates],
    budget_usd: params.budget?.cost_usd ?? null,
    budget_tokens: params.budget?.tokens ?? null,
    prepared: false,
    rerun: false,
    cancelling: false,
    done: 0,
    summary: JSON.stringify(new SummaryBuilder(metrics).summary()),
    created_by: principal?.user_id ?? 'service',
    created_at: new Date(now),
    started_at: null,
    ended_at: null,
    due_at: new Date(now),
    owner: null,
    attempts: 0,
  };
}

/** @throws AppError invalid_request */
function assertGates(gates: readonly string[], metrics: readonly Metric[]): void {
  const faults = gateFaults(
    gates,
    metrics.map(({ name }) => name),
  );
  if (faults.length > 0)
    throw new AppError('invalid_request', `The gates are not valid: ${summaryOf(faults)}`, { details: faults });
}

/**
 * Judges run later, as a service: who may not send a secret to an address of their choice may not do so by a judge.
 * @throws AppError forbidden, unknown_secret
 */
async function assertJudges(ctx: Context, metrics: readonly Metric[]): Promise<void> {
  const names = new Set<string>();
  for (const metric of metrics) {
    if (metric.type !== 'judge' || metric.api_key === null) continue;
    const name = secretNamed(metric.api_key);
    if (name === null)
      throw new AppError(
        'invalid_request',
        `The "api_key" of the metric ${metric.name} must be a secret, such as {{ secret.MODEL_KEY }}, because evaluations are stored and shown`,
      );
    if (metric.base_url !== null)
      await assertMaySendSecrets(ctx, `leave out "base_url" or "api_key" of the metric ${metric.name}`);
    names.add(name);
  }
  if (names.size === 0) return;
  const { names: missing } = await ctx.call('secrets.missing', { names: [...names] }, { asServiceOf: ctx.tenantId });
  if (missing.length > 0)
    throw new AppError('unknown_secret', `Metrics use secrets that do not exist: ${missing.join(', ')}`);
}

function countRows(
  models: Pick<EvaluationModels, 'rows'>,
  tenantId: string,
  { _id, revision, aborted, rows }: DatasetRecord,
  tag: string | undefined,
): Promise<number> {
  if (tag === undefined) return Promise.resolve(rows);
  return ofTenant(models.rows, tenantId).count({ ...rowsOf({ dataset_id: _id, revision, aborted }), tags: tag });
}

const noRows = (name: string, tag: string | undefined): AppError =>
  new AppError(
    'invalid_request',
    tag === undefined
      ? `The data set "${name}" has no rows; add some first`
      : `The data set "${name}" has no rows with the tag ${tag}; use a tag of its rows, or none`,
  );
