import type { Filter } from 'mongodb';
import type { Collections } from '../../../runtime/store/mongo/collections';
import type { ExecutionDocument } from '../../../runtime/store/mongo/documents';
import type { LeavingDocument } from '../belongings';

type Executions = Collections['executions'];

const ENDED = ['completed', 'failed', 'cancelled'] as const;
/** Runs that go on, and have been started by another one, or repeat one. Word for word what their indexes are limited to. */
const CHILD = { status: 'running', 'parent.execution_id': { $gt: '' } } as const;
const REPEAT = { status: 'running', 'preload.execution_id': { $gt: '' } } as const;
const BY_TENANT = { tenant_id: 1, started_at: -1, _id: -1 } as const;

/** Only of the few runs that have not ended; safe to repeat. */
export async function createKinIndexes(executions: Executions): Promise<void> {
  await executions.createIndexes([
    { key: { 'parent.execution_id': 1 }, name: 'unended_by_parent', partialFilterExpression: CHILD },
    { key: { 'preload.execution_id': 1 }, name: 'unended_by_preload', partialFilterExpression: REPEAT },
  ]);
}

/** The tenant with runs whose id follows; null when there is none. One step in an index, however many runs there are. */
export async function nextTenant(executions: Executions, after: string): Promise<string | null> {
  const [found] = await executions
    .find({ tenant_id: { $gt: after } })
    .sort(BY_TENANT)
    .limit(1)
    .project<{ tenant_id: string }>({ tenant_id: 1 })
    .toArray();
  return found?.tenant_id ?? null;
}

/** Runs of a tenant that ended before an instant, the oldest first, behind the one that was last seen. */
export function endedBefore(
  executions: Executions,
  tenantId: string,
  cutoff: number,
  seen: LeavingDocument | null,
  limit: number,
): Promise<LeavingDocument[]> {
  const before = new Date(cutoff);
  const behind: Filter<ExecutionDocument> =
    seen === null
      ? { started_at: { $lt: before } }
      : {
          started_at: { $gte: seen.started_at, $lt: before },
          $or: [{ started_at: { $gt: seen.started_at } }, { _id: { $gt: seen._id } }],
        };
  return executions
    .find({ tenant_id: tenantId, ...behind, status: { $in: [...ENDED] }, ended_at: { $lt: before } })
    .sort({ started_at: 1, _id: 1 })
    .limit(limit)
    .project<LeavingDocument>({ started_at: 1, parent: 1 })
    .toArray();
}

/**
 * Which of these runs others still need: those that have a child that goes on, or a parent that does, and those that a
 * run that goes on repeats.
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
