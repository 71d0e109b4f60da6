import type { Clock } from '../../lib/clock';
import { nullOnDuplicate } from '../../lib/duplicate-key';
import { randomId } from '../../lib/ids';
import type { Model } from 'mongoose';
import type { Notice } from '../../contracts/billing';
import type { SubscriptionRecord } from './models';

const MAX_NOTICES = 20;

/** Stored subscriptions, keyed by tenant, so that a tenant cannot reach those of others. */
export class Subscriptions {
  constructor(
    private readonly model: Model<SubscriptionRecord>,
    private readonly clock: Clock,
  ) {}

  /** The subscription of a tenant, or a new one that is not stored yet. */
  async of(tenantId: string): Promise<SubscriptionRecord> {
    return (await this.model.findById(tenantId).lean().exec()) ?? this.#fresh(tenantId);
  }

  /** The tenant of a known customer. */
  async tenantOf(customer: string): Promise<string | null> {
    return (await this.model.findOne({ customers: customer }).select(['_id']).lean().exec())?._id ?? null;
  }

  /** A subscription whose grace period has ended. */
  async overdue(): Promise<SubscriptionRecord | null> {
    return this.model
      .findOne({ 'grace.until': { $exists: true, $lte: new Date(this.clock.now()) } })
      .sort({ 'grace.until': 1 })
      .lean()
      .exec();
  }

  /** Changes a subscription; null when its `rev` has changed. */
  async change(seen: SubscriptionRecord, change: Partial<SubscriptionRecord>): Promise<SubscriptionRecord | null> {
    const next = { ...seen, ...change, rev: seen.rev + 1 };
    if (seen.rev > 0) {
      const { matchedCount } = await this.model.replaceOne({ _id: seen._id, rev: seen.rev }, next).exec();
      return matchedCount === 1 ? next : null;
    }
    return (await nullOnDuplicate(this.model.create(next))) === null ? null : next;
  }

  /** Appends a notice and drops the oldest ones over the limit. */
  noticed({ notices }: SubscriptionRecord, notice: Omit<Notice, 'id' | 'at'>): Notice[] {
    const at = new Date(this.clock.now()).toISOString();
    return [...notices, { id: randomId(), at, ...notice }].slice(-MAX_NOTICES);
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
