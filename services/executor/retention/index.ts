/**
 * Removes ended runs after their retention period, with all their data.
 *
 *  T1  Runs to be removed are recorded first, in batches; from then on they cannot be retried (see `retry`).
 *  T2  Two minutes later all retries and children of these runs are stored. Runs that are needed by a running one are kept.
 *  T3  A run's own document is removed first, so a run is never visible in part. Its other data is found by the removal
 *      record, which is removed last: the next leader finishes the removal after a crash. Every step is idempotent.
 *  T4  Removed runs still count for the month's usage and the statistics of the day.
 *  T5  One process removes runs at a time, in batches, with pauses for other work of the database.
 */
import type { Db } from 'mongodb';
import { errorMessage } from '../../../lib/errors';
import { PeriodicTask } from '../../../lib/periodic';
import { LeaderLock } from '../../../lib/leader-lock';
import type { ServiceContext } from '../../../mixins/service';
import { removedRun, type RemovedRunDocument, type PurgeContext, removeRunData, processOutboxes } from '../run-data';
import { triggerPublisher } from '../end-subscribers';
import { type PendingRemoval, type PendingRemovals, settledAt } from './pending-removals';
import { type Ended, endedBefore, needed, nextTenant } from './expired';
import { cutoffOf, longest, trialCutoffOf } from './rules';

const BATCH = 100;
/** Batches that are recorded before the first of them is removed. */
const MAX_BATCHES = 300;
const PAUSE_MS = 200;
const BUSY_MS = 60_000;
const EVERY_MS = 3_600_000;
/** Delay of the first pass: the services that it calls may still be starting. */
const START_MS = 60_000;

export interface RetentionDeps extends Omit<PurgeContext, 'call' | 'announce'> {
  readonly removals: PendingRemovals;
  /** Retention in days for all tenants, set by the operator; null: the plans decide. */
  readonly days: number | null;
}

export class Retention {
  readonly #lock: LeaderLock;
  #task: PeriodicTask | null = null;
  #removed = 0;

  constructor(private readonly deps: RetentionDeps) {
    const { app } = deps;
    this.#lock = new LeaderLock(app.db.db as unknown as Db, 'retention', app.nodeId, app.clock);
  }

  start(context: ServiceContext): void {
    this.#task = new PeriodicTask({
      clock: this.deps.app.clock,
      intervalMs: EVERY_MS,
      retryMs: BUSY_MS,
      run: async () => ({ inMs: await this.turn(context) }),
      onError: (error) => context.log.warn(`Expired executions could not be removed: ${errorMessage(error)}`),
    });
    this.#task.start(START_MS);
  }

  async stop(): Promise<void> {
    if (this.#task === null) return;
    await this.#task.stop();
    // Without a database the lease expires.
    await this.#lock.release().catch(() => undefined);
  }

  /** Removes one batch, or records new batches. Returns the delay in milliseconds until the next call. */
  async turn(context: ServiceContext): Promise<number> {
    if (!(await this.#lock.acquire())) return BUSY_MS;
    const { removals, app } = this.deps;
    const oldest = await removals.oldest();
    if (oldest !== null) {
      const left = settledAt(oldest) - app.clock.now();
      if (left > 0) return left;
      await this.#remove(context, oldest);
      return PAUSE_MS;
    }
    if (this.#removed > 0) context.log.info(`${this.#removed} executions removed after their retention period`);
    this.#removed = 0;
    return (await this.#announce(context)) ? 0 : EVERY_MS;
  }

  /** Records expired runs of all tenants, up to a limit; the rest follows after their removal. False when no run has expired. */
  async #announce(context: ServiceContext): Promise<boolean> {
    const { executions } = this.deps.records.collections;
    let left = MAX_BATCHES;
    for (let tenant = await nextTenant(executions, ''); tenant !== null && left > 0 && !this.#task?.isStopped; ) {
      left -= await this.#announceOf(context, tenant, left);
      tenant = await nextTenant(executions, tenant);
    }
    return left < MAX_BATCHES;
  }

  /** Rejects when the plan or its grace period cannot be read; nothing is removed then. */
  async #cutoff(context: ServiceContext, tenantId: string): Promise<number | null> {
    const { app, days } = this.deps;
    if (days !== null) return cutoffOf(app.clock.now(), null, days);
    const asService = { asServiceOf: tenantId };
    // Not cached, and in this order: a grace period starts before its plan is lowered.
    const { limits } = await context.call('auth.entitlements', {}, asService);
    const grace = await context.call('billing.allowance', {}, asService);
    return cutoffOf(app.clock.now(), longest(limits.history_days, grace.history_days), null);
  }

  /** Records expired runs of a tenant. Returns the number of batches. */
  async #announceOf(context: ServiceContext, tenantId: string, max: number): Promise<number> {
    const cutoff = await this.#cutoff(context, tenantId);
    const expired = cutoff === null ? 0 : await this.#announceBefore(tenantId, { cutoff }, max);
    const trials = { cutoff: trialCutoffOf(this.deps.app.clock.now()), trial: true } as const;
    return expired + (await this.#announceBefore(tenantId, trials, max - expired));
  }

  async #announceBefore(tenantId: string, ended: Ended, max: number): Promise<number> {
    const { app, records, removals } = this.deps;
    const { executions } = records.collections;
    let batches = 0;
    let seen: RemovedRunDocument | null = null;
    while (batches < max && !this.#task?.isStopped) {
      const found: RemovedRunDocument[] = await endedBefore(executions, tenantId, ended, seen, BATCH);
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

  async #remove(context: ServiceContext, batch: PendingRemoval): Promise<void> {
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
      await processOutboxes(
        { ...this.deps, call: context.call, announce: triggerPublisher(context, records.store) },
        ids,
      );
      await records.usage.statistics.keep(
        tenantId,
        started.map(({ startedAt }) => startedAt),
      );
      this.#removed += await records.usage.totals.remove(tenantId, started, app.clock.now());
      await removeRunData(this.deps, tenantId, ids);
      await context.call('files.remove', { execution_ids: ids }, { asServiceOf: tenantId });
    }
    await removals.done(batch);
  }
}

function announced(document: RemovedRunDocument): PendingRemoval['runs'][number] {
  const { id, startedAt, child } = removedRun(document);
  return { id, started_at: new Date(startedAt), child };
}
