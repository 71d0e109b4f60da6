import type { Compute } from '../../../lib/compute';
import { AppError } from '../../../lib/errors';
import { ofTenant } from '../../../lib/tenant';
import type { EvaluationComparison, EvaluationSummary, MetricResult } from '../../../contracts/evaluations/views';
import type { EvaluationModels, EvaluationRecord, ResultRecord } from '../models';
import { type ComparedResult, compareTask } from '../rules/compare';
import { evaluationRow } from './views';

const BATCH = 1_000;
const TIMEOUT_MS = 20_000;
const FIELDS = ['n', 'row_id', 'version_id', 'execution_id', 'score', 'passed', 'metrics'] as const;

/** Compares two evaluations of a tenant. @throws AppError conflict for different data sets */
export async function compareEvaluations(
  models: Pick<EvaluationModels, 'results'>,
  compute: Compute,
  a: EvaluationRecord,
  b: EvaluationRecord,
  limit: number,
): Promise<EvaluationComparison> {
  if (a.dataset_id !== b.dataset_id)
    throw new AppError(
      'conflict',
      `The evaluations have different data sets (${a.dataset_name}, ${b.dataset_name}); compare evaluations over the same one`,
    );
  const metrics = namesOf(a).filter((name) => namesOf(b).includes(name));
  const given = { a: await resultsOf(models, a), b: await resultsOf(models, b), metrics, limit };
  const compared = await compute.run(compareTask, given, { timeoutMs: TIMEOUT_MS });
  return { a: evaluationRow(a), b: evaluationRow(b), ...compared };
}

const namesOf = ({ summary }: EvaluationRecord): string[] =>
  (JSON.parse(summary) as EvaluationSummary).metrics.map(({ name }) => name);

async function resultsOf(
  models: Pick<EvaluationModels, 'results'>,
  { _id, tenant_id }: EvaluationRecord,
): Promise<ComparedResult[]> {
  const results: ComparedResult[] = [];
  let after = 0;
  for (;;) {
    const filter = { evaluation_id: _id, state: 'done' as const, n: { $gt: after } };
    const options = { sort: { n: 1 } as const, limit: BATCH, fields: FIELDS };
    const batch = await ofTenant(models.results, tenant_id).find(filter, options);
    results.push(...batch.map(compared));
    if (batch.length < BATCH) return results;
    after = (batch.at(-1) as ResultRecord).n;
  }
}

function compared({ row_id, version_id, execution_id, score, passed, metrics }: ResultRecord): ComparedResult {
  const scored = JSON.parse(metrics) as MetricResult[];
  const scores = Object.fromEntries(scored.map((each) => [each.name, { score: each.score, passed: each.passed }]));
  return { row_id, version_id, execution_id, score: score ?? 0, passed: passed === true, scores };
}
