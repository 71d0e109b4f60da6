import { ofTenant } from '../../../lib/tenant';
import type { MetricResult } from '../../../contracts/evaluations/views';
import type { EvaluationModels, EvaluationRecord, ResultRecord } from '../models';
import type { Metric } from '../metrics/definition';
import { SummaryBuilder } from '../rules/summary';
import { UNFINISHED } from './prepare';

const BATCH = 500;
const COUNTED = [
  'n',
  'run_status',
  'duration_ms',
  'tokens',
  'cost_usd',
  'judge_tokens',
  'judge_cost_usd',
  'score',
  'passed',
  'has_error',
  'metrics',
] as const;

/** The sums of the results that are there. */
export async function countDone(
  models: Pick<EvaluationModels, 'results'>,
  { _id, tenant_id }: Pick<EvaluationRecord, '_id' | 'tenant_id'>,
  metrics: readonly Metric[],
): Promise<SummaryBuilder> {
  const builder = new SummaryBuilder(metrics);
  const own = ofTenant(models.results, tenant_id);
  let after = 0;
  for (;;) {
    const filter = { evaluation_id: _id, state: 'done' as const, n: { $gt: after } };
    const batch = await own.find(filter, { sort: { n: 1 }, limit: BATCH, fields: COUNTED });
    for (const result of batch) builder.add({ ...result, metrics: JSON.parse(result.metrics) as MetricResult[] });
    if (batch.length < BATCH) return builder;
    after = (batch.at(-1) as ResultRecord).n;
  }
}

/** Results that are to be made, in the order of the rows. */
export function pendingResults(
  models: Pick<EvaluationModels, 'results'>,
  { _id, tenant_id }: Pick<EvaluationRecord, '_id' | 'tenant_id'>,
  after: number,
  limit: number,
): Promise<ResultRecord[]> {
  return ofTenant(models.results, tenant_id).find(
    { evaluation_id: _id, state: 'pending', n: { $gt: after } },
    { sort: { n: 1 }, limit },
  );
}

/** Makes results pending that failed, or were not made. Each gets a new run. May be repeated. */
export async function resetFailed(
  { results }: Pick<EvaluationModels, 'results'>,
  { _id, tenant_id }: Pick<EvaluationRecord, '_id' | 'tenant_id'>,
): Promise<void> {
  const failed = [
    { state: 'done' as const, has_error: true },
    { state: { $in: ['cancelled' as const, 'skipped' as const] } },
  ];
  const change = { $set: UNFINISHED, $inc: { attempt: 1 } };
  for (const filter of failed) await results.updateMany({ tenant_id, evaluation_id: _id, ...filter }, change).exec();
}
