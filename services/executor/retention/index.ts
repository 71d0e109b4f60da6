/**
 * Removes ended runs whose history is over, with all that belongs to them.
 *
 *  T1  What goes is on record first, in batches; from then on nothing new is made of it (see `retrying`).
 *  T2  Two minutes later everything that was made of it before is stored, so that it is known whether a run that goes on
 *      still needs some of it. That stays.
 *  T3  A run's own document goes first: it is there whole, or not at all. What belongs to it is found by the record, which
 *      goes last, so whoever follows one that has died brings it to its end. Every step may be repeated.
 *  T4  What was used stays used: the month's count, and the figures of the day.
 *  T5  One process does it at a time, a batch at a time, with pauses in which others have their turn.
 */
import type { Db } from 'mongodb';
import { errorMessage } from '../../../lib/errors';
import { ChoreLease } from '../../../mixins/lease';
import type { ServiceContext } from '../../../mixins/service';
import { leaving, type LeavingDocument, type Purging, removeBelongings, settleEnds } from '../belongings';
import { announcer } from '../listeners';
import { type Announced, type AnnouncedRemovals, settledAt } from './announced';
import { endedBefore, needed, nextTenant } from './expired';
import { cutoffOf, longest } from './rules';

const BATCH = 100;
/** Announced at most before the first of them goes. */
const MOST_BATCHES = 300;
const PAUSE_MS = 200;
const BUSY_MS = 60_000;
const EVERY_MS = 3_600_000;
/** Services of the same process that are asked may still be starting. */
const START_MS = 60_000;

export interface RetentionDeps extends Omit<Purging, 'call' | 'announce'> {
  readonly removals: AnnouncedRemovals;
  /** Days that the operator has set for all; null: as the plans say. */
  readonly days: number | null;
}

export class Retention {
  readonly #lease: ChoreLease;
  #context: ServiceContext | null = null;
  #cancelTimer: (() => void) | null = null;
  #working: Promise<void> = Promise.resolve();
  #stopped = false;
  #removed = 0;

  constructor(private readonly deps: RetentionDeps) {
    const { app } = deps;
    this.#lease = new ChoreLease(app.db.db as unknown as Db, 'retention', app.nodeId, app.clock);
  }

  start(context: ServiceContext): void {
    this.#context = context;
    this.#turnAfter(START_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#working;
    // Where the database is gone already, the lease runs out by itself.
    if (this.#context !== null) await this.#lease.release().catch(() => undefined);
  }

  /** Does one thing; answers after how many milliseconds to look again. */
  async turn(context: ServiceContext): Promise<number> {
    if (!(await this.#lease.take())) return BUSY_MS;
    const { removals, app } = this.deps;
    const oldest = await removals.oldest();
    if (oldest !== null) {
      const left = settledAt(oldest) - app.clock.now();
      if (left > 0) return left;
      await this.#remove(context, oldest);
      return PAUSE_MS;
    }
    if (this.#removed > 0) context.log.info(`${this.#removed} executions whose history is over were removed`);
    this.#removed = 0;
    return (await this.#announce(context)) ? 0 : EVERY_MS;
  }

  #turnAfter(delayMs: number): void {
    const context = this.#context;
    if (this.#stopped || context === null) return;
    this.#cancelTimer = this.deps.app.clock.after(delayMs, () => {
      this.#working = this.turn(context)
        .catch((fault: unknown) => {
          context.log.warn(`Executions whose history is over are not removed yet: ${errorMessage(fault)}`);
          return BUSY_MS;
        })
        .then((pause) => this.#turnAfter(pause));
    });
  }

  /** Tenant by tenant, up to a bound: the rest comes when these are gone. False when nothing is over. */
  async #announce(context: ServiceContext): Promise<boolean> {
    const { executions } = this.deps.records.collections;
    let left = MOST_BATCHES;
    for (let tenant = await nextTenant(executions, ''); tenant !== null && left > 0 && !this.#stopped; ) {
      left -= await this.#announceOf(context, tenant, left);
      tenant = await nextTenant(executions, tenant);
    }
    return left < MOST_BATCHES;
  }

  /** Where nobody says what the plan is, or whether the one before it has a grace, nothing goes. */
  async #cutoff(context: ServiceContext, tenantId: string): Promise<number | null> {
    const { app, days } = this.deps;
    if (days !== null) return cutoffOf(app.clock.now(), null, days);
    const asService = { asServiceOf: tenantId };
    // Asked anew, in this order: a plan becomes a lower one after its grace has begun.
    const { limits } = await context.call('auth.entitlements', {}, asService);
    const grace = await context.call('billing.allowance', {}, asService);
    return cutoffOf(app.clock.now(), longest(limits.history_days, grace.history_days), null);
  }

  /** How many batches of a tenant were announced. */
  async #announceOf(context: ServiceContext, tenantId: string, most: number): Promise<number> {
    const { app, records, removals } = this.deps;
    const { executions } = records.collections;
    const cutoff = await this.#cutoff(context, tenantId);
    let batches = 0;
    let seen: LeavingDocument | null = null;
    while (cutoff !== null && batches < most && !this.#stopped) {
      const found: LeavingDocument[] = await endedBefore(executions, tenantId, cutoff, seen, BATCH);
      const last = found.at(-1);
      if (last === undefined) break;
      seen = last;
      const kept = await needed(
        executions,
        found.map(({ _id }) => _id),
      );
      const runs = found.filter(({ _id }) => !kept.has(_id)).map(announced);
      if (runs.length > 0) {
        await removals.announce(tenantId, runs, app.clock.now());
        batches += 1;
      }
    }
    return batches;
  }

  async #remove(context: ServiceContext, batch: Announced): Promise<void> {
    const { app, records, removals } = this.deps;
    const { tenant_id: tenantId } = batch;
    const kept = await needed(
      records.collections.executions,
      batch.runs.map(({ id }) => id),
    );
    const runs = batch.runs.filter(({ id }) => !kept.has(id));
    if (kept.size > 0) await removals.narrow(batch, runs);
    const ids = runs.map(({ id }) => id);
    if (ids.length > 0) {
      const started = runs.map(({ id, started_at, child }) => ({ id, startedAt: started_at.getTime(), child }));
      await settleEnds({ ...this.deps, call: context.call, announce: announcer(context, records.store) }, ids);
      await records.usage.figures.keep(
        tenantId,
        started.map(({ startedAt }) => startedAt),
      );
      this.#removed += await records.usage.ledger.remove(tenantId, started, app.clock.now());
      await removeBelongings(this.deps, tenantId, ids);
      await context.call('files.remove', { execution_ids: ids }, { asServiceOf: tenantId });
    }
    await removals.done(batch);
  }
}

function announced(document: LeavingDocument): Announced['runs'][number] {
  const { id, startedAt, child } = leaving(document);
  return { id, started_at: new Date(startedAt), child };
}
