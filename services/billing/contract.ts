import type { Limits, PlanName } from '../../lib/plans';
import type { ProviderDelivery } from '../channels/contract';
import type { DayFigures } from '../executor/contract';

/** A rung of the ladder. `available`: it can be bought here. */
export interface PlanView {
  name: PlanName;
  title: string;
  limits: Limits;
  available: boolean;
}

/** What the tenant is told about its plan. Times are RFC 3339. */
export interface Notice {
  id: string;
  at: string;
  kind: 'plan_changed' | 'grace_began' | 'workflows_disabled';
  message: string;
  /** Only of `workflows_disabled`: which. */
  workflows?: { id: string; name: string }[];
}

/** The states of a subscription at the provider; `none`: there never was one. */
export const SUBSCRIPTION_STATUSES = [
  'none',
  'active',
  'trialing',
  'past_due',
  'unpaid',
  'canceled',
  'incomplete',
  'incomplete_expired',
  'paused',
] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

export interface SubscriptionView {
  plan: string;
  status: SubscriptionStatus;
  limits: Limits;
  /** What of the limits is used, by their names. */
  usage: {
    active_workflows: number;
    executions_per_month: number;
    members: number;
    knowledge_base_mb: number;
    storage_mb: number;
  };
  /** The month by which executions are counted. */
  period: { start: string; end: string };
  /** When the next payment is due; null without one. */
  renews_at: string | null;
  /** When the subscription ends, where it has been cancelled; null otherwise. */
  ends_at: string | null;
  /** Until then everything goes on that is beyond the limits of a plan that has become a lower one; null: there is none. */
  grace_until: string | null;
  notices: Notice[];
}

/** What a tenant has used: in the month by which limits count, and day by day. */
export interface MetricsView extends Pick<SubscriptionView, 'plan' | 'limits' | 'usage' | 'period'> {
  /** Sums over the days. */
  executions: Pick<DayFigures, 'total' | 'running' | 'completed' | 'failed' | 'cancelled'>;
  steps: number;
  tokens: number;
  cost_usd: number;
  /** The last thirty, in UTC, today last. */
  days: DayFigures[];
}

export interface BillingActions {
  'billing.plans': (p: Record<string, never>) => { data: PlanView[] };
  'billing.subscription': (p: Record<string, never>) => SubscriptionView;
  'billing.metrics': (p: Record<string, never>) => MetricsView;
  /** Where to pay for a plan. */
  'billing.checkout': (p: { plan: 'pro' | 'enterprise' }) => { url: string; session_id: string };
  /** Where to see bills, change the plan, cancel. */
  'billing.portal': (p: Record<string, never>) => { url: string };
  /** Internal: an event of the provider, kept when this answers. */
  'billing.receive': (p: ProviderDelivery) => { received: true };
  /**
   * Internal: what a higher plan still allows while its grace lasts: executions a month, and days of history. 0 where there
   * is no grace, null for any number.
   */
  'billing.allowance': (p: Record<string, never>) => {
    executions_per_month: number | null;
    history_days: number | null;
  };
}
