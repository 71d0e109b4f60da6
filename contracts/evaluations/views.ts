import * as s from '../../lib/schema';

export const EVALUATION_STATUSES = [
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
  'budget_exceeded',
] as const;
export type EvaluationStatus = (typeof EVALUATION_STATUSES)[number];

export const DatasetView = s.named(
  'DatasetView',
  s.object({
    id: s.text,
    name: s.text,
    description: s.text.nullable(),
    revision: s.number.about('Increases with every change of the rows.'),
    rows: s.number,
    bytes: s.number.about('Of the rows, as JSON.'),
    created_by: s.text,
    created_at: s.text,
    updated_at: s.text,
  }),
  'A set of inputs with the outputs that are expected for them.',
);
export type DatasetView = s.Infer<typeof DatasetView>;

export const DatasetTags = s.named(
  'DatasetTags',
  s.object({
    tags: s.array(s.object({ tag: s.text, rows: s.number })).about('The most frequent ones first, at most 200.'),
  }),
  'The tags of the rows of a data set.',
);
export type DatasetTags = s.Infer<typeof DatasetTags>;

export const DatasetRow = s.named(
  'DatasetRow',
  s.object({
    id: s.text.about('Unique in the data set.'),
    input: s.json,
    expected: s.json.optional().about('Absent where nothing is expected.'),
    tags: s.array(s.text),
  }),
  'A row of a data set.',
);
export type DatasetRow = s.Infer<typeof DatasetRow>;

export const RowsChange = s.named(
  'RowsChange',
  s.object({
    revision: s.number.about('The revision of the data set with the change.'),
    rows: s.number.about('Rows of the data set.'),
    added: s.number,
    replaced: s.number.about('Rows whose id was there already.'),
    unchanged: s.number.about('Rows that were there already, just the same.'),
  }),
  'The effect of a change of rows.',
);
export type RowsChange = s.Infer<typeof RowsChange>;

export const RowsFromRuns = s.named(
  'RowsFromRuns',
  RowsChange.extend({
    skipped: s.array(s.object({ execution_id: s.text, reason: s.text })).about('Runs that made no row.'),
  }),
);
export type RowsFromRuns = s.Infer<typeof RowsFromRuns>;

const MetricSummary = s.named(
  'MetricSummary',
  s.object({
    name: s.text,
    type: s.text,
    threshold: s.number,
    mean: s.number.nullable().about('Of the scores, from 0 to 1; null before the first row.'),
    pass_rate: s.number.nullable(),
    passed: s.number,
    errors: s.number.about('Rows whose metric failed to evaluate; they have the score 0.'),
  }),
  'A metric over all evaluated rows.',
);
export const EvaluationSummary = s.named(
  'EvaluationSummary',
  s.object({
    rows: s.number.about('Evaluated so far.'),
    passed: s.number.about('Rows that pass every metric.'),
    run_failures: s.number.about('Rows whose run did not complete.'),
    errors: s.number.about('Rows with a metric that failed to evaluate.'),
    score: s.number.nullable().about('The mean of the scores of the rows; null before the first.'),
    pass_rate: s.number.nullable(),
    latency: s.object({
      mean_ms: s.number.nullable(),
      p50_ms: s.number.nullable(),
      p95_ms: s.number.nullable(),
    }),
    tokens: s.number.about('Of runs and judges.'),
    cost_usd: s.number.about('Of runs and judges.'),
    judge_tokens: s.number,
    judge_cost_usd: s.number,
    metrics: s.array(MetricSummary),
  }),
  'The rows evaluated so far, together.',
);
export type EvaluationSummary = s.Infer<typeof EvaluationSummary>;

export const GateResult = s.named(
  'GateResult',
  s.object({
    gate: s.text,
    value: s.number.nullable(),
    passed: s.boolean.nullable().about('Null until the evaluation has ended.'),
  }),
);
export type GateResult = s.Infer<typeof GateResult>;

export const EvaluationRow = s.named(
  'EvaluationRow',
  s.object({
    id: s.text,
    name: s.text,
    status: s.words(...EVALUATION_STATUSES),
    error: s.text.nullable().about('Why the evaluation failed.'),
    dataset_id: s.text,
    dataset_name: s.text,
    dataset_revision: s.number.about('The rows are evaluated as they were in this revision.'),
    workflow_id: s.text,
    workflow_name: s.text,
    version: s.union(s.number, s.words('live', 'draft')).about('What was evaluated, as asked for.'),
    dsl_hash: s.text.about('Of the document that was evaluated.'),
    progress: s.object({ total: s.number, done: s.number }),
    passed: s.boolean.nullable().about('Every gate passed; null without gates, and until the evaluation has ended.'),
    summary: EvaluationSummary,
    created_by: s.text,
    created_at: s.text,
    started_at: s.text.nullable(),
    ended_at: s.text.nullable(),
  }),
  'An evaluation in lists.',
);
export type EvaluationRow = s.Infer<typeof EvaluationRow>;

export const EvaluationDetail = s.named(
  'EvaluationDetail',
  EvaluationRow.extend({
    metrics: s.array(s.jsonObject),
    gates: s.array(GateResult),
    budget: s.object({ cost_usd: s.number.nullable(), tokens: s.number.nullable() }),
    concurrency: s.number,
    row_timeout_seconds: s.number,
    input_as: s.words('body', 'trigger'),
    tag: s.text.nullable().about('Only rows with this tag are evaluated.'),
    writes: s.words('suppress', 'allow', 'pinned'),
    pinned: s.array(s.text).about('Steps that do not run because they have a pinned output.'),
    suppressed: s.array(s.text).about('Steps that do not run because they would change something outside.'),
  }),
  'An evaluation of a workflow over the rows of a data set.',
);
export type EvaluationDetail = s.Infer<typeof EvaluationDetail>;

export const MetricResult = s.named(
  'MetricResult',
  s.object({
    name: s.text,
    score: s.number.about('From 0 to 1.'),
    passed: s.boolean,
    error: s.text.nullable().about('Why the metric could not be evaluated; the score is 0.'),
    reason: s.text.nullable().about('What a judge or a comparison says.'),
  }),
);
export type MetricResult = s.Infer<typeof MetricResult>;

export const EvaluationResult = s.named(
  'EvaluationResult',
  s.object({
    row_id: s.text,
    state: s.words('pending', 'done', 'cancelled', 'skipped').about('`skipped`: the evaluation ended before.'),
    execution_id: s.text.nullable().about('The run; runs of evaluations are removed after three days.'),
    run_status: s.words('completed', 'failed', 'cancelled', 'timed_out', 'refused').nullable(),
    run_error: s.text.nullable(),
    input: s.json,
    expected: s.json.optional(),
    tags: s.array(s.text),
    output: s.json.about('The beginning of a long output.'),
    output_truncated: s.boolean,
    score: s.number.nullable().about('The mean of the scores of the metrics.'),
    passed: s.boolean.nullable(),
    metrics: s.array(MetricResult),
    duration_ms: s.number.nullable(),
    tokens: s.number,
    cost_usd: s.number,
    attempt: s.number.about('Increases when the row is run again by `rerun-failed`.'),
  }),
  'A row of an evaluation.',
);
export type EvaluationResult = s.Infer<typeof EvaluationResult>;

const Difference = s.object({
  name: s.text.about('Of the metric; `score` is the mean of all.'),
  mean_a: s.number,
  mean_b: s.number,
  difference: s.number.about('`mean_b - mean_a`.'),
  low: s.number.about('Lower end of the 95 % confidence interval of the difference (paired bootstrap).'),
  high: s.number,
  pass_rate_a: s.number,
  pass_rate_b: s.number,
  only_a_passed: s.number,
  only_b_passed: s.number,
  p_passes: s.number.about("P value of McNemar's exact test of passes, two-sided."),
  p_scores: s.number.about('P value of the Wilcoxon signed-rank test of scores, two-sided.'),
  significant: s.boolean.about('`p_scores` is below 0.05; where all scores are 0 or 1, `p_passes`.'),
});

const MovedRow = s.object({
  row_id: s.text,
  score_a: s.number,
  score_b: s.number,
  difference: s.number,
  execution_a: s.text.nullable(),
  execution_b: s.text.nullable(),
});

export const EvaluationComparison = s.named(
  'EvaluationComparison',
  s.object({
    a: EvaluationRow,
    b: EvaluationRow,
    pairs: s.number.about('Rows that both have evaluated, and that are the same in both revisions.'),
    unpaired: s.number.about('Other rows of either.'),
    metrics: s.array(Difference).about('First the score of the rows, then the metrics that both have.'),
    better: s.object({ total: s.number, rows: s.array(MovedRow) }),
    worse: s.object({ total: s.number, rows: s.array(MovedRow) }),
  }),
  'Two evaluations over the same data set.',
);
export type EvaluationComparison = s.Infer<typeof EvaluationComparison>;
