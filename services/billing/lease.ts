import type { Model } from 'mongoose';
import type { Clock } from '../../lib/clock';
import { isDuplicateKey } from '../../lib/duplicate-key';
import type { LeaseRecord } from './models';

const NAME = 'chores';
/** Longer than anything that is done between two renewals. */
const LEASE_MS = 60_000;

/** The right to do what one process alone does at a time. Lost when it is not renewed: whoever died does not hold it up. */
export class Lease {
  constructor(
    private readonly model: Model<LeaseRecord>,
    private readonly holder: string,
    private readonly clock: Clock,
  ) {}

  /** Takes or renews it; false while another process has it. */
  async take(): Promise<boolean> {
    const now = this.clock.now();
    const until = new Date(now + LEASE_MS);
    const free = { $or: [{ holder: this.holder }, { until: { $lte: new Date(now) } }] };
    const { matchedCount } = await this.model
      .updateOne({ _id: NAME, ...free }, { $set: { holder: this.holder, until } })
      .exec();
    if (matchedCount === 1) return true;
    try {
      await this.model.create({ _id: NAME, holder: this.holder, until });
      return true;
    } catch (fault) {
      if (isDuplicateKey(fault)) return false;
      throw fault;
    }
  }

  async release(): Promise<void> {
    await this.model.deleteOne({ _id: NAME, holder: this.holder }).exec();
  }
}
