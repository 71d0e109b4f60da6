import { type Connection, type Model, Schema } from 'mongoose';
import type { PlanName } from '../../lib/plans';
import { durableOptions } from '../../mixins/tenant';
import type { Notice, SubscriptionStatus } from './contract';

/** While it lasts, what is beyond the new plan goes on. */
export interface Grace {
  /** The plan before. */
  from: PlanName;
  until: Date;
  /** Workflows that were disabled since it is over. */
  disabled: { id: string; name: string }[];
}

/** What is known of a tenant's subscription, as the provider said when it was last asked. */
export interface SubscriptionRecord {
  /** The tenant. */
  _id: string;
  /** Its customers at the provider, newest last: hardly ever more than one. */
  customers: string[];
  /** The plan that is paid for. */
  plan: PlanName;
  status: SubscriptionStatus;
  subscription_id: string | null;
  period_end: Date | null;
  cancel_at_period_end: boolean;
  grace: Grace | null;
  /** False from when the plan is written here until the tenant has it. */
  applied: boolean;
  notices: Notice[];
  /** Rises with each change; a change names the one that it saw. */
  rev: number;
  synced_at: Date;
}

/**
 * An event of the provider. What it says of the customer's plan does not count: that is asked anew. All of it is kept only
 * until workflows have heard of it.
 */
export interface EventRecord {
  /** The provider's id of it. */
  _id: string;
  type: string;
  /** When it happened there. */
  created: Date;
  /** The tenant that it names, and the customer. */
  named: string | null;
  customer: string | null;
  state: 'waiting' | 'done' | 'ignored';
  /** What has become of it, in words. */
  note: string | null;
  attempts: number;
  /** When it is looked at next. */
  next_at: Date;
  /** Workflows that it may start have not heard of it; absent when they have, or there can be none. */
  telling?: {
    next_at: Date;
    attempts: number;
    /** The event as JSON text. */
    body: string;
  };
  /** What it has started, in words. */
  told?: string;
  received_at: Date;
  expires_at: Date;
}

/** An event of which workflows have not heard yet. */
export type TellingRecord = EventRecord & Required<Pick<EventRecord, 'telling'>>;

const text = { type: String, required: true } as const;
const instant = { type: Date, required: true } as const;

const workflow = new Schema({ id: text, name: text }, { _id: false });

const notice = new Schema<Notice>(
  {
    id: text,
    at: text,
    kind: text,
    message: text,
    workflows: { type: [workflow], default: undefined },
  },
  { _id: false },
);

const subscriptionSchema = new Schema<SubscriptionRecord>(
  {
    _id: text,
    customers: { type: [String], required: true },
    plan: text,
    status: text,
    subscription_id: { type: String, default: null },
    period_end: { type: Date, default: null },
    cancel_at_period_end: { type: Boolean, default: false },
    grace: { type: new Schema({ from: text, until: instant, disabled: [workflow] }, { _id: false }), default: null },
    applied: { type: Boolean, required: true },
    notices: { type: [notice], required: true },
    rev: { type: Number, required: true },
    synced_at: instant,
  },
  { ...durableOptions, collection: 'subscriptions' },
)
  .index({ customers: 1 })
  .index({ 'grace.until': 1 }, { partialFilterExpression: { 'grace.until': { $exists: true } } });

const eventSchema = new Schema<EventRecord>(
  {
    _id: text,
    type: text,
    created: instant,
    named: { type: String, default: null },
    customer: { type: String, default: null },
    state: text,
    note: { type: String, default: null },
    attempts: { type: Number, required: true },
    next_at: instant,
    telling: {
      type: new Schema({ next_at: instant, attempts: { type: Number, required: true }, body: text }, { _id: false }),
      default: undefined,
    },
    told: { type: String, default: undefined },
    received_at: instant,
    expires_at: instant,
  },
  { ...durableOptions, collection: 'billing_events' },
)
  .index({ next_at: 1 }, { partialFilterExpression: { state: 'waiting' } })
  .index({ 'telling.next_at': 1 }, { partialFilterExpression: { 'telling.next_at': { $exists: true } } })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** Who works on events and graces: one process at a time. */
export interface LeaseRecord {
  _id: string;
  holder: string;
  until: Date;
}

const leaseSchema = new Schema<LeaseRecord>(
  { _id: text, holder: text, until: instant },
  { ...durableOptions, collection: 'billing_leases' },
);

export interface BillingModels {
  readonly subscriptions: Model<SubscriptionRecord>;
  readonly events: Model<EventRecord>;
  readonly leases: Model<LeaseRecord>;
}

/** The collections that this service owns. */
export const billingModels = (db: Connection): BillingModels => ({
  subscriptions: db.model<SubscriptionRecord>('subscription', subscriptionSchema),
  events: db.model<EventRecord>('billing_event', eventSchema),
  leases: db.model<LeaseRecord>('billing_lease', leaseSchema),
});

export async function createBillingIndexes({ subscriptions, events }: BillingModels): Promise<void> {
  await Promise.all([subscriptions.createIndexes(), events.createIndexes()]);
}
