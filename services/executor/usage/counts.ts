import type { Filter } from 'mongodb';
import type { Collections } from '../../../runtime/store/mongo/collections';
import type { ExecutionDocument } from '../../../runtime/store/mongo/documents';

/** A stretch of time, in epoch milliseconds: from the first instant to before the second. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

type Executions = Collections['executions'];

/** Runs that a step of another run has started. Word for word what their index is limited to. */
const CHILD = { 'parent.execution_id': { $gt: '' } } as const;

/** Children alone are in this index, so runs that count cost nothing for it. Safe to repeat. */
export async function createChildIndex(executions: Executions): Promise<void> {
  await executions.createIndex(
    { tenant_id: 1, started_at: 1, 'parent.execution_id': 1 },
    { name: 'children_by_tenant', partialFilterExpression: CHILD },
  );
}

/**
 * How many runs of a tenant that count began in a stretch, from keys of indexes alone. Children are counted first: one
 * that is stored between the two counts makes the answer too high for a moment, never too low.
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
