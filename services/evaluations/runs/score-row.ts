import { backoffMs } from '../../../lib/backoff';
import { errorMessage } from '../../../lib/errors';
import type { Json } from '../../../lib/json';
import { beginningOf } from '../../../lib/json/beginning';
import { addUsd } from '../../../lib/usd';
import type { MetricResult } from '../../../contracts/evaluations/views';
import { judge } from '../metrics/judge';
import type { Metric, Subject } from '../metrics/definition';
import { type MetricWorld, type ScoredMetric, scoreMetric } from '../metrics/score';
import type { EvaluationRecord, ResultRecord, RowRecord } from '../models';
import type { WorkDeps } from './deps';
import type { EndedRun } from './run-row';

/** Characters of an output that are kept. */
const MAX_OUTPUT_CHARS = 16 * 1024;
const MAX_ERROR_CHARS = 2_000;
const RETRY = { firstMs: 500, maxMs: 10_000 };
const MAX_TRIES = 5;

/** The fields of the result of a row whose run has ended. */
export async function scoreRow(
  deps: WorkDeps,
  evaluation: EvaluationRecord,
  metrics: readonly Metric[],
  row: Pick<RowRecord, 'input' | 'expected'>,
  run: EndedRun,
  signal: AbortSignal,
): Promise<Partial<ResultRecord> & { readonly scored: readonly MetricResult[] }> {
  const subject: Subject = {
    input: JSON.parse(row.input) as Json,
    expected: row.expected === null ? undefined : (JSON.parse(row.expected) as Json),
    output: run.output,
    run: run.facts,
  };
  const world = worldOf(deps, evaluation, signal);
  const results: ScoredMetric[] = [];
  for (const metric of metrics) results.push(await scoreWithRetries(deps, world, metric, subject));
  const scored = results.map(({ result }) => result);
  const { value, truncated } = beginningOf(run.output, MAX_OUTPUT_CHARS);
  const { status, error, duration_ms, tokens, cost_usd } = run.facts;
  return {
    state: 'done',
    execution_id: run.executionId,
    run_status: status,
    run_error: error?.slice(0, MAX_ERROR_CHARS) ?? null,
    duration_ms,
    tokens,
    cost_usd,
    judge_tokens: results.reduce((sum, each) => sum + each.tokens, 0),
    judge_cost_usd: results.reduce((sum, each) => addUsd(sum, each.cost_usd), 0),
    output: JSON.stringify(value),
    output_truncated: truncated,
    metrics: JSON.stringify(scored),
    failed_metrics: scored.filter(({ passed }) => !passed).map(({ name }) => name),
    has_error: status !== 'completed' || scored.some((each) => each.error !== null),
    score: scored.reduce((sum, { score }) => sum + score, 0) / Math.max(1, scored.length),
    passed: scored.every(({ passed }) => passed),
    scored,
  };
}

function worldOf({ app, call }: WorkDeps, { tenant_id }: EvaluationRecord, signal: AbortSignal): MetricWorld {
  return {
    compute: app.compute.lane(tenant_id),
    sandbox: app.sandbox.lane(tenant_id),
    now: () => app.clock.now(),
    signal,
    judge: (metric, subject) => judge(call, tenant_id, metric, subject),
  };
}

/** Repeats a metric whose fault may pass, such as that of a provider; at last it is an error of the row. */
async function scoreWithRetries(
  { app }: WorkDeps,
  world: MetricWorld,
  metric: Metric,
  subject: Subject,
): Promise<ScoredMetric> {
  for (let tries = 1; ; tries += 1) {
    world.signal.throwIfAborted();
    try {
      return await scoreMetric(world, metric, subject);
    } catch (fault) {
      world.signal.throwIfAborted();
      if (tries >= MAX_TRIES) {
        const error = errorMessage(fault).slice(0, MAX_ERROR_CHARS);
        return { result: { name: metric.name, score: 0, passed: false, error, reason: null }, tokens: 0, cost_usd: 0 };
      }
      await new Promise<void>((resolve) => app.clock.after(backoffMs(RETRY, tries, Math.random()), resolve));
    }
  }
}
