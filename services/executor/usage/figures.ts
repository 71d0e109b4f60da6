import type { Collection, Db, Filter } from 'mongodb';
import type { Clock } from '../../../lib/clock';
import { ReadThrough } from '../../../lib/read-through';
import { addUsd } from '../../../lib/usd';
import type { Collections } from '../../../runtime/store/mongo/collections';
import type { ExecutionDocument } from '../../../runtime/store/mongo/documents';
import type { DayFigures } from '../contract';
import { SETTLED_MS } from './ledger';

const DAY_MS = 24 * 3_600_000;
const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;
const KEPT_MS = 400 * DAY_MS;
/** How old an answer may be. */
const TTL_MS = 30_000;
const CACHED = 1_000;

/**
 * The figures of a day of which nothing changes any more. `running`: there only of a day that had to be kept while runs
 * of it went on; `steps`: absent in what was kept before they were counted.
 */
type DayDocument = Omit<DayFigures, 'running' | 'date' | 'steps'> & {
  _id: string;
  running?: number;
  steps?: number;
  expires_at: Date;
};

/** States that hardly any run is left in, each with an index of its own: the one that most are in is what remains. */
const COUNTED = ['running', 'failed', 'cancelled'] as const;
/** Runs in which models were used. Word for word what their index is limited to. */
const WITH_TOKENS = { tokens: { $gt: 0 } } as const;
/** Runs that have ended. Likewise. */
const WITH_STEPS = { steps: { $gt: 0 } } as const;

/**
 * What became of a tenant's runs, by the day in UTC on which they began. Counted from keys of indexes: every run costs
 * one of them, and only those that used models are looked at. A day that is over, and none of whose runs goes on, is
 * kept as it is, so as a rule two days are counted, whatever came before.
 */
export class Figures {
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
    await this.#executions.createIndexes([
      ...COUNTED.map((status) => ({
        key: { tenant_id: 1, started_at: 1 } as const,
        name: `${status}_by_tenant`,
        partialFilterExpression: { status },
      })),
      {
        key: { tenant_id: 1, started_at: 1, tokens: 1, cost_usd: 1 },
        name: 'tokens_by_tenant',
        partialFilterExpression: WITH_TOKENS,
      },
      {
        key: { tenant_id: 1, started_at: 1, steps: 1 },
        name: 'steps_by_tenant',
        partialFilterExpression: WITH_STEPS,
      },
    ]);
    await this.#days.createIndex({ expires_at: 1 }, { name: 'over', expireAfterSeconds: 0 });
  }

  /** The last `count` days, today last; at most half a minute old. */
  of(tenantId: string, count: number): Promise<DayFigures[]> {
    return this.#known.get(`${count}:${tenantId}`, () => this.#read(tenantId, count));
  }

  /**
   * Keeps the figures of the days on which these runs began, since some of them are about to be removed: from then on
   * those days are told as they are now. Where they are kept already, nothing changes.
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
    // One after another: a tenant who asks must not take all connections.
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
      .aggregate<{ tokens: number; cost_usd: number }>([
        { $match: { ...window, ...WITH_TOKENS } },
        { $group: { _id: null, tokens: { $sum: '$tokens' }, cost_usd: { $sum: '$cost_usd' } } },
      ])
      .toArray();
    const [ran] = await this.#executions
      .aggregate<{ steps: number }>([
        { $match: { ...window, ...WITH_STEPS } },
        { $group: { _id: null, steps: { $sum: '$steps' } } },
      ])
      .toArray();
    const figures = {
      total,
      // One that has ended since the first count would be missed in both.
      completed: Math.max(0, total - running - failed - cancelled),
      failed,
      cancelled,
      steps: ran?.steps ?? 0,
      tokens: used?.tokens ?? 0,
      cost_usd: addUsd(used?.cost_usd ?? 0, 0),
    };
    const over = start + DAY_MS + SETTLED_MS <= this.clock.now();
    if (over && running === 0) await this.#keep(tenantId, start, figures);
    return { date: dateOf(start), running, ...figures };
  }

  /** Whoever counts it at the same time counts the same. */
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
