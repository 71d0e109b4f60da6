import { PLAN_NAMES, type PlanName } from '../../lib/plans';
import type { SubscriptionStatus } from '../../contracts/billing';
import type { Grace, SubscriptionRecord } from './models';
import type { ProviderSubscription } from './provider';

/** The plan of each price that is for sale. */
export type PriceList = ReadonlyMap<string, PlanName>;

/** The plan and status that result from a tenant's subscriptions. */
export type PlanState = Pick<
  SubscriptionRecord,
  'plan' | 'status' | 'subscription_id' | 'period_end' | 'cancel_at_period_end'
>;

/** The plan is kept while the provider retries a late payment. */
const ENTITLED: ReadonlySet<SubscriptionStatus> = new Set(['active', 'trialing', 'past_due']);

const rank = (plan: PlanName): number => PLAN_NAMES.indexOf(plan);

/** True when a plan is a lower tier than another one. */
export const isBelow = (plan: PlanName, other: PlanName): boolean => rank(plan) < rank(other);

export const isEntitled = ({ status }: Pick<SubscriptionRecord, 'status'>): boolean => ENTITLED.has(status);

/**
 * The best plan of the valid subscriptions, else the lowest plan with the status of the newest subscription. Null when an
 * active subscription has a price without a plan: the plan that was bought is unknown.
 */
export function planStateOf(subscriptions: readonly ProviderSubscription[], prices: PriceList): PlanState | null {
  const good = subscriptions.filter((subscription) => isEntitled(subscription));
  const priced = good.flatMap((subscription) => {
    const plans = subscription.prices.flatMap((price) => prices.get(price) ?? []);
    return plans.map((plan) => ({ subscription, plan }));
  });
  const [best] = priced.sort(
    (a, b) => rank(b.plan) - rank(a.plan) || b.subscription.createdAt - a.subscription.createdAt,
  );
  if (best !== undefined) return planState(best.plan, best.subscription);
  if (good.length > 0) return null;
  const [newest] = [...subscriptions].sort((a, b) => b.createdAt - a.createdAt);
  return newest === undefined ? NO_SUBSCRIPTION : planState('free', newest);
}

const NO_SUBSCRIPTION: PlanState = {
  plan: 'free',
  status: 'none',
  subscription_id: null,
  period_end: null,
  cancel_at_period_end: false,
};

const planState = (plan: PlanName, { id, status, periodEnd, cancelAtPeriodEnd }: ProviderSubscription): PlanState => ({
  plan,
  status,
  subscription_id: id,
  period_end: periodEnd === null ? null : new Date(periodEnd),
  cancel_at_period_end: cancelAtPeriodEnd,
});

/** The grace period after a change of the plan. A lower plan starts one; a plan as high as the previous one ends it. */
export function graceAfter(
  grace: Grace | null,
  change: { readonly from: PlanName; readonly to: PlanName },
  until: Date,
): Grace | null {
  const { from, to } = change;
  if (isBelow(to, from)) {
    const highest = grace !== null && isBelow(from, grace.from) ? grace.from : from;
    return { from: highest, until, disabled: [] };
  }
  return grace !== null && isBelow(to, grace.from) ? grace : null;
}
