import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError, errorCode } from '../../../lib/errors';
import { ofTenant } from '../../../lib/tenant';
import type { InviteDoc, TenantDoc, UserDoc } from '../models';
import type { AuthDeps } from '../deps';
import { actingAs, type Caller, ofUser } from '../records';

/** The credentials of the accepting user, and whether the address is confirmed. */
export type Newcomer = Pick<UserDoc, 'password_hash' | 'identities' | 'email_verified_at'>;

/**
 * Makes the user of an invitation. A crash anywhere leaves an invitation that is still there and can be accepted again,
 * with the same outcome: at most one user, and for an owner's the rank that he was promised.
 * @throws AppError invalid_token, conflict, quota_exceeded
 */
export async function accept(
  parts: AuthDeps,
  { tenant, invite, newcomer }: { tenant: TenantDoc; invite: InviteDoc; newcomer: Newcomer },
  ctx: Caller,
): Promise<UserDoc> {
  const user = { _id: invite.user_id, tenant_id: tenant._id, email: invite.email };
  const change = ofUser('member.accept', user, { after: { role: invite.role, invite: invite._id } });
  return parts.app.audit.audited(actingAs(user, ctx), change, () => admitted(parts, tenant, invite, newcomer));
}

async function admitted(parts: AuthDeps, tenant: TenantDoc, invite: InviteDoc, newcomer: Newcomer): Promise<UserDoc> {
  const { invites, membership, memberQuota, models, app } = parts;
  const now = app.clock.now();
  const begun = invite.claimed_at !== null;
  await invites.claim(invite, now);
  const users = ofTenant(models.users, tenant._id);
  const known = begun ? await users.findOne({ _id: invite.user_id }) : null;
  const user: UserDoc = known ?? {
    _id: invite.user_id,
    tenant_id: tenant._id,
    email: invite.email,
    role: invite.role === 'owner' ? 'admin' : invite.role,
    ...newcomer,
    sessions_valid_from: null,
    last_sign_in_at: null,
    created_at: new Date(now),
  };
  // The inviter knows the token too: once its user has signed in, it opens nothing any more.
  if (known !== null && known.last_sign_in_at !== null) {
    await invites.finish(invite);
    throw alreadyMember();
  }
  if (known === null) {
    try {
      await memberQuota.seat(tenant, user);
    } catch (error) {
      // Anything else may have come after the user was made: the claim stays, and the token finishes it.
      if (errorCode(error) === 'quota_exceeded') await invites.release(invite);
      if (!isDuplicateKey(error)) throw error;
      // The same token is being accepted concurrently, or the address has become a member in another way.
      if ((await users.findOne({ _id: invite.user_id })) === null) await invites.finish(invite);
      throw alreadyMember();
    }
  } else {
    await users.update({ _id: known._id }, { $set: { ...newcomer } });
  }
  if (invite.role === 'owner') await membership.setRole(tenant._id, user._id, 'owner');
  await invites.finish(invite);
  return { ...user, ...newcomer };
}

export const alreadyMember = (): AppError =>
  new AppError('conflict', 'This e-mail address belongs to a member already; sign in');
