import type { Model } from 'mongoose';
import type { DocumentRecord, UploadRecord } from '../models';

/** Totals of a base. `bytes` are the bytes that count against the plan. */
export interface BaseStatistics {
  readonly documents: number;
  readonly chunks: number;
  readonly bytes: number;
}

export const EMPTY_STATISTICS: BaseStatistics = { documents: 0, chunks: 0, bytes: 0 };

/** Computes the totals of bases from their documents. Bases without documents are missing in the result. */
export async function statisticsOf(
  documents: Model<DocumentRecord>,
  tenantId: string,
  baseIds: readonly string[],
): Promise<ReadonlyMap<string, BaseStatistics>> {
  if (baseIds.length === 0) return new Map();
  const sums = await documents
    .aggregate<BaseStatistics & { _id: string }>([
      { $match: { base_id: { $in: [...baseIds] }, state: 'live', tenant_id: tenantId } },
      {
        $group: {
          _id: '$base_id',
          documents: { $sum: 1 },
          chunks: { $sum: '$cut.chunks' },
          bytes: { $sum: '$bytes' },
        },
      },
    ])
    .exec();
  return new Map(sums.map(({ _id, ...statistics }) => [_id, statistics]));
}

/** Sums the bytes of a tenant's documents or of its unfinished uploads, and counts the records. */
export async function bytesOfTenant(
  records: Pick<Model<DocumentRecord> | Model<UploadRecord>, 'aggregate'>,
  tenantId: string,
): Promise<{ bytes: number; documents: number }> {
  const [sum] = await records
    .aggregate<{ bytes: number; documents: number }>([
      { $match: { tenant_id: tenantId } },
      { $group: { _id: null, bytes: { $sum: '$bytes' }, documents: { $sum: 1 } } },
    ])
    .exec();
  return { bytes: sum?.bytes ?? 0, documents: sum?.documents ?? 0 };
}
