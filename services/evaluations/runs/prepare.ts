import type { Collection } from 'mongodb';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { ofTenant } from '../../../lib/tenant';
import { rowsOf } from '../datasets/visible';
import type { EvaluationModels, EvaluationRecord, ResultRecord, RowRecord } from '../models';
import { resultIdOf } from './ids';

const BATCH = 500;
const FIELDS = ['row_id', 'n'] as const;

/**
 * Makes a record for the result of each row of the revision; those that are there stay. Returns their number, and false when
 * rows of the revision are missing.
 */
export async function prepareResults(
  models: Pick<EvaluationModels, 'rows' | 'results'>,
  evaluation: EvaluationRecord,
): Promise<boolean> {
  const { tenant_id, dataset_id, dataset_revision: revision, dataset_aborted: aborted, tag, total } = evaluation;
  const visible = rowsOf({ dataset_id, revision, aborted });
  let after = 0;
  let made = 0;
  for (;;) {
    const filter = { ...visible, n: { $gt: after }, ...(tag === null ? {} : { tags: tag }) };
    const rows = await ofTenant(models.rows, tenant_id).find(filter, { sort: { n: 1 }, limit: BATCH, fields: FIELDS });
    if (rows.length > 0)
      await insert(
        models,
        rows.map((row) => recordOf(evaluation, row)),
      );
    made += rows.length;
    if (rows.length < BATCH) return made === total;
    after = (rows.at(-1) as RowRecord).n;
  }
}

async function insert(models: Pick<EvaluationModels, 'results'>, records: ResultRecord[]): Promise<void> {
  // Bypasses mongoose, which would validate every field of every record.
  const collection = models.results.collection as unknown as Collection<ResultRecord>;
  await collection.insertMany(records, { ordered: false }).catch((fault: unknown) => {
    // The unordered insert has written all others.
    if (!isDuplicateKey(fault)) throw fault;
  });
}

const recordOf = (
  { _id, tenant_id }: EvaluationRecord,
  row: Pick<RowRecord, '_id' | 'row_id' | 'n'>,
): ResultRecord => ({
  _id: resultIdOf(_id, row._id),
  tenant_id,
  evaluation_id: _id,
  n: row.n,
  row_id: row.row_id,
  version_id: row._id,
  attempt: 1,
  ...UNFINISHED,
});

/** The fields of a result that is to be made. */
export const UNFINISHED = {
  state: 'pending',
  execution_id: null,
  run_status: null,
  run_error: null,
  duration_ms: null,
  tokens: 0,
  cost_usd: 0,
  judge_tokens: 0,
  judge_cost_usd: 0,
  output: 'null',
  output_truncated: false,
  metrics: '[]',
  failed_metrics: [] as string[],
  has_error: false,
  score: null,
  passed: null,
} as const;
