/**
 * How many runs a tenant has started in a month, which is what its plan limits.
 *
 *  U1  Nothing is counted when a run starts: its own record is the fact. A month's document holds the count up to an
 *      instant (`through`), and what began later is counted from the index whenever somebody asks.
 *  U2  `through` moves by one conditional write (`rev`), and stays so far behind that every start before it is stored:
 *      two who move it at once cannot count a run twice, and a crash leaves it where it was.
 *  U3  A run that is removed stays counted. Its id stands in `removing` from before its record goes until it has been
 *      added to `counted`, and is left out of every count meanwhile. Who dies in between is followed by the next one.
 *  U4  A reading is of one `rev`: had it changed while records were counted, some might have been missed or met twice.
 */
import type { Collection, Db } from 'mongodb';
import { randomId } from '../../../lib/ids';
import { type Month, monthOf } from '../../../lib/month';
import { type Collections, isDuplicate } from '../../../runtime/store/mongo/collections';
import { countRuns, createChildIndex } from './counts';

interface UsageDocument {
  /** `<tenant>:<month>` */
  _id: string;
  tenant_id: string;
  month: string;
  /** Runs that began before `through`, and later ones that are gone. */
  counted: number;
  through: Date;
  rev: number;
  removing: Removing | null;
}

interface Removing {
  key: string;
  ids: string[];
  /** How many of them count. */
  runs: number;
}

/** A run whose record is about to go. */
export interface Leaving {
  readonly id: string;
  readonly startedAt: number;
  /** Started by a step of another run, so that it does not count. */
  readonly child: boolean;
}

/** Nothing that began so long ago is still on its way to the store: a socket gives up after a minute. */
export const SETTLED_MS = 120_000;
/** `through` moves in steps that are worth a write, and that no count takes long for. */
const LEAST_STEP_MS = 30_000;
const MOST_STEP_MS = 24 * 3_600_000;

const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;

export class UsageLedger {
  readonly #usage: Collection<UsageDocument>;
  readonly #executions: Collections['executions'];

  constructor(db: Db, { executions }: Pick<Collections, 'executions'>) {
    this.#usage = db.collection('usage', DURABLE);
    this.#executions = executions;
  }

  createIndexes(): Promise<void> {
    return createChildIndex(this.#executions);
  }

  /** How many runs that count the tenant has started in the month, as of `until` (epoch milliseconds). */
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

  /** Removes records of runs, at most a few hundred; what they have used stays used. Answers how many there were. */
  async remove(tenantId: string, runs: readonly Leaving[], now: number): Promise<number> {
    const month = monthOf(now);
    await this.#advance(tenantId, month, now);
    const removing = await this.#announce(tenantId, month, runs);
    const ids = runs.map(({ id }) => id);
    const { deletedCount } = await this.#executions.deleteMany({ tenant_id: tenantId, _id: { $in: ids } });
    if (removing !== null) await this.#fold(tenantId, month, removing);
    return deletedCount;
  }

  /** Says which runs go that are not counted yet; null when none is left. */
  async #announce(tenantId: string, month: Month, runs: readonly Leaving[]): Promise<Removing | null> {
    const key = randomId();
    for (;;) {
      const usage = await this.#get(tenantId, month);
      if (usage.removing !== null) {
        await this.#finish(tenantId, month, usage.removing);
        continue;
      }
      const later = runs.filter(({ startedAt }) => startedAt >= usage.through.getTime());
      // Another removal may have had some of them; while `rev` stays, nobody removes any.
      const left = later.length === 0 ? new Set() : await this.#present(tenantId, later);
      const uncounted = later.filter(({ id }) => left.has(id));
      if (uncounted.length === 0) return null;
      const ids = uncounted.map(({ id }) => id);
      const removing = { key, ids, runs: uncounted.filter(({ child }) => !child).length };
      if (await this.#write(usage, { removing })) return removing;
    }
  }

  async #present(tenantId: string, runs: readonly Leaving[]): Promise<ReadonlySet<string>> {
    const filter = { tenant_id: tenantId, _id: { $in: runs.map(({ id }) => id) } };
    const found = await this.#executions.find(filter).project<{ _id: string }>({ _id: 1 }).toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  /** Brings to its end what somebody is at, or has died at: of these runs, nothing is left but their records. */
  async #finish(tenantId: string, month: Month, removing: Removing): Promise<void> {
    await this.#executions.deleteMany({ tenant_id: tenantId, _id: { $in: removing.ids } });
    await this.#fold(tenantId, month, removing);
  }

  /** Takes removed runs into the count; the key lets it happen once. */
  async #fold(tenantId: string, { name }: Month, { key, runs }: Removing): Promise<void> {
    await this.#usage.updateOne(
      { _id: `${tenantId}:${name}`, 'removing.key': key },
      { $set: { removing: null }, $inc: { counted: runs, rev: 1 } },
    );
  }

  /** Moves `through` as far as it may go. Who is overtaken looks again. */
  async #advance(tenantId: string, month: Month, now: number): Promise<void> {
    const settled = Math.min(now - SETTLED_MS, month.end);
    for (;;) {
      const usage = await this.#get(tenantId, month);
      const from = usage.through.getTime();
      if (settled - from < LEAST_STEP_MS) return;
      const to = Math.min(settled, from + MOST_STEP_MS);
      const counted = await countRuns(this.#executions, tenantId, { from, to }, usage.removing?.ids);
      await this.#write(usage, { counted: usage.counted + counted, through: new Date(to) });
    }
  }

  /** The month's document; as it begins where there is none yet. */
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

  /** Changes a document that is still as it was seen; false when it is not. */
  async #write(seen: UsageDocument, change: Partial<UsageDocument>): Promise<boolean> {
    if (seen.rev > 0) {
      const { _id, rev } = seen;
      return (await this.#usage.updateOne({ _id, rev }, { $set: change, $inc: { rev: 1 } })).matchedCount === 1;
    }
    try {
      await this.#usage.insertOne({ ...seen, ...change, rev: 1 });
      return true;
    } catch (fault) {
      if (isDuplicate(fault)) return false;
      throw fault;
    }
  }
}
