import type { QueryFilter } from 'mongoose';
import type { RowRecord } from '../models';

/** A state of the rows of a data set. `aborted`: changes that were not completed. */
export interface Revision {
  readonly dataset_id: string;
  readonly revision: number;
  readonly aborted: readonly number[];
}

/** The rows of a revision. Ignores what changes wrote that were not completed. */
export function rowsOf({ dataset_id, revision, aborted }: Revision): QueryFilter<RowRecord> {
  if (aborted.length === 0) return { dataset_id, from: { $lte: revision }, to: { $gt: revision } };
  const among = [...aborted];
  return {
    dataset_id,
    from: { $lte: revision, $nin: among },
    $or: [{ to: { $gt: revision } }, { to: { $in: among } }],
  };
}
