import type { Collection, Db } from 'mongodb';
import type { Clock } from '../lib/clock';
import { isDuplicateKey } from '../lib/duplicate-key';

interface LeaseDocument {
  _id: string;
  holder: string;
  until: Date;
}

/** Longer than anything that is done between two renewals. */
const LEASE_MS = 60_000;

/** The right to do a chore that one process alone does at a time. Lost when it is not renewed, so nobody who dies holds it up. */
export class ChoreLease {
  readonly #leases: Collection<LeaseDocument>;

  constructor(
    db: Db,
    private readonly chore: string,
    private readonly holder: string,
    private readonly clock: Clock,
  ) {
    this.#leases = db.collection('leases', { writeConcern: { w: 'majority', journal: true } });
  }

  /** Takes or renews it; false while another process has it. */
  async take(): Promise<boolean> {
    const now = new Date(this.clock.now());
    const until = new Date(now.getTime() + LEASE_MS);
    const free = { $or: [{ holder: this.holder }, { until: { $lte: now } }] };
    try {
      // Where somebody has it, nothing matches, and an insert is refused by its id.
      const change = { $set: { holder: this.holder, until } };
      await this.#leases.updateOne({ _id: this.chore, ...free }, change, { upsert: true });
      return true;
    } catch (fault) {
      if (isDuplicateKey(fault)) return false;
      throw fault;
    }
  }

  async release(): Promise<void> {
    await this.#leases.deleteOne({ _id: this.chore, holder: this.holder });
  }
}
