import type { AppError } from '../../../lib/errors';
import type { Limits } from '../../../lib/plans';
import { ofTenant } from '../../../lib/tenant';
import type { AuthModels, TenantDoc, UserDoc } from '../models';
import { planLimitReached } from '../../../lib/plan-limit';

/** How many members a plan has room for. */
export class MemberQuota {
  constructor(
    private readonly models: AuthModels,
    private readonly limitsOf: (tenant: TenantDoc) => Pick<Limits, 'members'>,
  ) {}

  /** @throws AppError quota_exceeded when `wanted` more do not fit in */
  async check(tenant: TenantDoc, wanted = 1): Promise<void> {
    const { members } = this.limitsOf(tenant);
    if (members !== null && (await this.taken(tenant._id)) + wanted > members) throw full(members);
  }

  /**
   * Makes a user within the limit. Counted after the write, so that of two who want the last seat never both get it
   * (and, rarely, neither).
   * @throws AppError quota_exceeded
   */
  async seat(tenant: TenantDoc, user: UserDoc): Promise<void> {
    await this.check(tenant);
    await this.models.users.create(user);
    try {
      await this.check(tenant, 0);
    } catch (error) {
      await ofTenant(this.models.users, tenant._id).remove({ _id: user._id });
      throw error;
    }
  }

  /** How many active members the tenant has. */
  taken(tenantId: string): Promise<number> {
    return ofTenant(this.models.users, tenantId).count({ deactivated_at: { $exists: false } });
  }
}

const full = (max: number): AppError =>
  planLimitReached({ limit: 'members', max, excess: 'all are taken or promised by invitations', remedy: 'remove one' });
