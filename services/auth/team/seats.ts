import { AppError } from '../../../lib/errors';
import { limitsOf, type Plans } from '../../../lib/plans';
import { ofTenant } from '../../../mixins/tenant';
import type { AuthModels, TenantDoc, UserDoc } from '../models';

/** How many members a plan has room for. */
export class Seats {
  constructor(
    private readonly models: AuthModels,
    private readonly plans: Plans,
  ) {}

  /** @throws AppError quota_exceeded when `wanted` more do not fit in */
  async check(tenant: TenantDoc, wanted = 1): Promise<void> {
    const { members } = limitsOf(this.plans, tenant.plan);
    if (members !== null && (await this.taken(tenant._id)) + wanted > members) throw full(tenant, members);
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

  /** How many members the tenant has. */
  taken(tenantId: string): Promise<number> {
    return ofTenant(this.models.users, tenantId).count({});
  }
}

const full = (tenant: TenantDoc, most: number): AppError =>
  new AppError(
    'quota_exceeded',
    `The plan ${tenant.plan} has room for ${most} members; remove one, or change the plan`,
  );
