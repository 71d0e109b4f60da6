import { type Connection, type Model, Schema } from 'mongoose';
import type { PlanName } from '../../lib/plans';
import { durableOptions, requiredText, optionalText, requiredNumber, requiredDate } from '../../lib/tenant';
import { createIndexes } from '../../lib/indexes';
import type { Notice, SubscriptionStatus } from '../../contracts/billing';

/** During the grace period, workflows over the limits of the new plan keep running. */
export interface Grace {
  /** The previous plan. */
  from: PlanName;
  until: Date;
  /** Workflows that were disabled at the end of the grace period. */
  disabled: { id: string; name: string }[];
}

/** A tenant's subscription, as last reported by the provider. */
export interface SubscriptionRecord {
  /** The tenant. */
  _id: string;
  /** The tenant's customer ids at the provider, newest last; usually one. */
  customers: string[];
  /** The plan of the subscription. */
  plan: PlanName;
  status: SubscriptionStatus;
  subscription_id: string | null;
  period_end: Date | null;
  cancel_at_period_end: boolean;
  grace: Grace | null;
  /** False until the plan is applied to the tenant. */
  applied: boolean;
  notices: Notice[];
  /** Incremented by each change, for optimistic concurrency. */
  rev: number;
  synced_at: Date;
}

/**
 * An event of the provider. The plan is not taken from the event, but read from the provider's API. The body is stored only
 * until the event is delivered to workflows.
 */
export interface EventRecord {
  /** The provider's event id. */
  _id: string;
  type: string;
  /** Time of the event at the provider. */
  created: Date;
  /** The tenant in the event's metadata, and its customer. */
  named: string | null;
  customer: string | null;
  state: 'waiting' | 'done' | 'ignored';
  /** The outcome, or the last error. */
  note: string | null;
  attempts: number;
  /** When it is processed next. */
  next_at: Date;
  /** Present while the event is not yet delivered to workflows that it may start. */
  telling?: {
    next_at: Date;
    attempts: number;
    /** The event as JSON text. */
    body: string;
  };
  /** Outcome of the delivery to workflows, or why the last attempt failed. */
  told?: string;
  received_at: Date;
  expires_at: Date;
}

/** An event that is not yet delivered to workflows. */
export type UndeliveredEvent = EventRecord & Required<Pick<EventRecord, 'telling'>>;

const workflow = new Schema({ id: requiredText, name: requiredText }, { _id: false });

const notice = new Schema<Notice>(
  {
    id: requiredText,
    at: requiredText,
    kind: requiredText,
    message: requiredText,
    workflows: { type: [workflow], default: undefined },
  },
  { _id: false },
);

const subscriptionSchema = new Schema<SubscriptionRecord>(
  {
    _id: requiredText,
    customers: { type: [String], required: true },
    plan: requiredText,
    status: requiredText,
    subscription_id: optionalText,
    period_end: { type: Date, default: null },
    cancel_at_period_end: { type: Boolean, default: false },
    grace: {
      type: new Schema({ from: requiredText, until: requiredDate, disabled: [workflow] }, { _id: false }),
      default: null,
    },
    applied: { type: Boolean, required: true },
    notices: { type: [notice], required: true },
    rev: requiredNumber,
    synced_at: requiredDate,
  },
  { ...durableOptions, collection: 'subscriptions' },
)
  .index({ customers: 1 })
  .index({ 'grace.until': 1 }, { partialFilterExpression: { 'grace.until': { $exists: true } } });

const eventSchema = new Schema<EventRecord>(
  {
    _id: requiredText,
    type: requiredText,
    created: requiredDate,
    named: optionalText,
    customer: optionalText,
    state: requiredText,
    note: optionalText,
    attempts: requiredNumber,
    next_at: requiredDate,
    telling: {
      type: new Schema({ next_at: requiredDate, attempts: requiredNumber, body: requiredText }, { _id: false }),
      default: undefined,
    },
    told: { type: String, default: undefined },
    received_at: requiredDate,
    expires_at: requiredDate,
  },
  { ...durableOptions, collection: 'billing_events' },
)
  .index({ next_at: 1 }, { partialFilterExpression: { state: 'waiting' } })
  .index({ 'telling.next_at': 1 }, { partialFilterExpression: { 'telling.next_at': { $exists: true } } })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });

interface BillingModels {
  readonly subscriptions: Model<SubscriptionRecord>;
  readonly events: Model<EventRecord>;
}

/** The collections that this service owns. */
export const billingModels = (db: Connection): BillingModels => ({
  subscriptions: db.model<SubscriptionRecord>('subscription', subscriptionSchema),
  events: db.model<EventRecord>('billing_event', eventSchema),
});

export async function createBillingIndexes({ subscriptions, events }: BillingModels): Promise<void> {
  await createIndexes(subscriptions, events);
}
