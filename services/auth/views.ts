import type { Role } from '../../lib/roles';
import type { ApiKeyView, TenantView, UserView } from '../../contracts/auth/accounts';
import type { SessionView } from '../../contracts/auth/sessions';
import type { ApiKeyDoc, InviteDoc, SessionDoc, TenantDoc, UserDoc } from './models';
import type { InviteView, MemberView } from '../../contracts/auth/team';
import type { PasskeyView } from '../../contracts/auth/passkeys';
import { hasFactor, hasPasskey, type PasskeyFactor } from './factors/models';
import type { MembershipStatus } from './team/membership';

export const userView = (user: UserDoc, role: Role): UserView => ({
  id: user._id,
  email: user.email,
  role,
  tenant_id: user.tenant_id,
});

export const tenantView = (tenant: TenantDoc): TenantView => ({
  id: tenant._id,
  slug: tenant.slug,
  name: tenant.name,
  plan: tenant.plan,
  organization_id: tenant.organization_id,
  settings: {
    require_approval: tenant.require_approval,
    require_second_factor: tenant.require_second_factor === true,
  },
  suspended:
    tenant.suspended === undefined
      ? null
      : { since: tenant.suspended.since.toISOString(), reason: tenant.suspended.reason },
  created_at: tenant.created_at.toISOString(),
});

/** `user`: whose key it is; null when that user has just been removed. */
export const apiKeyView = (key: ApiKeyDoc, user: Pick<UserDoc, 'email' | 'is_service'> | null): ApiKeyView => ({
  id: key._id,
  name: key.name,
  prefix: key.prefix,
  scope: key.scope ?? 'admin',
  user_id: key.user_id,
  user: user?.email ?? '',
  service_account: user?.is_service === true,
  created_by: key.created_by ?? key.user_id,
  created_at: key.created_at.toISOString(),
  expires_at: key.expires_at?.toISOString() ?? null,
  rotated_at: key.rotated_at?.toISOString() ?? null,
  previous_valid_until: key.previous?.valid_until.toISOString() ?? null,
  last_used_at: key.last_used_at?.toISOString() ?? null,
});

export const memberView = ({ user, role }: MembershipStatus): MemberView => ({
  id: user._id,
  email: user.email,
  kind: user.is_service === true ? 'service' : 'person',
  role,
  active: user.deactivated_at === undefined,
  email_verified: user.email_verified_at !== null,
  second_factor: hasFactor(user),
  sign_in: [
    ...(user.password_hash === null ? [] : (['password'] as const)),
    ...(hasPasskey(user) ? (['passkey'] as const) : []),
    ...new Set(user.identities.map(({ via }) => via)),
  ],
  created_at: user.created_at.toISOString(),
  last_sign_in_at: user.last_sign_in_at?.toISOString() ?? null,
});

export const passkeyView = (passkey: PasskeyFactor): PasskeyView => ({
  id: passkey.id,
  name: passkey.name,
  backup_eligible: passkey.backup_eligible,
  backed_up: passkey.backed_up,
  created_at: passkey.created_at.toISOString(),
  last_used_at: passkey.last_used_at?.toISOString() ?? null,
});

export const sessionView = (session: SessionDoc, currentId: string | undefined): SessionView => ({
  id: session._id,
  via: session.via,
  device: session.device,
  address: session.address,
  created_at: session.created_at.toISOString(),
  last_used_at: session.last_used_at.toISOString(),
  expires_at: session.expires_at.toISOString(),
  current: session._id === currentId,
});

export const inviteView = (invite: InviteDoc, nowMs: number): InviteView => ({
  id: invite._id,
  email: invite.email,
  role: invite.role,
  status: invite.expires_at.getTime() > nowMs ? 'pending' : 'expired',
  invited_by: invite.invited_by,
  created_at: invite.created_at.toISOString(),
  expires_at: invite.expires_at.toISOString(),
});
