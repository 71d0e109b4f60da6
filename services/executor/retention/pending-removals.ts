import { DURABLE } from '../../../lib/write-concern';
import type { Collection, Db } from 'mongodb';
import { randomId } from '../../../lib/ids';
import { SETTLED_MS } from '../usage/usage-totals';

/** Runs of a tenant that are about to be removed. */
export interface PendingRemoval {
  _id: string;
  tenant_id: string;
  runs: { id: string; started_at: Date; child: boolean }[];
  at: Date;
}

/** Runs that are about to be removed, recorded first so that a removal continues after a crash. */
export class PendingRemovals {
  readonly #removals: Collection<PendingRemoval>;

  constructor(db: Db) {
    this.#removals = db.collection('run_removals', DURABLE);
  }

  async createIndexes(): Promise<void> {
    await this.#removals.createIndexes([
      { key: { at: 1 }, name: 'by_age' },
      { key: { 'runs.id': 1 }, name: 'by_run' },
    ]);
  }

  async announce(tenantId: string, runs: PendingRemoval['runs'], now: number): Promise<void> {
    await this.#removals.insertOne({ _id: randomId(), tenant_id: tenantId, runs, at: new Date(now) });
  }

  /** True for a run that must not be retried, as it is being removed. */
  async has(executionId: string): Promise<boolean> {
    return (await this.#removals.findOne({ 'runs.id': executionId })) !== null;
  }

  /** The oldest batch; null when there is none. */
  oldest(): Promise<PendingRemoval | null> {
    return this.#removals.findOne({}, { sort: { at: 1 } });
  }

  /** Replaces the runs of a batch by those that are removed. */
  async narrow({ _id }: PendingRemoval, runs: PendingRemoval['runs']): Promise<void> {
    await this.#removals.updateOne({ _id }, { $set: { runs } });
  }

  async done({ _id }: PendingRemoval): Promise<void> {
    await this.#removals.deleteOne({ _id });
  }
}

/** When all retries and children that were started before the record are stored. */
export const settledAt = ({ at }: PendingRemoval): number => at.getTime() + SETTLED_MS;
