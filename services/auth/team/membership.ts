import { AppError } from '../../../lib/errors';
import type { Role } from '../../../lib/roles';
import type { Page } from '../../../lib/page';
import { ofTenant } from '../../../lib/tenant';
import { TimeSlice } from '../../../lib/time-slices';
import type { AuthModels, TenantDoc, UserDoc } from '../models';
import { sessionsEnded } from '../sessions/sessions';

/** A member and its present role. */
export interface MembershipStatus {
  readonly user: UserDoc;
  readonly role: Role;
  /** Whether the tenant requires a second factor. */
  readonly requiresFactor: boolean;
  readonly suspended: boolean;
}

const OLDEST_FIRST = { sort: { created_at: 1, _id: 1 } } as const;

const SUMMARY_FIELDS = ['email', 'email_verified_at', 'deactivated_at', 'role'] as const satisfies (keyof UserDoc)[];

/** What a walk over all members reads of each. */
interface MemberSummary {
  readonly user: Pick<UserDoc, '_id' | (typeof SUMMARY_FIELDS)[number]>;
  readonly role: Role;
}

const FIELDS = { owners: 1, leaving: 1, roster_version: 1, require_second_factor: 1, suspended: 1 } as const;

/** What holds for all members of a tenant. */
const ofAll = ({ require_second_factor, suspended }: Pick<TenantDoc, 'require_second_factor' | 'suspended'>) => ({
  requiresFactor: require_second_factor === true,
  suspended: suspended !== undefined,
});

/** The role of a user: the tenant's list of owners decides first, then the user's own record. */
export const roleOf = (tenant: Pick<TenantDoc, 'owners'>, user: Pick<UserDoc, '_id' | 'role'>): Role =>
  tenant.owners.includes(user._id) ? 'owner' : user.role;

export const deactivated = (): AppError =>
  new AppError(
    'forbidden',
    'This account is deactivated at the identity provider of the workspace; ask an admin there',
  );

export const noSuchMember = (): AppError => new AppError('not_found', 'There is no such member');

/**
 * The members of a tenant and their roles. Whatever could leave a tenant without an owner is ONE conditional write on the
 * tenant's record: it names its owners, and loses none of them unless another one is left. The record names only users
 * that exist: one is added only if nothing has changed since his own record was read, and is taken off before that
 * record goes.
 */
export class Membership {
  constructor(private readonly models: AuthModels) {}

  /** A member and its role; null for a non-member or a pending removal. */
  async find(tenantId: string, userId: string): Promise<MembershipStatus | null> {
    const [tenant, user] = await Promise.all([
      this.models.tenants.findById(tenantId, FIELDS).lean(),
      this.models.users.findOne({ _id: userId, tenant_id: tenantId }).lean(),
    ]);
    return tenant === null || user === null || tenant.leaving.includes(userId)
      ? null
      : { user, role: roleOf(tenant, user), ...ofAll(tenant) };
  }

  /** Who is an owner, and who is being removed. @throws AppError not_found */
  async roster(tenantId: string): Promise<Pick<TenantDoc, 'owners' | 'leaving'>> {
    const tenant = await this.models.tenants.findById(tenantId, FIELDS).lean();
    if (tenant === null) throw noSuchMember();
    return tenant;
  }

  /** Members, oldest first. */
  async page(tenantId: string, range: Page): Promise<MembershipStatus[]> {
    const tenant = await this.models.tenants.findById(tenantId, FIELDS).lean();
    if (tenant === null) return [];
    const options = { ...OLDEST_FIRST, ...range };
    const users = await ofTenant(this.models.users, tenantId).find({ _id: { $nin: tenant.leaving } }, options);
    return users.map((user) => ({ user, role: roleOf(tenant, user), ...ofAll(tenant) }));
  }

  /** All members, oldest first, in batches: for any number of members and owners. */
  async *each(tenantId: string): AsyncGenerator<MemberSummary> {
    const tenant = await this.models.tenants.findById(tenantId, FIELDS).lean();
    if (tenant === null) return;
    const [owners, leaving] = [new Set(tenant.owners), new Set(tenant.leaving)];
    const slice = new TimeSlice(tenantId);
    const options = { ...OLDEST_FIRST, fields: SUMMARY_FIELDS };
    for await (const user of ofTenant(this.models.users, tenantId).each({}, options)) {
      if (slice.due) await slice.pause();
      if (!leaving.has(user._id)) yield { user, role: owners.has(user._id) ? 'owner' : user.role };
    }
  }

  /** Sets the role of a member. @throws AppError not_found, conflict for the last owner */
  async setRole(tenantId: string, userId: string, role: Role): Promise<void> {
    if (role === 'owner') return this.#promote(tenantId, userId);
    // Without effect while he is an owner, and decisive from the moment when he is none.
    const user = await ofTenant(this.models.users, tenantId).update({ _id: userId }, { $set: { role } });
    if (user === null) throw noSuchMember();
    await this.#takeOff(tenantId, userId, {});
  }

  /**
   * Removes a member: the first write ends the membership, the second removes the record.
   * @throws AppError not_found, conflict for the last owner
   */
  async remove(tenantId: string, userId: string): Promise<void> {
    if ((await this.find(tenantId, userId)) === null) throw noSuchMember();
    await this.#takeOff(tenantId, userId, { $addToSet: { leaving: userId } });
    await this.finishLeaving(tenantId, [userId]);
  }

  /**
   * Deactivates a member; an owner becomes an admin by it. Who has become an owner in the meantime is taken off again, or
   * stays active where it is the last one by then. @throws AppError not_found, conflict for the last owner
   */
  async deactivate(tenantId: string, userId: string, now: number): Promise<void> {
    const users = ofTenant(this.models.users, tenantId);
    if ((await this.find(tenantId, userId)) === null) throw noSuchMember();
    await this.#takeOff(tenantId, userId, {});
    await users.update({ _id: userId }, { $set: { deactivated_at: new Date(now), ...sessionsEnded(now) } });
    try {
      await this.#takeOff(tenantId, userId, {});
    } catch (error) {
      await users.update({ _id: userId }, { $unset: { deactivated_at: 1 } });
      throw error;
    }
  }

  /** Drops the records of those who have left, with the invitations that made them, and those that they gave. */
  async finishLeaving(tenantId: string, userIds: readonly string[]): Promise<void> {
    const left = { $in: [...userIds] };
    await ofTenant(this.models.apiKeys, tenantId).remove({ user_id: left });
    await ofTenant(this.models.mailTokens, tenantId).remove({ user_id: left });
    await ofTenant(this.models.sessions, tenantId).remove({ user_id: left });
    await ofTenant(this.models.invites, tenantId).remove({ $or: [{ user_id: left }, { invited_by: left }] });
    await this.models.scimGroups.updateMany(
      { tenant_id: tenantId, members: left },
      { $pullAll: { members: [...userIds] }, $inc: { revision: 1 } },
    );
    await ofTenant(this.models.users, tenantId).remove({ _id: left });
    await this.models.tenants.updateOne({ _id: tenantId }, { $pullAll: { leaving: [...userIds] } });
  }

  async #promote(tenantId: string, userId: string): Promise<void> {
    for (;;) {
      const tenant = await this.models.tenants.findById(tenantId, FIELDS).lean();
      const user = await ofTenant(this.models.users, tenantId).findOne({ _id: userId });
      if (tenant === null || user === null || tenant.leaving.includes(userId)) throw noSuchMember();
      if (user.deactivated_at !== undefined) throw deactivated();
      const unchanged = { _id: tenantId, roster_version: tenant.roster_version };
      const added = await this.models.tenants.updateOne(unchanged, {
        $addToSet: { owners: userId },
        $inc: { roster_version: 1 },
      });
      if (added.matchedCount === 1) return;
    }
  }

  /** Takes a user off the owners, with what belongs to the same write. @throws AppError conflict */
  async #takeOff(tenantId: string, userId: string, besides: { $addToSet?: { leaving: string } }): Promise<void> {
    const mayGo = { $or: [{ owners: { $ne: userId } }, { 'owners.1': { $exists: true } }] };
    const { matchedCount } = await this.models.tenants.updateOne(
      { _id: tenantId, ...mayGo },
      { $pull: { owners: userId }, $inc: { roster_version: 1 }, ...besides },
    );
    if (matchedCount === 0) {
      throw new AppError('conflict', 'This user is the last owner; make another user an owner first');
    }
  }
}
