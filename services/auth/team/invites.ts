import { isDuplicateKey } from '../../../lib/duplicate-key';
import { sha256 } from '../../../lib/crypto';
import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import { type Principal, ROLES, type Role } from '../../../mixins/principal';
import { ofTenant } from '../../../mixins/tenant';
import type { AuthModels, InviteDoc } from '../models';
import { deadToken, newToken } from '../sessions/mail-tokens';
import type { Roster } from './roster';

const LIFETIME_MS = 7 * 86_400_000;
const MOST_PER_TENANT = 1_000;

/** Who is to be invited, as what, by whom. The id is chosen beforehand, so that the record of it can name it. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
}

/**
 * Invitations: 256 random bits, SHA-256 at rest, for one person and once. Accepting claims the invitation first, so that
 * one that has been withdrawn or replaced makes no member, and its user's id is chosen beforehand, so that an acceptance
 * that broke off can be finished with the same token.
 */
export class Invites {
  constructor(
    private readonly models: AuthModels,
    private readonly roster: Roster,
  ) {}

  /** Makes an invitation; an earlier one to the same address is void. */
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
        // Somebody else invites him at the same time: whoever is later counts.
        if (!isDuplicateKey(error)) throw error;
      }
    }
  }

  list(tenantId: string): Promise<InviteDoc[]> {
    return ofTenant(this.models.invites, tenantId).find({}, { sort: { created_at: 1, _id: 1 } });
  }

  /** An invitation that can be withdrawn. @throws AppError not_found */
  async get(tenantId: string, id: string): Promise<InviteDoc> {
    const found = await ofTenant(this.models.invites, tenantId).findOne({ _id: id, claimed_at: null });
    if (found === null) throw noSuchInvite();
    return found;
  }

  /** @throws AppError not_found, also when it is being accepted */
  async withdraw(tenantId: string, id: string): Promise<void> {
    const removed = await ofTenant(this.models.invites, tenantId).remove({ _id: id, claimed_at: null });
    if (removed === 0) throw noSuchInvite();
  }

  /** How many seats are promised to others than this address. @throws AppError conflict when there are too many */
  async promised(tenantId: string, email: string, now: number): Promise<number> {
    const open = { email: { $ne: email }, expires_at: { $gt: new Date(now) } };
    const promised = await ofTenant(this.models.invites, tenantId).count(open);
    if (promised < MOST_PER_TENANT) return promised;
    throw new AppError('conflict', `A tenant has at most ${MOST_PER_TENANT} open invitations; withdraw some`);
  }

  /** The invitation of a token, while whoever gave it still may. @throws AppError invalid_token */
  async byToken(token: string, now: number): Promise<InviteDoc> {
    const found = await this.models.invites.findOne({ hash: sha256(token), expires_at: { $gt: new Date(now) } }).lean();
    if (found === null || !(await this.#stands(found))) throw deadToken();
    return found;
  }

  /** The invitation to an address whose owner has proved himself otherwise; null without one. */
  async byEmail(tenantId: string, email: string, now: number): Promise<InviteDoc | null> {
    const found = await ofTenant(this.models.invites, tenantId).findOne({ email, expires_at: { $gt: new Date(now) } });
    return found !== null && (await this.#stands(found)) ? found : null;
  }

  /** Nobody can withdraw or replace it from now on. @throws AppError invalid_token when somebody has */
  async claim(invite: InviteDoc, now: number): Promise<void> {
    const claimed = await ofTenant(this.models.invites, invite.tenant_id).update(
      { _id: invite._id, hash: invite.hash },
      { $set: { claimed_at: new Date(now) } },
    );
    if (claimed === null) throw deadToken();
  }

  /** Lets go of a claim from which nothing came. */
  async release(invite: InviteDoc): Promise<void> {
    await ofTenant(this.models.invites, invite.tenant_id).update({ _id: invite._id }, { $set: { claimed_at: null } });
  }

  /** Its user exists: the token is used up. */
  async finish(invite: InviteDoc): Promise<void> {
    await ofTenant(this.models.invites, invite.tenant_id).remove({ _id: invite._id });
  }

  /** Whoever was removed or demoted has given no invitations: he may know their tokens. */
  async #stands(invite: InviteDoc): Promise<boolean> {
    const inviter = await this.roster.find(invite.tenant_id, invite.invited_by);
    return inviter !== null && mayInvite(inviter.role, invite.role);
  }
}

/** Administrators invite, and nobody makes more of others than he is himself. */
export const mayInvite = (inviter: Principal['role'], role: Role): boolean =>
  inviter !== 'service' &&
  ROLES.indexOf(inviter) >= ROLES.indexOf('admin') &&
  ROLES.indexOf(inviter) >= ROLES.indexOf(role);

const noSuchInvite = (): AppError =>
  new AppError('not_found', 'There is no such invitation: it was accepted, withdrawn or replaced');
