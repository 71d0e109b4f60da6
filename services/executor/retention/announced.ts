import type { Collection, Db } from 'mongodb';
import { randomId } from '../../../lib/ids';
import { SETTLED_MS } from '../usage/ledger';

/** Runs of a tenant that are about to be removed. */
export interface Announced {
  _id: string;
  tenant_id: string;
  runs: { id: string; started_at: Date; child: boolean }[];
  at: Date;
}

/** What is about to be removed, on record before it is: whoever goes on after a crash finds it here. */
export class AnnouncedRemovals {
  readonly #removals: Collection<Announced>;

  constructor(db: Db) {
    this.#removals = db.collection('run_removals', { writeConcern: { w: 'majority', journal: true } });
  }

  async createIndexes(): Promise<void> {
    await this.#removals.createIndexes([
      { key: { at: 1 }, name: 'by_age' },
      { key: { 'runs.id': 1 }, name: 'by_run' },
    ]);
  }

  async announce(tenantId: string, runs: Announced['runs'], now: number): Promise<void> {
    await this.#removals.insertOne({ _id: randomId(), tenant_id: tenantId, runs, at: new Date(now) });
  }

  /** True of a run that nothing new may be made of any more. */
  async has(executionId: string): Promise<boolean> {
    return (await this.#removals.findOne({ 'runs.id': executionId })) !== null;
  }

  /** The oldest; null when there is none. */
  oldest(): Promise<Announced | null> {
    return this.#removals.findOne({}, { sort: { at: 1 } });
  }

  /** Some of its runs stay. */
  async narrow({ _id }: Announced, runs: Announced['runs']): Promise<void> {
    await this.#removals.updateOne({ _id }, { $set: { runs } });
  }

  async done({ _id }: Announced): Promise<void> {
    await this.#removals.deleteOne({ _id });
  }
}

/** When everything that was made of the runs before they were announced is stored. */
export const settledAt = ({ at }: Announced): number => at.getTime() + SETTLED_MS;
