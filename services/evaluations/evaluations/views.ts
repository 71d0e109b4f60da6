import type { Json, JsonObject } from '../../../lib/json';
import type {
  EvaluationDetail,
  EvaluationResult,
  EvaluationRow,
  EvaluationSummary,
  MetricResult,
} from '../../../contracts/evaluations/views';
import type { EvaluationRecord, ResultRecord, RowRecord } from '../models';
import { allPassed, gateResults } from '../rules/gates';

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** `7`: the number of a version; else a word. */
const versionOf = (version: string): EvaluationRow['version'] =>
  version === 'live' || version === 'draft' ? version : Number(version);

const gatesOf = ({ gates, status }: EvaluationRecord, summary: EvaluationSummary) =>
  gateResults(gates, summary, status);

export function evaluationRow(record: EvaluationRecord): EvaluationRow {
  const summary = JSON.parse(record.summary) as EvaluationSummary;
  return {
    id: record._id,
    name: record.name,
    status: record.status,
    error: record.error,
    dataset_id: record.dataset_id,
    dataset_name: record.dataset_name,
    dataset_revision: record.dataset_revision,
    workflow_id: record.workflow_id,
    workflow_name: record.workflow_name,
    version: versionOf(record.version),
    dsl_hash: record.dsl_hash,
    progress: { total: record.total, done: record.done },
    passed: allPassed(gatesOf(record, summary)),
    summary,
    created_by: record.created_by,
    created_at: record.created_at.toISOString(),
    started_at: iso(record.started_at),
    ended_at: iso(record.ended_at),
  };
}

export function evaluationDetail(record: EvaluationRecord): EvaluationDetail {
  const row = evaluationRow(record);
  return {
    ...row,
    metrics: JSON.parse(record.metrics) as JsonObject[],
    gates: gatesOf(record, row.summary),
    budget: { cost_usd: record.budget_usd, tokens: record.budget_tokens },
    concurrency: record.concurrency,
    row_timeout_seconds: record.row_timeout_ms / 1_000,
    input_as: record.input_as,
    tag: record.tag,
    writes: record.writes,
    pinned: record.pinned,
    suppressed: record.suppressed,
  };
}

/** `row`: the version of the row that was evaluated. */
export function resultView(result: ResultRecord, row: RowRecord | undefined): EvaluationResult {
  return {
    row_id: result.row_id,
    state: result.state,
    execution_id: result.execution_id,
    run_status: result.run_status,
    run_error: result.run_error,
    input: row === undefined ? null : (JSON.parse(row.input) as Json),
    ...(row === undefined || row.expected === null ? {} : { expected: JSON.parse(row.expected) as Json }),
    tags: row?.tags ?? [],
    output: JSON.parse(result.output) as Json,
    output_truncated: result.output_truncated,
    score: result.score,
    passed: result.passed,
    metrics: JSON.parse(result.metrics) as MetricResult[],
    duration_ms: result.duration_ms,
    tokens: result.tokens + result.judge_tokens,
    cost_usd: result.cost_usd + result.judge_cost_usd,
    attempt: result.attempt,
  };
}
