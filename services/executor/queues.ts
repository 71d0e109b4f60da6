import type { Filter } from 'mongodb';
import { isUuid } from '../../lib/ids';
import { MAX_QUERY_MS, toQueryError } from './execution-queries';

import type { QueueRow } from '../../contracts/executions/queues';
import { quotaIdOf } from '../../runtime/core/decide/quota';
import { nextStart } from '../../runtime/core/decide/throttle';
import type { Collections } from '../../runtime/mongo/collections';
import type { ExecutionDocument, GroupDocument } from '../../runtime/mongo/documents';
import type { WindowDocument } from '../../runtime/mongo/window-documents';

/** Runs that are counted; a longer queue is shown in part. */
const MAX_COUNTED_RUNS = 10_000;
const FIELDS = {
  tenant_id: 1,
  workflow_id: 1,
  workflow_name: 1,
  started_at: 1,
  concurrency: 1,
  throttle: 1,
  gathering: 1,
  waiting: 1,
} as const;

/** The runs of each kind of queue. */
const GATHERS = { 'gathering.state': { $in: ['open', 'sealed'] } } as const;
const OF_KINDS: Readonly<Record<QueueRow['kind'], Filter<ExecutionDocument>>> = {
  batch: { ...GATHERS, 'gathering.kind': 'batch' },
  concurrency: { 'concurrency.group': { $exists: true } },
  connection: { 'waiting.kind': 'connection' },
  debounce: { ...GATHERS, 'gathering.kind': 'debounce' },
  throttle: { 'throttle.window': { $exists: true } },
};

type QueuedRun = Pick<
  ExecutionDocument,
  | '_id'
  | 'tenant_id'
  | 'workflow_id'
  | 'workflow_name'
  | 'started_at'
  | 'concurrency'
  | 'throttle'
  | 'gathering'
  | 'waiting'
>;

/** What the rows of queues are made of: runs by the time of their starts, and the state of their limits by id. */
interface QueueState {
  readonly runs: readonly QueuedRun[];
  readonly groups: ReadonlyMap<string, Pick<GroupDocument, 'holders'>>;
  readonly windows: ReadonlyMap<string, Pick<WindowDocument, 'starts' | 'uses'>>;
}

interface QueueFilter {
  readonly workflow_id?: string;
  readonly kind?: QueueRow['kind'];
  /** Leaves out runs that the caller may not see. */
  readonly visible: Filter<ExecutionDocument>;
}

/** The queues of a tenant, or of all (null), of runs that have not ended. @throws AppError invalid_query when it takes too long */
export async function queuesOf(
  { executions, groups, windows }: Pick<Collections, 'executions' | 'groups' | 'windows'>,
  tenantId: string | null,
  { workflow_id: workflowId, kind, visible }: QueueFilter,
  now: number,
): Promise<{ rows: QueueRow[]; truncated: boolean }> {
  const own = {
    status: 'running',
    ...(tenantId !== null && { tenant_id: tenantId }),
    ...(workflowId && { workflow_id: workflowId }),
  } as const;
  const found = await executions
    .find({ $and: [{ ...own, $or: kind === undefined ? Object.values(OF_KINDS) : [OF_KINDS[kind]] }, visible] })
    .sort({ started_at: 1, _id: 1 })
    .limit(MAX_COUNTED_RUNS + 1)
    .maxTimeMS(MAX_QUERY_MS)
    .project<QueuedRun>(FIELDS)
    .toArray()
    .catch(toQueryError);
  const runs = found.slice(0, MAX_COUNTED_RUNS);
  const ids = (of: (run: QueuedRun) => readonly (string | undefined)[]) => ({
    _id: { $in: [...new Set(runs.flatMap(of))].filter((id) => id !== undefined) },
  });
  const [holders, starts] = await Promise.all([
    groups.find(ids(({ concurrency }) => [concurrency?.group])).toArray(),
    windows.find(ids((run) => [run.throttle?.window, ...connectionsOf(run).map((id) => windowOf(run, id))])).toArray(),
  ]);
  const rows = queueRows(
    {
      runs,
      groups: new Map(holders.map((group) => [group._id, group])),
      windows: new Map(starts.map((window) => [window._id, window])),
    },
    now,
  );
  return { rows: rows.filter((row) => kind === undefined || row.kind === kind), truncated: found.length > runs.length };
}

/** A row for each limit, the longest queue first. Pure. */
export function queueRows({ runs, groups, windows }: QueueState, now: number): QueueRow[] {
  const rows = new Map<string, QueueRow>();
  const count = (id: string, make: () => QueueRow, { started_at: startedAt }: QueuedRun, waits: boolean): void => {
    const row = rows.get(id) ?? make();
    const oldest = row.oldest ?? (waits ? startedAt.toISOString() : null);
    rows.set(id, { ...row, waiting: row.waiting + (waits ? 1 : 0), oldest });
  };
  for (const run of runs) {
    const { concurrency, throttle, gathering } = run;
    if (gathering !== undefined && gathering.state !== 'begun')
      count(`${gathering.kind} ${run._id}`, () => gatheringRow(run, gathering), run, true);
    if (concurrency) {
      const holders = groups.get(concurrency.group)?.holders ?? [];
      const isHolder = holders.some(({ id }) => id === run._id);
      const make = () => ({ ...rowOf(run, 'concurrency', concurrency.group, concurrency), used: holders.length });
      // A run that waits for its throttle does not wait for a permit yet.
      const waits = !isHolder && throttle?.passed !== false;
      count(`concurrency ${concurrency.group}`, make, run, waits);
    }
    for (const connection of connectionsOf(run)) {
      const id = windowOf(run, connection);
      count(id, () => connectionRow(run, connection, windows.get(id)), run, true);
      sooner(rows, id, run, connection);
    }
    if (throttle !== undefined)
      count(`throttle ${throttle.window}`, () => throttleRow(run, throttle, windows, now), run, !throttle.passed);
  }
  return [...rows.values()].sort((a, b) => b.waiting - a.waiting || a.workflow_name.localeCompare(b.workflow_name));
}

function throttleRow(
  run: QueuedRun,
  throttle: NonNullable<QueuedRun['throttle']>,
  windows: QueueState['windows'],
  now: number,
): QueueRow {
  const { limit, period_ms: periodMs, burst } = throttle;
  const starts = (windows.get(throttle.window)?.starts ?? []).map(({ id, at }) => ({ id, at: at.getTime() }));
  return {
    ...rowOf(run, 'throttle', throttle.window, throttle),
    period_ms: periodMs,
    used: starts.filter(({ at }) => at > now - periodMs).length,
    next_start: new Date(nextStart(starts, { limit, periodMs, burst }, now)).toISOString(),
  };
}

/** Ids of the connections that steps of a run wait for. */
const connectionsOf = ({ waiting }: QueuedRun): string[] => [
  ...new Set(waiting.flatMap(({ kind, name }) => (kind === 'connection' && name !== null ? [name] : []))),
];

const windowOf = ({ tenant_id: tenantId }: QueuedRun, connection: string): string => quotaIdOf(tenantId, connection);

const connectionRow = (
  run: QueuedRun,
  connection: string,
  window: Pick<WindowDocument, 'uses'> | undefined,
): QueueRow => ({
  ...rowOf(run, 'connection', connection, { key: '', limit: null, name: connection }),
  used: window?.uses?.length ?? 0,
});

/** When the first of the runs that wait for a connection asks for its turn. */
function sooner(rows: Map<string, QueueRow>, id: string, { waiting }: QueuedRun, connection: string): void {
  const row = rows.get(id);
  if (row === undefined) return;
  const times = waiting
    .filter(({ kind, name }) => kind === 'connection' && name === connection)
    .flatMap(({ until }) => until?.toISOString() ?? []);
  const [next = null] = [...times, ...(row.next_start === null ? [] : [row.next_start])].sort();
  rows.set(id, { ...row, next_start: next });
}

const gatheringRow = (run: QueuedRun, gathering: NonNullable<QueuedRun['gathering']>): QueueRow => ({
  ...rowOf(run, gathering.kind, run._id, { key: gathering.key, limit: gathering.max_size }),
  used: gathering.count,
  next_start: gathering.begins_at.toISOString(),
});

const rowOf = (
  { workflow_id, workflow_name }: QueuedRun,
  kind: QueueRow['kind'],
  limitId: string,
  { key, limit, name = null }: { readonly key: string; readonly limit: number | null; readonly name?: string | null },
): QueueRow => ({
  id: `${kind}-${isUuid(limitId) ? limitId : limitId.slice(0, 16)}`,
  workflow_id,
  workflow_name,
  kind,
  key: key === '' || key === name ? null : key,
  name,
  limit,
  period_ms: null,
  used: 0,
  waiting: 0,
  oldest: null,
  next_start: null,
});
