import { ofTenant } from '../../../lib/tenant';
import { authModels } from '../models';
import { acting, type OperatorDeps, tenantOf } from '../operator-tools';
import { ofUser } from '../records';
import { NO_FACTORS } from './models';
import { sessionsEnded } from '../sessions/sessions';

/** Removes the second factors of an account and ends its sessions, with an audit event as for a removal by an owner. @throws Error without such an account */
export async function removeFactors(parts: OperatorDeps, slug: string, email: string): Promise<void> {
  const tenant = await tenantOf(parts, slug);
  const users = ofTenant(authModels(parts.db).users, tenant._id);
  const user = await users.findOne({ email: email.toLowerCase() });
  if (user === null) throw new Error(`${slug} has no member with the address ${email}`);
  await parts.audit.audited(acting(tenant._id), ofUser('member.reset_second_factor', user), async () => {
    await users.update({ _id: user._id }, { $unset: NO_FACTORS, $set: sessionsEnded(parts.now) });
  });
}

/** Sets that the tenant no longer requires a second factor, with an audit event. @throws Error without such a tenant */
export async function waiveFactors(parts: OperatorDeps, slug: string): Promise<void> {
  const tenant = await tenantOf(parts, slug);
  const change = {
    action: 'settings.update',
    target: { type: 'tenant', id: tenant._id, name: tenant.name },
    before: { require_second_factor: tenant.require_second_factor === true },
    after: { require_second_factor: false },
  };
  await parts.audit.audited(acting(tenant._id), change, async () => {
    await authModels(parts.db).tenants.updateOne({ _id: tenant._id }, { $set: { require_second_factor: false } });
  });
}
