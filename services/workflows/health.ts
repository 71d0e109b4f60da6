import type { Call, ResultOf } from '../../contracts/catalogue';
import type { WorkflowHealth } from '../../contracts/workflows/views';
import type { WorkflowRecord } from './models';

type Figures = ResultOf<'executions.health'>['data'][number];

const WINDOW_HOURS = 24;

/** Workflows asked about in one call. */
const BATCH = 200;

/** The fields of a record that its health shows. */
export const HEALTH_FIELDS = ['name', 'status', 'enabled'] as const satisfies readonly (keyof WorkflowRecord)[];

const NO_RUNS: Omit<Figures, 'workflow_id'> = {
  total: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  running: 0,
  waiting: 0,
  p50_ms: null,
  p95_ms: null,
  last_execution_at: null,
  last_error: null,
};

/** A workflow's record and the figures of its runs, put together. `success_rate` is a share of the runs that ended by themselves. */
export function toHealth(
  record: Pick<WorkflowRecord, '_id' | 'name' | 'status' | 'enabled'>,
  figures: Omit<Figures, 'workflow_id'> = NO_RUNS,
): WorkflowHealth {
  const ended = figures.completed + figures.failed;
  return {
    workflow_id: record._id,
    name: record.name,
    status: record.status,
    enabled: record.enabled,
    window_hours: WINDOW_HOURS,
    total: figures.total,
    completed: figures.completed,
    failed: figures.failed,
    cancelled: figures.cancelled,
    running: figures.running,
    waiting: figures.waiting,
    success_rate: ended === 0 ? null : Math.round((figures.completed / ended) * 10_000) / 10_000,
    p50_ms: figures.p50_ms,
    p95_ms: figures.p95_ms,
    last_execution_at: figures.last_execution_at,
    last_error: figures.last_error,
  };
}

type Healthy = Parameters<typeof toHealth>[0];

/** The health of workflows of one tenant, asked from the executor in batches. */
export async function healthOf(records: readonly Healthy[], tenantId: string, call: Call): Promise<WorkflowHealth[]> {
  const views: WorkflowHealth[] = [];
  for (let from = 0; from < records.length; from += BATCH) {
    const batch = records.slice(from, from + BATCH);
    const { data } = await call(
      'executions.health',
      { workflow_ids: batch.map((record) => record._id), window_hours: WINDOW_HOURS },
      { asServiceOf: tenantId },
    );
    const figures = new Map(data.map((row) => [row.workflow_id, row]));
    for (const record of batch) views.push(toHealth(record, figures.get(record._id)));
  }
  return views;
}
