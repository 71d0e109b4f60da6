import type { Model } from 'mongoose';
import type { DocumentRecord } from '../models';

/** What a base has, in numbers. `bytes` as the plan counts them. */
export interface BaseFigures {
  readonly documents: number;
  readonly chunks: number;
  readonly bytes: number;
}

export const NO_FIGURES: BaseFigures = { documents: 0, chunks: 0, bytes: 0 };

/** Figures of bases, counted from their documents, so that they cannot drift. Of an empty one there are none. */
export async function figuresOf(
  documents: Model<DocumentRecord>,
  tenantId: string,
  baseIds: readonly string[],
): Promise<ReadonlyMap<string, BaseFigures>> {
  if (baseIds.length === 0) return new Map();
  const sums = await documents
    .aggregate<BaseFigures & { _id: string }>([
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
  return new Map(sums.map(({ _id, ...figures }) => [_id, figures]));
}

/** Bytes of all that a tenant keeps, as the plan counts them, and how many documents that is. */
export async function bytesOfTenant(
  documents: Model<DocumentRecord>,
  tenantId: string,
): Promise<{ bytes: number; documents: number }> {
  const [sum] = await documents
    .aggregate<{ bytes: number; documents: number }>([
      { $match: { tenant_id: tenantId } },
      { $group: { _id: null, bytes: { $sum: '$bytes' }, documents: { $sum: 1 } } },
    ])
    .exec();
  return { bytes: sum?.bytes ?? 0, documents: sum?.documents ?? 0 };
}
