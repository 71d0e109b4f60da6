import type { Filter } from 'mongodb';
import type { Clock } from '../../../lib/clock';
import { ReadThrough } from '../../../lib/read-through';
import type { Collections } from '../../../runtime/mongo/collections';
import type { ExecutionDocument } from '../../../runtime/mongo/documents';
import type { HourFigures } from '../../../contracts/executions/views';

const HOUR_MS = 3_600_000;
/** Maximum age of a result. */
const TTL_MS = 10_000;
const CACHED = 1_000;

/** States with few runs and an index each. Completed runs are the remainder. */
const COUNTED = ['running', 'failed', 'cancelled'] as const;

/** Runs of a tenant by status and by the hour of their start. Counts index keys, one per run. */
export class HourlyActivity {
  readonly #executions: Pick<Collections['executions'], 'countDocuments'>;
  readonly #known: ReadThrough<HourFigures[]>;

  constructor(
    { executions }: Pick<Collections, 'executions'>,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.#executions = executions;
    this.#known = new ReadThrough({ max: CACHED, ttlMs: TTL_MS, now: () => clock.now() });
  }

  /** The last `count` hours, the current one last; at most ten seconds old. */
  of(tenantId: string, count: number): Promise<HourFigures[]> {
    return this.#known.get(`${count}:${tenantId}`, () => this.#read(tenantId, count));
  }

  async #read(tenantId: string, count: number): Promise<HourFigures[]> {
    const current = Math.floor(this.clock.now() / HOUR_MS) * HOUR_MS;
    const hours: HourFigures[] = [];
    // Sequential, so that one request does not use all connections.
    for (let start = current - (count - 1) * HOUR_MS; start <= current; start += HOUR_MS)
      hours.push(await this.#count(tenantId, start));
    return hours;
  }

  async #count(tenantId: string, start: number): Promise<HourFigures> {
    const window: Filter<ExecutionDocument> = {
      tenant_id: tenantId,
      started_at: { $gte: new Date(start), $lt: new Date(start + HOUR_MS) },
    };
    const at = new Date(start).toISOString();
    const total = await this.#executions.countDocuments(window);
    if (total === 0) return { at, total, running: 0, completed: 0, failed: 0, cancelled: 0 };
    const [running, failed, cancelled] = (await Promise.all(
      COUNTED.map((status) => this.#executions.countDocuments({ ...window, status })),
    )) as [number, number, number];
    // Runs that start or end between the counts could make this negative.
    return { at, total, running, completed: Math.max(0, total - running - failed - cancelled), failed, cancelled };
  }
}
