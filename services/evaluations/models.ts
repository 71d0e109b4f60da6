import { type Connection, type Model, Schema } from 'mongoose';
import {
  durableOptions,
  optionalText,
  type Owned,
  ownedFields,
  requiredDate,
  requiredNumber,
  requiredText,
} from '../../lib/tenant';
import { DUE_INDEX, leaseFields } from '../../mixins/leased-work/fields';
import type { LeaseFields } from '../../mixins/leased-work/lease';
import { type UploadPart, uploadPartSchema } from '../../mixins/uploads';
import type { EvaluationStatus } from '../../contracts/evaluations/views';

/** `to` of rows that are in the newest revision. */
export const OPEN = Number.MAX_SAFE_INTEGER;

/**
 * A data set. A change of its rows has a number of its own, which becomes the `revision` in one write at its end. A change
 * that was not completed has its number in `aborted`: readers ignore what it wrote.
 */
export interface DatasetRecord extends Owned {
  name: string;
  description: string | null;
  revision: number;
  /** The highest number that a change has. */
  last_change: number;
  aborted: number[];
  /** The change in progress; null for none. */
  writer: string | null;
  /** When other changes may abort it. */
  writer_until: Date | null;
  writer_change: number | null;
  rows: number;
  bytes: number;
  /** Position of the next row. */
  next_n: number;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

/** A version of a row: in the revisions from `from` on and below `to`. Never changed otherwise. */
export interface RowRecord extends Owned {
  dataset_id: string;
  row_id: string;
  n: number;
  from: number;
  to: number;
  /** When a change replaced it. */
  closed_at: Date | null;
  /** JSON texts; `expected` is null where nothing is expected. */
  input: string;
  expected: string | null;
  tags: string[];
  bytes: number;
}

export interface EvaluationRecord extends Owned, LeaseFields {
  name: string;
  status: EvaluationStatus;
  error: string | null;
  dataset_id: string;
  dataset_name: string;
  dataset_revision: number;
  /** Changes that were not completed at the time of the revision, see DatasetRecord. */
  dataset_aborted: number[];
  tag: string | null;
  /** Rows of the revision, with the tag if there is one. */
  total: number;
  workflow_id: string;
  workflow_name: string;
  env: string;
  /** As asked for: `live`, `draft` or a number. */
  version: string;
  dsl_hash: string;
  plan_hash: string;
  input_as: 'body' | 'trigger';
  writes: 'suppress' | 'allow' | 'pinned';
  pinned: string[];
  suppressed: string[];
  concurrency: number;
  row_timeout_ms: number;
  /** Metric[] as JSON. */
  metrics: string;
  gates: string[];
  budget_usd: number | null;
  budget_tokens: number | null;
  /** The records of the results are there. */
  prepared: boolean;
  /** Results that failed are to be reset before the work continues. */
  rerun: boolean;
  /** A person has asked for its end. */
  cancelling: boolean;
  done: number;
  /** EvaluationSummary as JSON. */
  summary: string;
  created_by: string;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
}

/** The result of a row. `_id` is derived from the evaluation and the version of the row. */
export interface ResultRecord extends Owned {
  evaluation_id: string;
  n: number;
  row_id: string;
  /** Id of the RowRecord. */
  version_id: string;
  state: 'pending' | 'done' | 'cancelled' | 'skipped';
  attempt: number;
  execution_id: string | null;
  run_status: 'completed' | 'failed' | 'cancelled' | 'timed_out' | 'refused' | null;
  run_error: string | null;
  duration_ms: number | null;
  /** Of the run. */
  tokens: number;
  cost_usd: number;
  judge_tokens: number;
  judge_cost_usd: number;
  /** The beginning of the output, as JSON. */
  output: string;
  output_truncated: boolean;
  /** MetricResult[] as JSON. */
  metrics: string;
  failed_metrics: string[];
  has_error: boolean;
  score: number | null;
  passed: boolean | null;
}

const options = (collection: string) => ({ ...durableOptions, collection });
const number = { type: Number, default: 0 } as const;
const optionalNumber = { type: Number, default: null } as const;
const optionalDate = { type: Date, default: null } as const;
const flag = { type: Boolean, default: false } as const;

const datasetSchema = new Schema<DatasetRecord>(
  {
    ...ownedFields,
    name: requiredText,
    description: optionalText,
    revision: requiredNumber,
    last_change: requiredNumber,
    aborted: { type: [Number], default: [] },
    writer: optionalText,
    writer_until: optionalDate,
    writer_change: optionalNumber,
    rows: requiredNumber,
    bytes: requiredNumber,
    next_n: requiredNumber,
    created_by: requiredText,
    created_at: requiredDate,
    updated_at: requiredDate,
  },
  options('datasets'),
).index({ tenant_id: 1, name: 1 }, { unique: true });

const rowSchema = new Schema<RowRecord>(
  {
    ...ownedFields,
    dataset_id: requiredText,
    row_id: requiredText,
    n: requiredNumber,
    from: requiredNumber,
    to: requiredNumber,
    closed_at: optionalDate,
    input: requiredText,
    expected: optionalText,
    tags: { type: [String], default: [] },
    bytes: requiredNumber,
  },
  options('dataset_rows'),
)
  .index({ tenant_id: 1, dataset_id: 1, n: 1 })
  .index({ tenant_id: 1, dataset_id: 1, row_id: 1 });

const evaluationSchema = new Schema<EvaluationRecord>(
  {
    ...ownedFields,
    ...leaseFields,
    name: requiredText,
    status: requiredText,
    error: optionalText,
    dataset_id: requiredText,
    dataset_name: requiredText,
    dataset_revision: requiredNumber,
    dataset_aborted: { type: [Number], default: [] },
    tag: optionalText,
    total: requiredNumber,
    workflow_id: requiredText,
    workflow_name: requiredText,
    env: requiredText,
    version: requiredText,
    dsl_hash: requiredText,
    plan_hash: requiredText,
    input_as: requiredText,
    writes: requiredText,
    pinned: { type: [String], default: [] },
    suppressed: { type: [String], default: [] },
    concurrency: requiredNumber,
    row_timeout_ms: requiredNumber,
    metrics: requiredText,
    gates: { type: [String], default: [] },
    budget_usd: optionalNumber,
    budget_tokens: optionalNumber,
    prepared: flag,
    rerun: flag,
    cancelling: flag,
    done: number,
    summary: requiredText,
    created_by: requiredText,
    created_at: requiredDate,
    started_at: optionalDate,
    ended_at: optionalDate,
  },
  options('evaluations'),
)
  .index({ tenant_id: 1, created_at: -1, _id: 1 })
  .index({ tenant_id: 1, workflow_id: 1, created_at: -1, _id: 1 })
  .index({ tenant_id: 1, dataset_id: 1, created_at: -1, _id: 1 })
  .index(...DUE_INDEX);

const resultSchema = new Schema<ResultRecord>(
  {
    ...ownedFields,
    evaluation_id: requiredText,
    n: requiredNumber,
    row_id: requiredText,
    version_id: requiredText,
    state: requiredText,
    attempt: requiredNumber,
    execution_id: optionalText,
    run_status: optionalText,
    run_error: optionalText,
    duration_ms: optionalNumber,
    tokens: number,
    cost_usd: number,
    judge_tokens: number,
    judge_cost_usd: number,
    output: { type: String, default: 'null' },
    output_truncated: flag,
    metrics: { type: String, default: '[]' },
    failed_metrics: { type: [String], default: [] },
    has_error: flag,
    score: optionalNumber,
    passed: { type: Boolean, default: null },
  },
  options('evaluation_results'),
)
  .index({ tenant_id: 1, evaluation_id: 1, n: 1 })
  .index({ tenant_id: 1, evaluation_id: 1, state: 1, n: 1 })
  .index({ tenant_id: 1, evaluation_id: 1, score: 1, _id: 1 });

const uploadSchema = uploadPartSchema('dataset_uploads');

/** The collections that this service owns. */
export interface EvaluationModels {
  readonly datasets: Model<DatasetRecord>;
  readonly rows: Model<RowRecord>;
  readonly evaluations: Model<EvaluationRecord>;
  readonly results: Model<ResultRecord>;
  readonly uploads: Model<UploadPart>;
}

export const evaluationModels = (db: Connection): EvaluationModels => ({
  datasets: db.model<DatasetRecord>('dataset', datasetSchema),
  rows: db.model<RowRecord>('dataset_row', rowSchema),
  evaluations: db.model<EvaluationRecord>('evaluation', evaluationSchema),
  results: db.model<ResultRecord>('evaluation_result', resultSchema),
  uploads: db.model<UploadPart>('dataset_upload', uploadSchema),
});
