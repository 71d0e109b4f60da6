import type { Records } from './records';
import { NO_TRIALS } from '../../lib/trial';
import { BY_WORKFLOW_NEWEST } from '../../runtime/mongo/indexes';
import type { ResultOf } from '../../contracts/catalogue';

type Figures = ResultOf<'executions.health'>['data'][number];

/** The newest durations of a workflow that are used for percentiles. */
const SAMPLE = 1_000;

/** Statistics of the runs that started after `since`, by workflow; trials do not count. */
export async function healthFigures(
  records: Records,
  tenantId: string,
  workflowIds: readonly string[],
  since: Date,
): Promise<Figures[]> {
  return Promise.all(workflowIds.map((workflowId) => figuresOf(records, tenantId, workflowId, since)));
}

async function figuresOf(records: Records, tenantId: string, workflowId: string, since: Date): Promise<Figures> {
  const { executions } = records.collections;
  const own = { workflow_id: workflowId, tenant_id: tenantId, ...NO_TRIALS };
  const recent = { ...own, started_at: { $gte: since } };
  const [counts, waiting, durations, last, failed] = await Promise.all([
    executions
      .aggregate<{ _id: string; n: number }>([{ $match: recent }, { $group: { _id: '$status', n: { $sum: 1 } } }], {
        hint: BY_WORKFLOW_NEWEST,
      })
      .toArray(),
    executions.countDocuments(
      { ...recent, status: 'running', 'waiting.0': { $exists: true } },
      { hint: BY_WORKFLOW_NEWEST },
    ),
    executions
      .find({ ...recent, status: { $in: ['completed', 'failed'] } })
      .sort({ started_at: -1 })
      .hint(BY_WORKFLOW_NEWEST)
      .limit(SAMPLE)
      .project<{ duration_ms: number }>({ duration_ms: 1 })
      .toArray(),
    executions
      .find(own)
      .sort({ started_at: -1 })
      .hint(BY_WORKFLOW_NEWEST)
      .limit(1)
      .project<{ started_at: Date }>({ started_at: 1 })
      .toArray(),
    executions
      .find({ ...recent, status: 'failed' })
      .sort({ started_at: -1 })
      .hint(BY_WORKFLOW_NEWEST)
      .limit(1)
      .project<{ error: { message: string } | null }>({ error: 1 })
      .toArray(),
  ]);
  const count = (status: string): number => counts.find((row) => row._id === status)?.n ?? 0;
  const sorted = durations.map((row) => row.duration_ms).sort((a, b) => a - b);
  return {
    workflow_id: workflowId,
    total: counts.reduce((sum, row) => sum + row.n, 0),
    completed: count('completed'),
    failed: count('failed'),
    cancelled: count('cancelled'),
    running: count('running'),
    waiting,
    p50_ms: percentile(sorted, 0.5),
    p95_ms: percentile(sorted, 0.95),
    last_execution_at: last[0]?.started_at.toISOString() ?? null,
    last_error: failed[0]?.error?.message ?? null,
  };
}

/** Nearest-rank percentile; null for an empty list. */
const percentile = (sorted: readonly number[], share: number): number | null =>
  sorted.length === 0 ? null : (sorted[Math.ceil(share * sorted.length) - 1] as number);
