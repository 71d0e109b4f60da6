import { errorCode } from '../../lib/errors';
import { type PlanName, planTierOf } from '../../lib/plans';
import type { ServiceContext } from '../../mixins/service';
import type { App } from '../app';
import type { EventRecord, SubscriptionRecord } from './models';
import type { Provider } from './provider';
import { graceAfter, isBelow, type PlanState, planStateOf, type PriceList } from './rules';
import type { Subscriptions } from './subscriptions';

interface SyncDeps {
  readonly app: Pick<App, 'clock' | 'audit' | 'config'>;
  readonly subscriptions: Subscriptions;
  readonly provider: Provider | null;
  readonly prices: PriceList;
  readonly notify: (tenantId: string, subject: string, text: string) => void;
}

type Context = Pick<ServiceContext, 'call'>;

/**
 * Synchronizes a tenant's plan with the provider's current state, so that the order of events does not matter.
 *
 * First the subscription is written, with a new grace period and `applied: false`; then the tenant gets the plan; then
 * `applied` is set. After a crash in between, the event is still stored and processed again. A plan that an operator has set
 * manually is kept until the subscription changes.
 */
export function subscriptionSync({ app, subscriptions, provider, prices, notify }: SyncDeps) {
  /** Processes an event. Returns its outcome as text. @throws Error when it must be retried */
  async function sync(context: Context, event: EventRecord): Promise<string> {
    const tenantId = event.named ?? (event.customer === null ? null : await subscriptions.tenantOf(event.customer));
    let hasConflict = false;
    for (;;) {
      const current = tenantId === null ? null : await planOf(context, tenantId);
      if (tenantId === null || current === null) return UNKNOWN_TENANT;
      const seen = await subscriptions.of(tenantId);
      const customers = [...new Set([...seen.customers, ...(event.customer === null ? [] : [event.customer])])];
      const state = await fetchPlanState(tenantId, customers);
      const changes = state.plan !== seen.plan || !seen.applied || hasConflict;
      const written = await subscriptions.change(seen, {
        ...state,
        customers,
        synced_at: new Date(app.clock.now()),
        ...(changes ? { applied: false, grace: graceOf(seen, state, current) } : {}),
      });
      if (written !== null && !changes) return `The plan stays ${state.plan}`;
      if (written !== null && (await apply(context, written, event))) return `The plan is ${state.plan}`;
      // Another process has changed the record, and possibly the tenant's plan after this process did.
      hasConflict = written !== null;
    }
  }

  async function fetchPlanState(tenantId: string, customers: readonly string[]): Promise<PlanState> {
    if (provider === null) throw new Error('Subscriptions cannot be read: set BILLING_PROVIDER_API_KEY');
    const lists = await Promise.all(customers.map((customer) => provider.subscriptions(customer)));
    const own = lists.flat().filter((subscription) => (subscription.tenantId ?? tenantId) === tenantId);
    const state = planStateOf(own, prices);
    if (state === null) throw new Error('A subscription has a price that is not in any BILLING_PROVIDER_PRICE_*');
    return state;
  }

  function graceOf(seen: SubscriptionRecord, { plan }: PlanState, current: PlanName): SubscriptionRecord['grace'] {
    // Continues a change that a crash interrupted.
    if (!seen.applied && seen.plan === plan) return seen.grace;
    const until = new Date(app.clock.now() + app.config.billing.graceMs);
    return graceAfter(seen.grace, { from: current, to: plan }, until);
  }

  /** False when another process has changed the record meanwhile. */
  async function apply({ call }: Context, seen: SubscriptionRecord, event: EventRecord): Promise<boolean> {
    const { _id: tenantId, plan, status, grace } = seen;
    const before = await planOf({ call }, tenantId);
    const setPlan = () => call('auth.set_plan', { plan }, { asServiceOf: tenantId });
    if (before !== null && before !== plan) {
      await app.audit.audited(
        { tenantId, actor: { type: 'service', id: 'billing', email: null, ip: null }, requestId: event._id },
        {
          action: 'plan.change',
          target: { type: 'tenant', id: tenantId },
          before: { plan: before },
          after: { plan, subscription_status: status, grace_until: grace?.until.toISOString() ?? null },
        },
        setPlan,
      );
    } else if (before !== null) {
      // The current plan is cached for a second, and a stale value must not leave the tenant with a wrong plan.
      await setPlan();
    }
    const message = messageOf(plan, grace);
    const notices = subscriptions.noticed(seen, { kind: grace === null ? 'plan_changed' : 'grace_began', message });
    if ((await subscriptions.change(seen, { applied: true, notices })) === null) return false;
    if (grace !== null && isBelow(plan, grace.from)) notify(tenantId, `Your plan is now ${plan}`, message);
    return true;
  }

  return sync;
}

const UNKNOWN_TENANT = 'The event has no tenant of this installation; nothing was changed';

/** The current plan of a tenant; null when there is no such tenant. */
async function planOf({ call }: Context, tenantId: string): Promise<PlanName | null> {
  try {
    return planTierOf((await call('auth.entitlements', {}, { asServiceOf: tenantId })).plan);
  } catch (fault) {
    if (errorCode(fault) === 'not_found') return null;
    throw fault;
  }
}

const messageOf = (plan: PlanName, grace: SubscriptionRecord['grace']): string =>
  grace === null
    ? `Your plan is now ${plan}.`
    : `Your plan is now ${plan}. Nothing is deleted now, and everything keeps running until ${grace.until.toISOString()}. Then the newest active workflows over the plan's limit are disabled, and executions older than its history are removed.`;
