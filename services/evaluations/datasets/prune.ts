import { ofTenant } from '../../../lib/tenant';
import type { EvaluationModels, RowRecord } from '../models';
import type { QueryFilter } from 'mongoose';

/** An evaluation that begins meanwhile may need older rows. */
const MIN_AGE_MS = 600_000;

/**
 * Revisions whose rows are needed, as ranges `[after, until]` between them: a version that begins after the one and ends at
 * the other or before is in none of the revisions. Pure.
 */
export function unusedRanges(needed: readonly number[], current: number): { after: number; until: number }[] {
  const ordered = [...new Set(needed)].filter((revision) => revision < current).sort((a, b) => a - b);
  return [...ordered, current].map((until, index) => ({ after: ordered[index - 1] ?? -1, until }));
}

/** Removes versions of rows that are in no revision that is needed: the current one, and those of evaluations. */
export async function pruneRows(
  models: Pick<EvaluationModels, 'datasets' | 'rows' | 'evaluations'>,
  tenantId: string,
  datasetId: string,
  now: number,
): Promise<number> {
  const dataset = await ofTenant(models.datasets, tenantId).findOne({ _id: datasetId });
  if (dataset === null) return 0;
  const uses = await ofTenant(models.evaluations, tenantId).find(
    { dataset_id: datasetId },
    { fields: ['dataset_revision'] },
  );
  const ranges = unusedRanges(
    uses.map(({ dataset_revision }) => dataset_revision),
    dataset.revision,
  );
  let removed = 0;
  for (const { after, until } of ranges) {
    const filter: QueryFilter<RowRecord> = {
      dataset_id: datasetId,
      from: { $gt: after },
      to: { $lte: until },
      closed_at: { $lt: new Date(now - MIN_AGE_MS) },
    };
    removed += await ofTenant(models.rows, tenantId).remove(filter);
  }
  return removed;
}
