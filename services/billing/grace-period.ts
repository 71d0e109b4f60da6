import type { ServiceContext } from '../../mixins/service';
import type { SubscriptionRecord } from './models';
import type { Subscriptions } from './subscriptions';

interface GraceDeps {
  readonly subscriptions: Subscriptions;
  readonly notify: (tenantId: string, subject: string, text: string) => void;
}

/** Disabled workflows listed in the notice, and in its text. */
const MAX_LISTED = 1_000;
const MAX_NAMED = 10;

/**
 * Ends a grace period: disables the newest active workflows over the limit of the plan. Their names are stored before they
 * are disabled, so that after a crash the notice still lists all of them. False when the subscription has changed meanwhile,
 * for example by an upgrade; the caller reads it again.
 */
export async function endGrace(
  { subscriptions, notify }: GraceDeps,
  { call }: Pick<ServiceContext, 'call'>,
  overdue: SubscriptionRecord,
): Promise<boolean> {
  const asService = { asServiceOf: overdue._id };
  const { limits, plan } = await call('auth.entitlements', {}, asService);
  const keep = limits.active_workflows;
  let seen = overdue;
  while (keep !== null && seen.grace !== null) {
    const { data } = await call('workflows.beyond', { keep }, asService);
    if (data.length === 0) break;
    const known = new Set(seen.grace.disabled.map(({ id }) => id));
    const disabled = [...seen.grace.disabled, ...data.filter(({ id }) => !known.has(id))].slice(0, MAX_LISTED);
    const updated = await subscriptions.change(seen, { grace: { ...seen.grace, disabled } });
    if (updated === null) return false;
    seen = updated;
    for (const { id } of data) await call('workflows.suspend', { id }, asService);
  }
  const workflows = seen.grace?.disabled ?? [];
  if (workflows.length === 0) return (await subscriptions.change(seen, { grace: null })) !== null;
  const message = messageOf(plan, keep, workflows);
  const notices = subscriptions.noticed(seen, { kind: 'workflows_disabled', message, workflows });
  if ((await subscriptions.change(seen, { grace: null, notices })) === null) return false;
  notify(seen._id, 'Workflows were disabled', message);
  return true;
}

function messageOf(plan: string, limit: number | null, workflows: readonly { name: string }[]): string {
  const named = workflows.slice(0, MAX_NAMED).map(({ name }) => name);
  const others = workflows.length - named.length;
  const names = `${named.join(', ')}${others > 0 ? ` and ${others} others` : ''}`;
  return `Your plan ${plan} allows ${limit} active workflows, so the newest ones over the limit were disabled: ${names}. Nothing was deleted; enable them again once there is room.`;
}
