import type { Clock } from '../../lib/clock';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { randomId } from '../../lib/ids';
import type { Model } from 'mongoose';
import type { Notice } from './contract';
import type { SubscriptionRecord } from './models';

const MOST_NOTICES = 20;

/** What is on record of tenants' subscriptions. The tenant is the key, so there is no way from one to another's. */
export class Subscriptions {
  constructor(
    private readonly model: Model<SubscriptionRecord>,
    private readonly clock: Clock,
  ) {}

  /** As it begins where the tenant never had one. */
  async of(tenantId: string): Promise<SubscriptionRecord> {
    return (await this.model.findById(tenantId).lean().exec()) ?? this.#fresh(tenantId);
  }

  /** The tenant that has had a customer before. */
  async tenantOf(customer: string): Promise<string | null> {
    return (await this.model.findOne({ customers: customer }).select(['_id']).lean().exec())?._id ?? null;
  }

  /** One whose grace is over. */
  async overdue(): Promise<SubscriptionRecord | null> {
    return this.model
      .findOne({ 'grace.until': { $exists: true, $lte: new Date(this.clock.now()) } })
      .sort({ 'grace.until': 1 })
      .lean()
      .exec();
  }

  /** Changes one that is still as it was seen; null when it is not. */
  async change(seen: SubscriptionRecord, change: Partial<SubscriptionRecord>): Promise<SubscriptionRecord | null> {
    const next = { ...seen, ...change, rev: seen.rev + 1 };
    if (seen.rev > 0) {
      const { matchedCount } = await this.model.replaceOne({ _id: seen._id, rev: seen.rev }, next).exec();
      return matchedCount === 1 ? next : null;
    }
    try {
      await this.model.create(next);
      return next;
    } catch (fault) {
      if (isDuplicateKey(fault)) return null;
      throw fault;
    }
  }

  /** The notices with a further one; the oldest go. */
  noticed({ notices }: SubscriptionRecord, notice: Omit<Notice, 'id' | 'at'>): Notice[] {
    const at = new Date(this.clock.now()).toISOString();
    return [...notices, { id: randomId(), at, ...notice }].slice(-MOST_NOTICES);
  }

  #fresh(tenantId: string): SubscriptionRecord {
    return {
      _id: tenantId,
      customers: [],
      plan: 'free',
      status: 'none',
      subscription_id: null,
      period_end: null,
      cancel_at_period_end: false,
      grace: null,
      applied: true,
      notices: [],
      rev: 0,
      synced_at: new Date(this.clock.now()),
    };
  }
}
