import type { Filter } from 'mongodb';
import type { Collections } from '../../../runtime/mongo/collections';
import type { ExecutionDocument } from '../../../runtime/mongo/documents';
import type { RemovedRunDocument } from '../run-data';

type Executions = Collections['executions'];

const ENDED = ['completed', 'failed', 'cancelled'] as const;
const BY_TENANT = { tenant_id: 1, started_at: -1, _id: -1 } as const;

/** The next tenant that has runs, in the order of ids; null at the end. One index seek, independent of the number of runs. */
export async function nextTenant(executions: Executions, after: string): Promise<string | null> {
  const [found] = await executions
    .find({ tenant_id: { $gt: after } })
    .sort(BY_TENANT)
    .limit(1)
    .project<{ tenant_id: string }>({ tenant_id: 1 })
    .toArray();
  return found?.tenant_id ?? null;
}

/** Runs that ended before `cutoff` (epoch milliseconds); `trial`: trials only. */
export interface Ended {
  readonly cutoff: number;
  readonly trial?: true;
}

/** Runs of a tenant that ended before an instant, oldest first, after the run `seen`. */
export function endedBefore(
  executions: Executions,
  tenantId: string,
  { cutoff, ...kind }: Ended,
  seen: RemovedRunDocument | null,
  limit: number,
): Promise<RemovedRunDocument[]> {
  const before = new Date(cutoff);
  const behind: Filter<ExecutionDocument> =
    seen === null
      ? { started_at: { $lt: before } }
      : {
          started_at: { $gte: seen.started_at, $lt: before },
          $or: [{ started_at: { $gt: seen.started_at } }, { _id: { $gt: seen._id } }],
        };
  return executions
    .find({ tenant_id: tenantId, ...kind, ...behind, status: { $in: [...ENDED] }, ended_at: { $lt: before } })
    .sort({ started_at: 1, _id: 1 })
    .limit(limit)
    .project<RemovedRunDocument>({ started_at: 1, parent: 1 })
    .toArray();
}

/**
 * The given runs that are still needed: those with a running parent or child, and those whose entries a running retry
 * reuses.
 */
export async function needed(executions: Executions, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const own = [...ids];
  const [children, repeats, grown] = await Promise.all([
    executions
      .find({ status: 'running', 'parent.execution_id': { $gt: '', $in: own } })
      .project<Pick<ExecutionDocument, 'parent'>>({ parent: 1 })
      .toArray(),
    executions
      .find({ status: 'running', 'preload.execution_id': { $gt: '', $in: own } })
      .project<Pick<ExecutionDocument, 'preload'>>({ preload: 1 })
      .toArray(),
    executions
      .find({ _id: { $in: own }, 'parent.execution_id': { $gt: '' } })
      .project<Pick<ExecutionDocument, '_id' | 'parent'>>({ parent: 1 })
      .toArray(),
  ]);
  const parents = [...new Set(grown.flatMap(({ parent }) => (parent === null ? [] : [parent.execution_id])))];
  const alive = await executions
    .find({ _id: { $in: parents }, status: 'running' })
    .project<{ _id: string }>({ _id: 1 })
    .toArray();
  const going = new Set(alive.map(({ _id }) => _id));
  return new Set([
    ...children.flatMap(({ parent }) => parent?.execution_id ?? []),
    ...repeats.flatMap(({ preload }) => preload?.execution_id ?? []),
    ...grown.filter(({ parent }) => parent !== null && going.has(parent.execution_id)).map(({ _id }) => _id),
  ]);
}
