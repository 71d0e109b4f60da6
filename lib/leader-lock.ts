import type { Collection, Db } from 'mongodb';
import type { Clock } from './clock';
import { isDuplicateKey } from './duplicate-key';
import { DURABLE } from './write-concern';

interface LockDocument {
  _id: string;
  holder: string;
  until: Date;
}

/** Longer than any operation between two renewals. */
const LEASE_MS = 60_000;

/**
 * Elects the one process that runs a background job. A lock that is not renewed expires, so a dead process does not
 * keep it.
 */
export class LeaderLock {
  readonly #locks: Collection<LockDocument>;

  constructor(
    db: Db,
    private readonly job: string,
    private readonly holder: string,
    private readonly clock: Clock,
  ) {
    this.#locks = db.collection('leases', DURABLE);
  }

  /** Acquires or renews the lock; false while another process holds it. */
  async acquire(): Promise<boolean> {
    const now = new Date(this.clock.now());
    const until = new Date(now.getTime() + LEASE_MS);
    const free = { $or: [{ holder: this.holder }, { until: { $lte: now } }] };
    try {
      // While another process holds it, the filter matches nothing, and the insert fails on the duplicate id.
      const change = { $set: { holder: this.holder, until } };
      await this.#locks.updateOne({ _id: this.job, ...free }, change, { upsert: true });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  async release(): Promise<void> {
    await this.#locks.deleteOne({ _id: this.job, holder: this.holder });
  }
}
