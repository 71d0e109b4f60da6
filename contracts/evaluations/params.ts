import { pageParams } from '../../lib/page';
import { PART_BYTES } from '../files';
import { id, typed } from '../rules';
import { EVALUATION_STATUSES } from './views';
import type { Json } from '../../lib/json';

const optional = { optional: true } as const;

const MAX_ROWS_PER_REQUEST = 500;
const MAX_RUNS_PER_REQUEST = 1_000;
const MAX_METRICS = 20;
const MAX_GATES = 20;
const MAX_CONCURRENCY = 50;

const name = { type: 'string', trim: true, min: 1, max: 200 } as const;
const description = { type: 'string', max: 10_000, ...optional } as const;
const cursor = { type: 'string', min: 1, max: 2_000, ...optional } as const;
const json = { type: 'any', nullable: true, ...optional } as const;

export const createDatasetParams = { name, description } as const;
export const updateDatasetParams = { id, name: { ...name, ...optional }, description } as const;

export const listDatasetsParams = { ...pageParams, q: { type: 'string', trim: true, max: 200, ...optional } } as const;

const tags = { type: 'array', items: { type: 'string', trim: true, min: 1, max: 50 }, max: 20, ...optional } as const;

export const rowsParams = {
  id,
  ...pageParams,
  cursor,
  revision: { type: 'number', integer: true, min: 0, convert: true, ...optional },
  tag: { type: 'string', trim: true, min: 1, max: 50, ...optional },
} as const;

/** A row as it is sent. `expected` is absent where nothing is expected. */
interface RowGiven {
  id?: string;
  input?: Json;
  expected?: Json;
  tags?: string[];
}

export const addRowsParams = {
  id,
  rows: typed<RowGiven[]>()({ type: 'array', min: 1, max: MAX_ROWS_PER_REQUEST, items: { type: 'object' } }),
} as const;

const rowId = { type: 'string', min: 1, max: 100 } as const;

export const putRowParams = { id, row_id: rowId, input: json, expected: json, tags } as const;
export const removeRowParams = { id, row_id: rowId } as const;

export const addFromRunsParams = {
  id,
  query: { type: 'string', min: 1, max: 100_000, ...optional },
  execution_ids: { type: 'array', items: id, min: 1, max: MAX_RUNS_PER_REQUEST, ...optional },
  limit: { type: 'number', integer: true, min: 1, max: MAX_RUNS_PER_REQUEST, ...optional },
  take: { type: 'enum', values: ['input', 'trigger'], ...optional },
  expected: { type: 'enum', values: ['output', 'none'], ...optional },
  rating: { type: 'string', min: 1, max: 100, ...optional },
  step_id: { type: 'string', min: 1, max: 200, ...optional },
  tags,
} as const;

export const uploadId = { type: 'uuid' } as const;
const count = { type: 'number', integer: true, min: 0, max: Number.MAX_SAFE_INTEGER } as const;

export const beginUploadParams = typed<{
  dataset_id: string;
  upload_id: string;
  filename: string;
  content_type: string;
  announced: number | null;
}>()({
  dataset_id: id,
  upload_id: uploadId,
  filename: { type: 'string', max: 1_000 },
  content_type: { type: 'string', max: 1_000 },
  announced: { type: 'number', nullable: true, ...optional },
});

export const putUploadParams = {
  upload_id: uploadId,
  n: count,
  data: { type: 'string', max: Math.ceil(PART_BYTES / 3) * 4 },
} as const;

export const commitUploadParams = {
  dataset_id: id,
  upload_id: uploadId,
  size: count,
  format: { type: 'enum', values: ['csv', 'json', 'jsonl'], ...optional },
  columns: { type: 'record', key: 'string', value: { type: 'string', max: 300 }, ...optional },
} as const;

export const createEvaluationParams = {
  name: { ...name, ...optional },
  dataset_id: id,
  workflow_id: id,
  version: {
    type: 'multi',
    rules: [
      { type: 'enum', values: ['live', 'draft'] },
      { type: 'number', integer: true, min: 1 },
    ],
    ...optional,
  },
  input_as: { type: 'enum', values: ['body', 'trigger'], ...optional },
  tag: { type: 'string', trim: true, min: 1, max: 50, ...optional },
  writes: { type: 'enum', values: ['suppress', 'allow', 'pinned'], ...optional },
  pins: { type: 'record', key: 'string', value: 'object', ...optional },
  concurrency: { type: 'number', integer: true, min: 1, max: MAX_CONCURRENCY, ...optional },
  row_timeout_seconds: { type: 'number', integer: true, min: 1, max: 86_400, ...optional },
  metrics: { type: 'array', items: { type: 'object' }, min: 1, max: MAX_METRICS },
  gates: { type: 'array', items: { type: 'string', min: 1, max: 200 }, max: MAX_GATES, ...optional },
  budget: {
    type: 'object',
    ...optional,
    props: {
      cost_usd: { type: 'number', positive: true, ...optional },
      tokens: { type: 'number', integer: true, min: 1, ...optional },
    },
  },
} as const;

export const listEvaluationsParams = {
  ...pageParams,
  cursor,
  dataset_id: { ...id, ...optional },
  workflow_id: { ...id, ...optional },
  status: { type: 'enum', values: [...EVALUATION_STATUSES], ...optional },
} as const;

export const resultsParams = {
  id,
  ...pageParams,
  cursor,
  outcome: { type: 'enum', values: ['passed', 'failed', 'error'], ...optional },
  failed_metric: { type: 'string', min: 1, max: 100, ...optional },
  sort: { type: 'enum', values: ['row', 'score', '-score'], ...optional },
} as const;

export const compareParams = {
  id,
  other: id,
  limit: { type: 'number', integer: true, min: 1, max: 200, convert: true, ...optional },
} as const;
