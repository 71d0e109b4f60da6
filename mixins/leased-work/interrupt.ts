import type { QueryFilter, UpdateQuery } from 'mongoose';
import type { Owned, TenantScope } from '../../lib/tenant';
import type { LeaseFields } from './lease';

/** A worker may claim or release the record between the two updates. */
const MAX_ATTEMPTS = 3;

/**
 * Changes a fence field of a record (see Lease), so that a worker with a lease on it stops. The worker's next write fails,
 * and the worker releases the record. The new work therefore starts after the last write of the old one.
 * Returns the changed record; null if none matches the filter.
 */
export async function interrupt<T extends Owned & LeaseFields>(
  records: TenantScope<T>,
  filter: QueryFilter<T>,
  $set: UpdateQuery<T>['$set'],
  now: Date,
): Promise<T | null> {
  for (let n = 0; n < MAX_ATTEMPTS; n++) {
    const change = async (owner: object | null, $change: object): Promise<T | null> =>
      records.update({ ...filter, owner }, { $set: { ...$change, attempts: 0 } });
    const changed = (await change(null, { ...$set, due_at: now })) ?? (await change({ $ne: null }, { ...$set }));
    if (changed !== null) return changed;
  }
  return null;
}
