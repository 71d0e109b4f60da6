/**
 * Usage by workflow, by model and by day.
 *
 *  B1  Counts are collected in memory and added to the database every few seconds: a process that is killed loses those
 *      of its last seconds. A write that fails is repeated with the next counts. They explain usage and limit nothing; the quota counts records (see usage-totals).
 *  B2  Counts outlive their runs, and are kept for 400 days.
 */
import type { AnyBulkWriteOperation, Collection, Db, Filter } from 'mongodb';
import type { UsageBreakdown } from '../../../contracts/executions/usage';
import type { Clock } from '../../../lib/clock';
import { errorMessage } from '../../../lib/errors';
import { PeriodicTask } from '../../../lib/periodic';
import { addUsd } from '../../../lib/usd';

const DAY_MS = 24 * 3_600_000;
const KEPT_MS = 400 * DAY_MS;
const FLUSH_MS = 5_000;
/** Counters in memory; with more, they are written at once. */
const MAX_PENDING = 2_000;
/** Counters that are kept in memory while they cannot be written. */
const MAX_KEPT = 20_000;
const MAX_WORKFLOWS = 500;
const MAX_MODELS = 200;
const MAX_NAME_CHARS = 200;
const MAX_READ_MS = 10_000;

interface Counts {
  runs: number;
  failed: number;
  steps: number;
  duration_ms: number;
  tokens: number;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
}

/** One counter: of a workflow or a model on a day. `ref`: the workflow's id, or the model's name, null for unlisted ones. */
interface UsagePart extends Counts {
  _id: string;
  tenant_id: string;
  date: string;
  kind: 'workflow' | 'model';
  ref: string | null;
  /** Of the workflow; the provider of a model. */
  name: string;
  expires_at: Date;
}

type Part = Pick<UsagePart, 'tenant_id' | 'kind' | 'ref' | 'name'>;

const NOTHING: Counts = {
  runs: 0,
  failed: 0,
  steps: 0,
  duration_ms: 0,
  tokens: 0,
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
};
const NAMES = Object.keys(NOTHING) as (keyof Counts)[];

/** A run that has ended. */
interface EndedRun {
  readonly tenantId: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly status: string;
  readonly durationMs: number;
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number;
}

/** An answer of a model to a step. */
interface SpentOnModel {
  readonly provider: string;
  readonly listedAs: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
}

/** Counts of what is not written yet, and the counters in the database. */
export class UsageBreakdowns {
  readonly #parts: Collection<UsagePart>;
  #pending = new Map<string, { part: Part; date: string; counts: Counts }>();
  readonly #flush: PeriodicTask;
  #warn: (message: string) => void = () => {};

  constructor(
    db: Db,
    private readonly clock: Clock,
  ) {
    this.#parts = db.collection('usage_parts');
    this.#flush = new PeriodicTask({
      clock,
      intervalMs: FLUSH_MS,
      run: async () => {
        await this.#write();
        return { inMs: null };
      },
      onError: (fault) => this.#warn(`Counts of usage were not stored: ${errorMessage(fault)}`),
    });
  }

  /** `warn`: writes a log line. */
  open(warn: (message: string) => void): void {
    this.#warn = warn;
  }

  async createIndexes(): Promise<void> {
    await this.#parts.createIndex({ tenant_id: 1, date: 1 }, { name: 'by_tenant_day' });
    await this.#parts.createIndex({ expires_at: 1 }, { name: 'over', expireAfterSeconds: 0 });
  }

  onEnded(run: EndedRun): void {
    const { tenantId, workflowId, workflowName, status, durationMs, steps, tokens, costUsd } = run;
    const part: Part = {
      tenant_id: tenantId,
      kind: 'workflow',
      ref: workflowId,
      name: workflowName.slice(0, MAX_NAME_CHARS),
    };
    this.#add(part, {
      ...NOTHING,
      runs: 1,
      failed: status === 'failed' ? 1 : 0,
      steps,
      duration_ms: Math.max(0, durationMs),
      tokens,
      cost_usd: costUsd,
    });
  }

  onSpent(tenantId: string, { provider, listedAs, inputTokens, outputTokens, costUsd }: SpentOnModel): void {
    const counts: Counts = {
      ...NOTHING,
      calls: 1,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cost_usd: costUsd ?? 0,
    };
    this.#add({ tenant_id: tenantId, kind: 'model', ref: listedAs, name: provider }, counts);
  }

  /** Writes what is left. */
  async stop(): Promise<void> {
    await this.#flush.stop();
    await this.#write();
  }

  /** The last `count` days, today last. `visible`: on the field `ref`, leaves out workflows that the caller may not see. */
  async of(tenantId: string, count: number, visible: Filter<UsagePart>): Promise<UsageBreakdown> {
    // What this process has counted is there to be seen by those who have caused it.
    await this.#write();
    const today = Math.floor(this.clock.now() / DAY_MS) * DAY_MS;
    const dates = Array.from({ length: count }, (_, n) => dateOf(today - (count - 1 - n) * DAY_MS));
    const [from, to] = [dates[0] as string, dates.at(-1) as string];
    const within = { tenant_id: tenantId, date: { $gte: from, $lte: to } };
    const [workflows, models, days] = await Promise.all([
      this.#sums({ ...within, ...visible, kind: 'workflow' }, { ref: '$ref' }, MAX_WORKFLOWS),
      this.#sums({ ...within, kind: 'model' }, { ref: '$ref', name: '$name' }, MAX_MODELS),
      this.#sums({ ...within, ...visible, kind: 'workflow' }, { ref: '$date' }, count),
    ]);
    const byDate = new Map(days.map((day) => [day._id.ref, day]));
    return {
      from,
      to,
      workflows: workflows.map((row) => ({
        workflow_id: row._id.ref ?? '',
        workflow_name: row.name,
        ...figuresOf(row),
      })),
      models: models.map((row) => ({
        provider: row.name,
        model: row._id.ref,
        calls: row.calls,
        input_tokens: row.input_tokens,
        output_tokens: row.output_tokens,
        cost_usd: addUsd(row.cost_usd, 0),
      })),
      days: dates.map((date) => ({ date, ...figuresOf(byDate.get(date) ?? NOTHING) })),
    };
  }

  #sums(
    filter: Readonly<Record<string, unknown>>,
    by: Readonly<Record<string, string>>,
    limit: number,
  ): Promise<(Counts & { _id: { ref: string | null }; name: string })[]> {
    const sums = Object.fromEntries(NAMES.map((name) => [name, { $sum: `$${name}` }]));
    return this.#parts
      .aggregate<Counts & { _id: { ref: string | null }; name: string }>(
        [
          { $match: filter },
          { $sort: { date: 1 } },
          { $group: { _id: by, name: { $last: '$name' }, ...sums } },
          { $sort: { cost_usd: -1, runs: -1, calls: -1 } },
          { $limit: limit },
        ],
        { maxTimeMS: MAX_READ_MS },
      )
      .toArray();
  }

  #add(part: Part, counts: Counts): void {
    const date = dateOf(this.clock.now());
    const key = `${part.tenant_id}:${date}:${part.kind}:${part.kind === 'model' ? `${part.name}/` : ''}${part.ref ?? ''}`;
    this.#collect(key, part, date, counts);
    if (this.#pending.size >= MAX_PENDING) this.#flush.trigger();
    else this.#flush.within(FLUSH_MS);
  }

  async #write(): Promise<void> {
    if (this.#pending.size === 0) return;
    const pending = this.#pending;
    this.#pending = new Map();
    const writes = [...pending].map(([_id, { part, date, counts }]): AnyBulkWriteOperation<UsagePart> => {
      const { name, ...fixed } = part;
      const expires_at = new Date(Date.parse(date) + KEPT_MS);
      return {
        updateOne: {
          filter: { _id },
          update: { $inc: { ...counts }, $set: { name }, $setOnInsert: { ...fixed, date, expires_at } },
          upsert: true,
        },
      };
    });
    try {
      await this.#parts.bulkWrite(writes, { ordered: false });
    } catch (fault) {
      // Those of a write that was done nevertheless count twice, which is less wrong than none of an outage.
      for (const [key, { part, date, counts }] of pending) this.#collect(key, part, date, counts);
      throw fault;
    }
  }

  #collect(key: string, part: Part, date: string, counts: Counts): void {
    const known = this.#pending.get(key);
    // While the database is away, further workflows are not counted.
    if (known === undefined && this.#pending.size >= MAX_KEPT) return;
    this.#pending.set(key, { part, date, counts: known === undefined ? counts : sumOf(known.counts, counts) });
  }
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const sumOf = (a: Counts, b: Counts): Counts => ({
  ...(Object.fromEntries(NAMES.map((name) => [name, a[name] + b[name]])) as unknown as Counts),
  cost_usd: addUsd(a.cost_usd, b.cost_usd),
});

const figuresOf = ({ runs, failed, steps, duration_ms, tokens, cost_usd }: Counts) => ({
  runs,
  failed,
  steps,
  duration_ms,
  tokens,
  cost_usd: addUsd(cost_usd, 0),
});
