import { AppError } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import type { Role } from '../../lib/roles';
import { passwordEndedMail } from './mails';
import { ofTenant } from '../../lib/tenant';
import { removeEnded } from './sessions/first-confirmation';
import type { ParamsOf } from '../../contracts/catalogue';
import type { Session } from '../../contracts/auth/accounts';
import { hasFactor } from './factors/models';
import type { TenantDoc, UserDoc } from './models';
import type { AuthDeps } from './deps';
import { actingAs, type Caller, ofUser, sessionOrigin } from './records';
import { sessionsEnded } from './sessions/sessions';
import { accept, type Newcomer } from './team/accept';
import { deactivated } from './team/membership';

/** Whom an identity provider has vouched for, and to what he is entitled. */
type SignIn = ParamsOf<'auth.sign_in'>;

/**
 * A session for a user whom an identity provider has authenticated: the user of that identity, else of that e-mail
 * address, else of an invitation to it, else one made now. What people gave, no mapping overwrites: it never makes or removes an owner.
 * @throws AppError not_found, forbidden, quota_exceeded
 */
export async function signIn(parts: AuthDeps, claim: SignIn, ctx: Caller): Promise<Session> {
  const tenant = await parts.tenantOf(claim.tenant_id);
  const found = (await byIdentity(parts, claim)) ?? (await byEmail(parts, claim, ctx));
  const user = found ?? (await justInTime(parts, tenant, claim, ctx));
  if (user.deactivated_at !== undefined) throw deactivated();
  const role = mapped(claim.role);
  if (claim.sync_role && user.role !== role && !(await owns(parts, user))) {
    const change = ofUser('member.role', user, { before: { role: user.role }, after: { role, via: claim.via } });
    await parts.app.audit.audited(actingAs(user, ctx), change, () =>
      parts.models.users.updateOne({ _id: user._id }, { $set: { role } }),
    );
    await parts.changed(`auth:user:${user._id}`);
  }
  const origin = sessionOrigin(claim.via, ctx, claim.user_agent);
  const signedIn = claim.sync_role ? { ...user, role } : user;
  // A tenant's own provider sees to second factors itself; the one that all tenants share knows nothing of theirs.
  if (claim.via !== 'suite') return parts.session(signedIn, origin, 'left to the provider');
  if (hasFactor(user)) throw parts.factors.challenge(user, 'suite');
  return parts.session(signedIn, origin);
}

/** What people gave is no mapping's to take, nor to tell of. */
const owns = async (parts: AuthDeps, { tenant_id, _id }: UserDoc): Promise<boolean> =>
  (await parts.membership.find(tenant_id, _id))?.role === 'owner';

const mapped = (role: Role): UserDoc['role'] => (role === 'owner' ? 'admin' : role);

const identityOf = ({ via, subject }: SignIn) => ({ via, subject });

async function byIdentity(parts: AuthDeps, claim: SignIn): Promise<UserDoc | null> {
  const identities = { $elemMatch: identityOf(claim) };
  return present(parts, await ofTenant(parts.models.users, claim.tenant_id).findOne({ identities }));
}

/**
 * The user of the address, to whom the identity belongs from now on. The tenant's own provider knows whose address it
 * is; one that is everybody's knows it of the person, but not of the account: another person may have created it, with a
 * password that he knows. Unless the address is verified it refuses; and with the first sign-in a password ends.
 */
async function byEmail(parts: AuthDeps, claim: SignIn, ctx: Caller): Promise<UserDoc | null> {
  const users = ofTenant(parts.models.users, claim.tenant_id);
  const found = await present(parts, await users.findOne({ email: claim.email }));
  if (found === null) return null;
  if (claim.via === 'suite' && found.email_verified_at === null) {
    throw new AppError(
      'forbidden',
      'An account with this e-mail address exists, but the address is not verified; sign in with the password and verify it first',
    );
  }
  if (claim.via === 'suite' && hasFactor(found)) {
    throw new AppError(
      'forbidden',
      'This account has a second factor and is not linked to the identity provider; sign in with the password',
    );
  }
  if (claim.via === 'suite' && found.password_hash !== null) return linkWithoutPassword(parts, found, claim, ctx);
  return users.update({ _id: found._id }, { $addToSet: { identities: identityOf(claim) } });
}

/**
 * The password and its sessions end. API keys and invitations end where an earlier version confirmed the address, which
 * let those of another person go on.
 */
async function linkWithoutPassword(
  parts: AuthDeps,
  found: UserDoc,
  claim: SignIn,
  ctx: Caller,
): Promise<UserDoc | null> {
  const { models, app } = parts;
  const now = app.clock.now();
  const end = {
    password_hash: null,
    ...sessionsEnded(now),
    credentials_valid_from: found.credentials_valid_from ?? new Date(now),
  };
  const change = ofUser('password.end', found, { after: { via: claim.via } });
  const linked = await app.audit.audited(actingAs(found, ctx), change, () =>
    ofTenant(models.users, found.tenant_id).update(
      { _id: found._id },
      { $addToSet: { identities: identityOf(claim) }, $set: end },
    ),
  );
  await ofTenant(models.mailTokens, found.tenant_id).remove({ user_id: found._id, purpose: 'password_reset' });
  if (found.credentials_valid_from === undefined) await removeEnded(parts, found);
  await parts.changed(`auth:user:${found._id}`);
  parts.mail(passwordEndedMail(found.email, await parts.tenantOf(found.tenant_id)));
  return linked;
}

/** Null for a removed user: the rest of the record is removed first. */
async function present(parts: AuthDeps, user: UserDoc | null): Promise<UserDoc | null> {
  if (user === null || (await parts.membership.find(user.tenant_id, user._id)) !== null) return user;
  await parts.membership.finishLeaving(user.tenant_id, [user._id]);
  return null;
}

async function justInTime(parts: AuthDeps, tenant: TenantDoc, claim: SignIn, ctx: Caller): Promise<UserDoc> {
  const now = new Date(parts.app.clock.now());
  const newcomer: Newcomer = {
    password_hash: null,
    identities: [identityOf(claim)],
    // A tenant chooses its own provider, which may say anything; only one that is everybody's proves it to others.
    email_verified_at: claim.via === 'suite' ? now : null,
  };
  const invite = await parts.invites.byEmail(tenant._id, claim.email, now.getTime());
  if (invite === null && !claim.create) {
    throw new AppError('forbidden', 'There is no account for you in this tenant; ask to be invited');
  }
  try {
    return await (invite === null
      ? join(parts, tenant, claim, newcomer, ctx)
      : accept(parts, { tenant, invite, newcomer }, ctx));
  } catch (error) {
    // A concurrent sign-in of the same person: the second uses the user that the first created.
    const other = await byIdentity(parts, claim);
    if (other === null) throw error;
    return other;
  }
}

/** A user without an invitation, within the limit of members. */
async function join(
  parts: AuthDeps,
  tenant: TenantDoc,
  claim: SignIn,
  newcomer: Newcomer,
  ctx: Caller,
): Promise<UserDoc> {
  const user: UserDoc = {
    _id: randomId(),
    tenant_id: tenant._id,
    email: claim.email,
    role: mapped(claim.role),
    ...newcomer,
    sessions_valid_from: null,
    last_sign_in_at: null,
    created_at: new Date(parts.app.clock.now()),
  };
  const change = ofUser('member.join', user, { after: { role: user.role, via: claim.via } });
  await parts.app.audit.audited(actingAs(user, ctx), change, () => parts.memberQuota.seat(tenant, user));
  return user;
}
