/**
 * Counts the runs that a tenant has started in a month, which its plan limits.
 *
 *  U1  A start writes no counter: the record of the run is counted. A month's document holds the count up to an instant
 *      (`through`); later runs are counted from the index at each read.
 *  U2  `through` moves by one conditional write (`rev`). It stays far enough behind that every start before it is stored.
 *      Two processes that move it at once cannot count a run twice, and a crash leaves it unchanged.
 *  U3  A removed run still counts. Its id is in `removing` from before its record is removed until it is added to
 *      `counted`, and all counts exclude it meanwhile. After a crash in between, the next removal finishes it.
 *  U4  A read is valid for one `rev`. When `rev` has changed while runs were counted, the read is repeated.
 */
import { DURABLE } from '../../../lib/write-concern';
import type { Collection, Db } from 'mongodb';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { randomId } from '../../../lib/ids';
import { type Month, monthOf } from '../../../lib/month';
import type { Collections } from '../../../runtime/mongo/collections';
import { countRuns, firstStart } from './counts';

interface UsageDocument {
  /** `<tenant>:<month>` */
  _id: string;
  tenant_id: string;
  month: string;
  /** Runs that started before `through`, and later runs that are removed. */
  counted: number;
  through: Date;
  rev: number;
  removing: Removing | null;
}

interface Removing {
  key: string;
  ids: string[];
  /** How many of them are metered. */
  runs: number;
}

/** A run whose record is removed next. */
export interface RemovedRun {
  readonly id: string;
  readonly startedAt: number;
  /** Started by a step of another run, so it is not metered. */
  readonly child: boolean;
}

/** After this time every started run is stored, or its start has failed: sockets time out after a minute. */
export const SETTLED_MS = 120_000;
/** Steps of `through`: large enough to be worth a write, small enough to be counted quickly. */
const MIN_STEP_MS = 30_000;
const MAX_STEP_MS = 24 * 3_600_000;

export class UsageTotals {
  readonly #usage: Collection<UsageDocument>;
  readonly #executions: Collections['executions'];

  constructor(db: Db, { executions }: Pick<Collections, 'executions'>) {
    this.#usage = db.collection('usage', DURABLE);
    this.#executions = executions;
  }

  /** Metered runs that the tenant has started in the month before `until` (epoch milliseconds). */
  async read(tenantId: string, month: Month, until: number): Promise<number> {
    await this.#advance(tenantId, month, until);
    for (;;) {
      const usage = await this.#get(tenantId, month);
      const { counted, through, removing, rev } = usage;
      const stretch = { from: through.getTime(), to: Math.min(until, month.end) };
      const later = await countRuns(this.#executions, tenantId, stretch, removing?.ids);
      if ((await this.#get(tenantId, month)).rev === rev) return counted + (removing?.runs ?? 0) + later;
    }
  }

  /** Removes records of runs, at most a few hundred. They still count. Returns the number of removed records. */
  async remove(tenantId: string, runs: readonly RemovedRun[], now: number): Promise<number> {
    const month = monthOf(now);
    await this.#advance(tenantId, month, now);
    const removing = await this.#announce(tenantId, month, runs);
    const ids = runs.map(({ id }) => id);
    const { deletedCount } = await this.#executions.deleteMany({ tenant_id: tenantId, _id: { $in: ids } });
    if (removing !== null) await this.#fold(tenantId, month, removing);
    return deletedCount;
  }

  /** Records which of the runs are not in `counted` yet; null when there is none. */
  async #announce(tenantId: string, month: Month, runs: readonly RemovedRun[]): Promise<Removing | null> {
    const key = randomId();
    for (;;) {
      const usage = await this.#get(tenantId, month);
      if (usage.removing !== null) {
        await this.#finish(tenantId, month, usage.removing);
        continue;
      }
      const later = runs.filter(({ startedAt }) => startedAt >= usage.through.getTime());
      // Another removal may have removed some of them. While `rev` is unchanged, none is removed.
      const left = later.length === 0 ? new Set() : await this.#present(tenantId, later);
      const uncounted = later.filter(({ id }) => left.has(id));
      if (uncounted.length === 0) return null;
      const ids = uncounted.map(({ id }) => id);
      const removing = { key, ids, runs: uncounted.filter(({ child }) => !child).length };
      if (await this.#write(usage, { removing })) return removing;
    }
  }

  async #present(tenantId: string, runs: readonly RemovedRun[]): Promise<ReadonlySet<string>> {
    const filter = { tenant_id: tenantId, _id: { $in: runs.map(({ id }) => id) } };
    const found = await this.#executions.find(filter).project<{ _id: string }>({ _id: 1 }).toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  /** Finishes the removal of another process, which may have crashed. */
  async #finish(tenantId: string, month: Month, removing: Removing): Promise<void> {
    await this.#executions.deleteMany({ tenant_id: tenantId, _id: { $in: removing.ids } });
    await this.#fold(tenantId, month, removing);
  }

  /** Adds removed runs to the count. The key makes it idempotent. */
  async #fold(tenantId: string, { name }: Month, { key, runs }: Removing): Promise<void> {
    await this.#usage.updateOne(
      { _id: `${tenantId}:${name}`, 'removing.key': key },
      { $set: { removing: null }, $inc: { counted: runs, rev: 1 } },
    );
  }

  /** Moves `through` as far as possible; over a time without runs in one step. Repeats after a write conflict. */
  async #advance(tenantId: string, month: Month, now: number): Promise<void> {
    const settled = Math.min(now - SETTLED_MS, month.end);
    for (;;) {
      const usage = await this.#get(tenantId, month);
      const from = usage.through.getTime();
      if (settled - from < MIN_STEP_MS) return;
      const first = (await firstStart(this.#executions, tenantId, { from, to: settled })) ?? settled;
      const to = Math.min(settled, first + MAX_STEP_MS);
      const counted = await countRuns(this.#executions, tenantId, { from: first, to }, usage.removing?.ids);
      await this.#write(usage, { counted: usage.counted + counted, through: new Date(to) });
    }
  }

  /** The month's document, or a new one that is not stored yet. */
  async #get(tenantId: string, { name, start }: Month): Promise<UsageDocument> {
    const _id = `${tenantId}:${name}`;
    const found = await this.#usage.findOne({ _id });
    const fresh = {
      _id,
      tenant_id: tenantId,
      month: name,
      counted: 0,
      through: new Date(start),
      rev: 0,
      removing: null,
    };
    return found ?? fresh;
  }

  /** Changes a document; false when its `rev` has changed. */
  async #write(seen: UsageDocument, change: Partial<UsageDocument>): Promise<boolean> {
    if (seen.rev > 0) {
      const { _id, rev } = seen;
      return (await this.#usage.updateOne({ _id, rev }, { $set: change, $inc: { rev: 1 } })).matchedCount === 1;
    }
    try {
      await this.#usage.insertOne({ ...seen, ...change, rev: 1 });
      return true;
    } catch (fault) {
      if (isDuplicateKey(fault)) return false;
      throw fault;
    }
  }
}
