import { ofTenant } from '../../../lib/tenant';
import type { UserDoc } from '../models';
import type { AuthDeps } from '../deps';
import { sessionsEnded } from './sessions';

/**
 * What a password reset writes when it is the first confirmation of the address: another person may have registered with
 * the address, and must not keep a way in. API keys and invitations of the same millisecond are left to
 * `removeEnded`, so that those made right after this count.
 */
export const endedAt = (now: number) => ({
  email_verified_at: new Date(now),
  ...sessionsEnded(now),
  credentials_valid_from: new Date(now),
});

/** Removes the records that do not count after that. */
export async function removeEnded(parts: AuthDeps, { _id, tenant_id }: UserDoc): Promise<void> {
  const { models } = parts;
  const before = { created_at: { $lte: new Date(parts.app.clock.now()) } };
  await ofTenant(models.apiKeys, tenant_id).remove({ ...before, user_id: _id });
  await ofTenant(models.invites, tenant_id).remove({ ...before, invited_by: _id });
  await ofTenant(models.mailTokens, tenant_id).remove({ user_id: _id });
  await parts.changed(`auth:user:${_id}`);
}

/**
 * Switches off single sign-on of an owner's tenant where no other owner has a confirmed address: its provider signs in
 * as any member.
 */
export async function disableUnconfirmedSso({ models, membership }: AuthDeps, user: UserDoc): Promise<void> {
  const { _id, tenant_id } = user;
  if ((await membership.find(tenant_id, _id))?.role !== 'owner') return;
  const tenant = await models.tenants.findById(tenant_id).lean();
  const others = (tenant?.owners ?? []).filter((id) => id !== _id);
  const confirmed = { _id: { $in: others }, email_verified_at: { $ne: null } };
  if ((await ofTenant(models.users, tenant_id).count(confirmed)) > 0) return;
  const off = { $set: { enabled: false, enforce: false, enforce_domains: [] } };
  await ofTenant(models.ssoConfigs, tenant_id).update({ _id: tenant_id, enabled: true }, off);
}
