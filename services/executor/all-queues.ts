import type { Filter } from 'mongodb';
import type { OperatorQueue, QueueRow } from '../../contracts/executions/queues';
import type { Collections } from '../../runtime/mongo/collections';
import type { ExecutionDocument } from '../../runtime/mongo/documents';
import { MAX_QUERY_MS, toQueryError } from './execution-queries';
import { queuesOf } from './queues';

const MAX_COUNTED_RUNS = 10_000;

/** Runs that wait over all tenants, by what they wait for. @throws AppError invalid_query when it takes too long */
export async function allQueues(
  collections: Pick<Collections, 'executions' | 'groups' | 'windows'>,
  now: number,
): Promise<{ queues: OperatorQueue[]; truncated: boolean }> {
  const due = { status: 'running', owner: null, parked: { $ne: true }, wake_at: { $lte: new Date(now) } } as const;
  const [host, slot, limits] = await Promise.all([
    waitingOf(collections, 'host', due),
    waitingOf(collections, 'slot', { parked: true }),
    queuesOf(collections, null, { visible: {} }, now),
  ]);
  const queues = [host, slot, ...byKind(limits.rows)];
  return { queues, truncated: limits.truncated || queues.some(({ waiting }) => waiting >= MAX_COUNTED_RUNS) };
}

async function waitingOf(
  { executions }: Pick<Collections, 'executions'>,
  kind: OperatorQueue['kind'],
  filter: Filter<ExecutionDocument>,
): Promise<OperatorQueue> {
  const runs = await executions
    .find(filter)
    .limit(MAX_COUNTED_RUNS)
    .maxTimeMS(MAX_QUERY_MS)
    .project<Pick<ExecutionDocument, 'started_at'>>({ started_at: 1 })
    .toArray()
    .catch(toQueryError);
  return { kind, waiting: runs.length, oldest: oldestOf(runs.map(({ started_at: at }) => at.toISOString())) };
}

/** The sums of all limits of a kind. Pure. */
function byKind(rows: readonly QueueRow[]): OperatorQueue[] {
  return (['concurrency', 'throttle', 'connection', 'debounce', 'batch'] as const).map((kind) => {
    const own = rows.filter((row) => row.kind === kind);
    return {
      kind,
      waiting: own.reduce((sum, { waiting }) => sum + waiting, 0),
      oldest: oldestOf(own.flatMap(({ oldest }) => oldest ?? [])),
    };
  });
}

const oldestOf = (times: readonly string[]): string | null => [...times].sort()[0] ?? null;
