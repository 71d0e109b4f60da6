import { AppError } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import type { Role } from '../../mixins/principal';
import { ofTenant } from '../../mixins/tenant';
import type { ParamsOf } from '../catalogue';
import type { Session } from './contract';
import type { TenantDoc, UserDoc } from './models';
import type { AuthParts } from './parts';
import { actingAs, type Caller, ofUser } from './records';
import { accept, type Newcomer } from './team/accept';

/** Whom an identity provider has vouched for, and to what he is entitled. */
export type SignIn = ParamsOf<'auth.sign_in'>;

/**
 * A session for somebody whom an identity provider has vouched for: the user of that identity, else of that e-mail
 * address, else of an invitation to it, else one made now. What people gave, no mapping takes: it makes nobody an owner, and leaves owners alone.
 * @throws AppError not_found, forbidden, quota_exceeded
 */
export async function signIn(parts: AuthParts, claim: SignIn, ctx: Caller): Promise<Session> {
  const tenant = await parts.tenantOf(claim.tenant_id);
  const found = (await byIdentity(parts, claim)) ?? (await byEmail(parts, claim));
  const user = found ?? (await justInTime(parts, tenant, claim, ctx));
  const role = mapped(claim.role);
  if (claim.sync_role && user.role !== role && !(await owns(parts, user))) {
    const change = ofUser('member.role', user, { before: { role: user.role }, after: { role, via: claim.via } });
    await parts.app.audit.audited(actingAs(user, ctx), change, () =>
      parts.models.users.updateOne({ _id: user._id }, { $set: { role } }),
    );
    parts.changed(`auth:user:${user._id}`);
  }
  return parts.session(claim.sync_role ? { ...user, role } : user);
}

/** What people gave is no mapping's to take, nor to tell of. */
const owns = async (parts: AuthParts, { tenant_id, _id }: UserDoc): Promise<boolean> =>
  (await parts.roster.find(tenant_id, _id))?.role === 'owner';

const mapped = (role: Role): UserDoc['role'] => (role === 'owner' ? 'admin' : role);

const identityOf = ({ via, subject }: SignIn) => ({ via, subject });

async function byIdentity(parts: AuthParts, claim: SignIn): Promise<UserDoc | null> {
  const identities = { $elemMatch: identityOf(claim) };
  return present(parts, await ofTenant(parts.models.users, claim.tenant_id).findOne({ identities }));
}

/**
 * The user of the address, to whom the identity belongs from now on. The tenant's own provider knows whose address it
 * is; one that is everybody's knows it of the person, but not of the account: somebody else may have made that, with a
 * password that he knows.
 */
async function byEmail(parts: AuthParts, claim: SignIn): Promise<UserDoc | null> {
  const users = ofTenant(parts.models.users, claim.tenant_id);
  const found = await present(parts, await users.findOne({ email: claim.email }));
  if (found === null) return null;
  if (claim.via === 'suite' && found.email_verified_at === null) {
    throw new AppError(
      'forbidden',
      'An account with this e-mail address exists, but the address is not verified; sign in with the password and verify it first',
    );
  }
  return users.update({ _id: found._id }, { $addToSet: { identities: identityOf(claim) } });
}

/** Nobody, for one who has been removed: what is left of him goes first. */
async function present(parts: AuthParts, user: UserDoc | null): Promise<UserDoc | null> {
  if (user === null || (await parts.roster.find(user.tenant_id, user._id)) !== null) return user;
  await parts.roster.finishLeaving(user.tenant_id, [user._id]);
  return null;
}

async function justInTime(parts: AuthParts, tenant: TenantDoc, claim: SignIn, ctx: Caller): Promise<UserDoc> {
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
    // The same person in two windows: whoever came second is the one who was made first.
    const other = await byIdentity(parts, claim);
    if (other === null) throw error;
    return other;
  }
}

/** A user whom nobody has invited, within the limit of members. */
async function join(
  parts: AuthParts,
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
  await parts.app.audit.audited(actingAs(user, ctx), change, () => parts.seats.seat(tenant, user));
  return user;
}
