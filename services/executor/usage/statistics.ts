import { DURABLE } from '../../../lib/write-concern';
import type { Collection, Db, Filter } from 'mongodb';
import type { Clock } from '../../../lib/clock';
import { ReadThrough } from '../../../lib/read-through';
import { addUsd } from '../../../lib/usd';
import type { Collections } from '../../../runtime/mongo/collections';
import type { ExecutionDocument } from '../../../runtime/mongo/documents';
import type { DayFigures } from '../../../contracts/executions/views';
import { SETTLED_MS } from './usage-totals';

const DAY_MS = 24 * 3_600_000;
const KEPT_MS = 400 * DAY_MS;
/** Maximum age of a result. */
const TTL_MS = 30_000;
const CACHED = 1_000;

/**
 * The final figures of a day. `running` is set only when the day was stored while some of its runs were running. `steps` is
 * absent in documents of versions that did not count steps.
 */
type DayDocument = Omit<DayFigures, 'running' | 'date' | 'steps'> & {
  _id: string;
  running?: number;
  steps?: number;
  expires_at: Date;
};

/** The states that are counted. Completed runs are the remainder. */
const COUNTED = ['running', 'failed', 'cancelled'] as const;
const ENDED = ['completed', 'failed', 'cancelled'] as const;

/**
 * Runs of a tenant by status and by the UTC day of their start. Counts index keys, one per run, and sums steps, tokens and
 * costs of the runs that have ended. A past day without running runs is stored, so usually only two days are counted.
 */
export class DailyStatistics {
  readonly #executions: Collections['executions'];
  readonly #days: Collection<DayDocument>;
  readonly #known: ReadThrough<DayFigures[]>;

  constructor(
    db: Db,
    { executions }: Pick<Collections, 'executions'>,
    private readonly clock: Clock,
  ) {
    this.#executions = executions;
    this.#days = db.collection('usage_days', DURABLE);
    this.#known = new ReadThrough({ max: CACHED, ttlMs: TTL_MS, now: () => clock.now() });
  }

  async createIndexes(): Promise<void> {
    await this.#days.createIndex({ expires_at: 1 }, { name: 'over', expireAfterSeconds: 0 });
  }

  /** The last `count` days, today last; at most half a minute old. */
  of(tenantId: string, count: number): Promise<DayFigures[]> {
    return this.#known.get(`${count}:${tenantId}`, () => this.#read(tenantId, count));
  }

  /**
   * Stores the figures of the days on which these runs started, before the runs are removed. From then on these figures
   * are final. Stored days do not change.
   */
  async keep(tenantId: string, startedAt: readonly number[]): Promise<void> {
    const starts = new Set(startedAt.map((at) => Math.floor(at / DAY_MS) * DAY_MS));
    for (const start of starts) {
      if ((await this.#days.countDocuments({ _id: idOf(tenantId, start) }, { limit: 1 })) > 0) continue;
      const { date: _, ...figures } = await this.#count(tenantId, start);
      await this.#keep(tenantId, start, figures);
    }
  }

  async #read(tenantId: string, count: number): Promise<DayFigures[]> {
    const today = Math.floor(this.clock.now() / DAY_MS) * DAY_MS;
    const starts = Array.from({ length: count }, (_, n) => today - (count - 1 - n) * DAY_MS);
    const ids = starts.map((start) => idOf(tenantId, start));
    const kept = new Map((await this.#days.find({ _id: { $in: ids } }).toArray()).map((day) => [day._id, day]));
    const days: DayFigures[] = [];
    // Sequential, so that one request does not use all connections.
    for (const start of starts) {
      const known = kept.get(idOf(tenantId, start));
      days.push(known === undefined ? await this.#count(tenantId, start) : viewOf(known, start));
    }
    return days;
  }

  async #count(tenantId: string, start: number): Promise<DayFigures> {
    const window: Filter<ExecutionDocument> = {
      tenant_id: tenantId,
      started_at: { $gte: new Date(start), $lt: new Date(start + DAY_MS) },
    };
    const total = await this.#executions.countDocuments(window);
    if (total === 0) return { date: dateOf(start), ...NOTHING };
    const [running, failed, cancelled] = (await Promise.all(
      COUNTED.map((status) => this.#executions.countDocuments({ ...window, status })),
    )) as [number, number, number];
    const [used] = await this.#executions
      .aggregate<{ steps: number; tokens: number; cost_usd: number }>([
        { $match: { ...window, status: { $in: [...ENDED] } } },
        {
          $group: {
            _id: null,
            steps: { $sum: '$steps' },
            tokens: { $sum: '$tokens' },
            cost_usd: { $sum: '$cost_usd' },
          },
        },
      ])
      .toArray();
    const figures = {
      total,
      // Runs that start or end between the counts could make this negative.
      completed: Math.max(0, total - running - failed - cancelled),
      failed,
      cancelled,
      steps: used?.steps ?? 0,
      tokens: used?.tokens ?? 0,
      cost_usd: addUsd(used?.cost_usd ?? 0, 0),
    };
    const over = start + DAY_MS + SETTLED_MS <= this.clock.now();
    if (over && running === 0) await this.#keep(tenantId, start, figures);
    return { date: dateOf(start), running, ...figures };
  }

  /** Stores the figures once. Concurrent writers have the same values. */
  async #keep(tenantId: string, start: number, figures: Omit<DayDocument, '_id' | 'expires_at'>): Promise<void> {
    const expires_at = new Date(start + KEPT_MS);
    await this.#days.updateOne(
      { _id: idOf(tenantId, start) },
      { $setOnInsert: { ...figures, expires_at } },
      { upsert: true },
    );
  }
}

const NOTHING = {
  total: 0,
  running: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  steps: 0,
  tokens: 0,
  cost_usd: 0,
} as const;

const dateOf = (start: number): string => new Date(start).toISOString().slice(0, 10);
const idOf = (tenantId: string, start: number): string => `${tenantId}:${dateOf(start)}`;

function viewOf({ _id, expires_at: _, ...figures }: DayDocument, start: number): DayFigures {
  return { date: dateOf(start), running: 0, steps: 0, ...figures };
}
