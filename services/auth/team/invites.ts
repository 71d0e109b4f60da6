import { isDuplicateKey } from '../../../lib/duplicate-key';
import { sha256 } from '../../../lib/crypto';
import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import { type Principal } from '../../../lib/principal';
import { isAtLeast, type Role } from '../../../lib/roles';
import { ofTenant } from '../../../lib/tenant';
import type { AuthModels, InviteDoc } from '../models';
import { deadToken, newToken } from '../sessions/mail-tokens';
import type { Membership } from './membership';
import { type Page } from '../../../lib/page';

const LIFETIME_MS = 7 * 86_400_000;
const MAX_INVITES_PER_TENANT = 1_000;

/** A new invitation. The caller generates the id, so that the audit event can contain it. */
interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
}

/**
 * Invitations. A token has 256 random bits, is stored as SHA-256, and is valid for one person and one use. Accepting claims
 * the invitation first, so that a withdrawn or replaced one creates no member. The user's id is generated with the
 * invitation, so that an interrupted acceptance can be finished with the same token.
 */
export class Invites {
  constructor(
    private readonly models: AuthModels,
    private readonly membership: Membership,
  ) {}

  /** Creates an invitation, which replaces an earlier one to the same address. */
  async create(tenantId: string, wanted: Invitation, now: number): Promise<{ invite: InviteDoc; token: string }> {
    const invites = ofTenant(this.models.invites, tenantId);
    const token = newToken();
    const record = {
      _id: wanted.id,
      email: wanted.email,
      role: wanted.role,
      hash: sha256(token),
      invited_by: wanted.invitedBy,
      created_at: new Date(now),
      expires_at: new Date(now + LIFETIME_MS),
      user_id: randomId(),
      claimed_at: null,
    };
    for (;;) {
      await invites.remove({ email: wanted.email });
      try {
        return { invite: await invites.insert(record), token };
      } catch (error) {
        // A concurrent invitation of the same address: the later one replaces it.
        if (!isDuplicateKey(error)) throw error;
      }
    }
  }

  /** Oldest first. */
  list(tenantId: string, page: Page): Promise<InviteDoc[]> {
    return ofTenant(this.models.invites, tenantId).find({}, { sort: { created_at: 1, _id: 1 }, ...page });
  }

  /** An invitation that can be withdrawn. @throws AppError not_found */
  async get(tenantId: string, id: string): Promise<InviteDoc> {
    const found = await ofTenant(this.models.invites, tenantId).findOne({ _id: id, claimed_at: null });
    if (found === null) throw noSuchInvite();
    return found;
  }

  /** @throws AppError not_found, also while it is being accepted */
  async withdraw(tenantId: string, id: string): Promise<void> {
    const removed = await ofTenant(this.models.invites, tenantId).remove({ _id: id, claimed_at: null });
    if (removed === 0) throw noSuchInvite();
  }

  /** The number of open invitations to other addresses. @throws AppError conflict at the limit */
  async promised(tenantId: string, email: string, now: number): Promise<number> {
    const open = { email: { $ne: email }, expires_at: { $gt: new Date(now) } };
    const promised = await ofTenant(this.models.invites, tenantId).count(open);
    if (promised < MAX_INVITES_PER_TENANT) return promised;
    throw new AppError('conflict', `A tenant has at most ${MAX_INVITES_PER_TENANT} open invitations; withdraw some`);
  }

  /** The invitation of a token, if its author may still invite. @throws AppError invalid_token */
  async byToken(token: string, now: number): Promise<InviteDoc> {
    const found = await this.models.invites.findOne({ hash: sha256(token), expires_at: { $gt: new Date(now) } }).lean();
    if (found === null || !(await this.#stands(found))) throw deadToken();
    return found;
  }

  /** The invitation to an address that is verified without the token; null without one. */
  async byEmail(tenantId: string, email: string, now: number): Promise<InviteDoc | null> {
    const found = await ofTenant(this.models.invites, tenantId).findOne({ email, expires_at: { $gt: new Date(now) } });
    return found !== null && (await this.#stands(found)) ? found : null;
  }

  /** Claims an invitation, so that it cannot be withdrawn or replaced. @throws AppError invalid_token if it was */
  async claim(invite: InviteDoc, now: number): Promise<void> {
    const claimed = await ofTenant(this.models.invites, invite.tenant_id).update(
      { _id: invite._id, hash: invite.hash },
      { $set: { claimed_at: new Date(now) } },
    );
    if (claimed === null) throw deadToken();
  }

  /** Releases a claim after a failed acceptance. */
  async release(invite: InviteDoc): Promise<void> {
    await ofTenant(this.models.invites, invite.tenant_id).update({ _id: invite._id }, { $set: { claimed_at: null } });
  }

  /** Removes the invitation after its user is created. */
  async finish(invite: InviteDoc): Promise<void> {
    await ofTenant(this.models.invites, invite.tenant_id).remove({ _id: invite._id });
  }

  /** False when the inviter was removed or demoted, or lost the account to the owner of its address: they may know the token. */
  async #stands(invite: InviteDoc): Promise<boolean> {
    const inviter = await this.membership.find(invite.tenant_id, invite.invited_by);
    if (inviter === null || inviter.user.deactivated_at !== undefined) return false;
    if (!mayInvite(inviter.role, invite.role)) return false;
    return invite.created_at.getTime() >= (inviter.user.credentials_valid_from?.getTime() ?? 0);
  }
}

/** Admins and owners may invite, but not grant a role above their own. */
export const mayInvite = (inviter: Principal['role'], role: Role): boolean =>
  isAtLeast(inviter, 'admin') && isAtLeast(inviter, role);

const noSuchInvite = (): AppError =>
  new AppError('not_found', 'There is no such invitation: it was accepted, withdrawn or replaced');
