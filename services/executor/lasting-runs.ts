import type { Filter } from 'mongodb';
import type { ParamsOf, ResultOf } from '../../contracts/catalogue';
import { NO_TRIALS } from '../../lib/trial';
import type { ExecutionDocument } from '../../runtime/mongo/documents';
import type { Records } from './records';

/** Runs that are read, the oldest first. */
const MAX_READ = 1_000;
const MAX_NAMED = 5;
const MAX_QUERY_MS = 10_000;

type Row = Pick<ExecutionDocument, '_id' | 'workflow_id' | 'workflow_name' | 'started_at' | 'waiting'>;
type Lasting = ResultOf<'executions.lasting'>['data'][number];

/** Runs of a tenant that have not ended, and began or began to wait before a time, by workflow. Timers are waits by design. */
export async function lastingRuns(
  { collections }: Pick<Records, 'collections'>,
  tenantId: string,
  { state, before, workflow_ids: ids }: ParamsOf<'executions.lasting'>,
): Promise<Lasting[]> {
  const time = new Date(before);
  const filter: Filter<ExecutionDocument> = {
    tenant_id: tenantId,
    status: 'running',
    // A run that waits since then began before.
    started_at: { $lt: time },
    ...(state === 'waiting' ? { 'waiting.since': { $lt: time } } : {}),
    ...(ids === undefined ? {} : { workflow_id: { $in: ids } }),
    ...NO_TRIALS,
  };
  const fields = { workflow_id: 1, workflow_name: 1, started_at: 1, 'waiting.kind': 1, 'waiting.since': 1 } as const;
  const rows = await collections.executions
    .find(filter)
    .sort({ started_at: 1 })
    .limit(MAX_READ)
    .maxTimeMS(MAX_QUERY_MS)
    .project<Row>(fields)
    .toArray();
  const found = new Map<string, Lasting>();
  for (const row of rows) {
    const since = state === 'running' ? row.started_at.getTime() : waitsSince(row, before);
    if (since === null) continue;
    const { workflow_id, workflow_name } = row;
    const known = found.get(workflow_id) ?? { workflow_id, workflow_name, since, total: 0, execution_ids: [] };
    known.total += 1;
    known.since = Math.min(known.since, since);
    if (known.execution_ids.length < MAX_NAMED) known.execution_ids.push(row._id);
    found.set(workflow_id, known);
  }
  return [...found.values()];
}

function waitsSince({ waiting }: Row, before: number): number | null {
  const times = waiting.flatMap(({ kind, since }) => (kind === 'timer' ? [] : [since.getTime()]));
  const since = Math.min(...times);
  return since < before ? since : null;
}
