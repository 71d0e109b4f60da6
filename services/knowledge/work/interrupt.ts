import type { QueryFilter, UpdateQuery } from 'mongoose';
import type { Owned, TenantScope } from '../../../lib/tenant';
import type { Work } from '../models';

/** Another process may start or end work between the two queries. */
const TRIES = 3;

/**
 * Changes a record so that there is other work to do on it: `$set` changes one of its marks (see Lease). No worker loses what
 * he is at work on: he sees the change at his next write, stops, and gives the record back. So the other work begins when
 * nothing of his can come any more. Answers the record after the change; null where none matches.
 */
export async function interrupt<T extends Owned & Work>(
  records: TenantScope<T>,
  filter: QueryFilter<T>,
  $set: UpdateQuery<T>['$set'],
  now: Date,
): Promise<T | null> {
  for (let n = 0; n < TRIES; n++) {
    const change = async (owner: object | null, $change: object): Promise<T | null> =>
      records.update({ ...filter, owner }, { $set: { ...$change, attempts: 0 } });
    const changed = (await change(null, { ...$set, due_at: now })) ?? (await change({ $ne: null }, { ...$set }));
    if (changed !== null) return changed;
  }
  return null;
}
