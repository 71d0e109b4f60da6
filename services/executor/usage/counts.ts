import type { Filter } from 'mongodb';
import type { Collections } from '../../../runtime/mongo/collections';
import type { ExecutionDocument } from '../../../runtime/mongo/documents';
import { CHILD } from '../../../runtime/mongo/indexes';

/** A period in epoch milliseconds; `to` is exclusive. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

type Executions = Collections['executions'];

/**
 * Counts the metered runs of a tenant that started in a period. Uses index keys only. Children are counted first: a child
 * that is stored between the two counts makes the result too high for a moment, never too low.
 */
export async function countRuns(
  executions: Executions,
  tenantId: string,
  { from, to }: Stretch,
  except: readonly string[] = [],
): Promise<number> {
  const window: Filter<ExecutionDocument> = {
    tenant_id: tenantId,
    started_at: { $gte: new Date(from), $lt: new Date(to) },
    ...(except.length === 0 ? {} : { _id: { $nin: [...except] } }),
  };
  if (to <= from) return 0;
  const children = await executions.countDocuments({ ...window, ...CHILD });
  return (await executions.countDocuments(window)) - children;
}

/** When the first run of a tenant in a period started; null without runs. Uses one index key. */
export async function firstStart(
  executions: Executions,
  tenantId: string,
  { from, to }: Stretch,
): Promise<number | null> {
  const window = { tenant_id: tenantId, started_at: { $gte: new Date(from), $lt: new Date(to) } };
  const [first] = await executions
    .find(window)
    .sort({ started_at: 1, _id: 1 })
    .limit(1)
    .project<{ started_at: Date }>({ started_at: 1, _id: 0 })
    .toArray();
  return first === undefined ? null : first.started_at.getTime();
}
