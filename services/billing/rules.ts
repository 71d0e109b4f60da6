import { PLAN_NAMES, type PlanName } from '../../lib/plans';
import type { SubscriptionStatus } from './contract';
import type { Grace, SubscriptionRecord } from './models';
import type { ProviderSubscription } from './provider';

/** The plan of each price that is sold. */
export type PriceList = ReadonlyMap<string, PlanName>;

/** What a tenant's subscriptions come to. */
export type Standing = Pick<
  SubscriptionRecord,
  'plan' | 'status' | 'subscription_id' | 'period_end' | 'cancel_at_period_end'
>;

/** While a payment is late the provider asks for it again and again; until it gives up, the plan stays. */
const ENTITLED: ReadonlySet<SubscriptionStatus> = new Set(['active', 'trialing', 'past_due']);

const rank = (plan: PlanName): number => PLAN_NAMES.indexOf(plan);

/** True when a plan is a rung below another one. */
export const isBelow = (plan: PlanName, other: PlanName): boolean => rank(plan) < rank(other);

export const isEntitled = ({ status }: Pick<SubscriptionRecord, 'status'>): boolean => ENTITLED.has(status);

/**
 * The best of the subscriptions that are good, else the lowest plan with the state of the newest one. Null when one is
 * good whose price is of no plan: nobody can say what was bought.
 */
export function standingOf(subscriptions: readonly ProviderSubscription[], prices: PriceList): Standing | null {
  const good = subscriptions.filter((subscription) => isEntitled(subscription));
  const priced = good.flatMap((subscription) => {
    const plans = subscription.prices.flatMap((price) => prices.get(price) ?? []);
    return plans.map((plan) => ({ subscription, plan }));
  });
  const [best] = priced.sort(
    (a, b) => rank(b.plan) - rank(a.plan) || b.subscription.createdAt - a.subscription.createdAt,
  );
  if (best !== undefined) return standing(best.plan, best.subscription);
  if (good.length > 0) return null;
  const [newest] = [...subscriptions].sort((a, b) => b.createdAt - a.createdAt);
  return newest === undefined ? NOTHING : standing('free', newest);
}

const NOTHING: Standing = {
  plan: 'free',
  status: 'none',
  subscription_id: null,
  period_end: null,
  cancel_at_period_end: false,
};

const standing = (plan: PlanName, { id, status, periodEnd, cancelAtPeriodEnd }: ProviderSubscription): Standing => ({
  plan,
  status,
  subscription_id: id,
  period_end: periodEnd === null ? null : new Date(periodEnd),
  cancel_at_period_end: cancelAtPeriodEnd,
});

/** The grace once a tenant's plan is another one. A lower plan begins one; a plan as high as the one before ends it. */
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
