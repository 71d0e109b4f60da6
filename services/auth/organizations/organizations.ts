import type { Model } from 'mongoose';
import { AppError } from '../../../lib/errors';
import { derivedId } from '../../../lib/ids';
import type { AuthModels, TenantDoc } from '../models';
import type { OrganizationDoc } from './models';

const MAX_TENANTS = 1_000;

/**
 * Organizations and their tenants. Membership is stored only in `organization_id` of the tenant's record and changed by
 * conditional writes. A tenant sees only its own organization.
 */
export class Organizations {
  constructor(
    private readonly organizations: Model<OrganizationDoc>,
    private readonly tenants: AuthModels['tenants'],
    private readonly ids: Buffer,
  ) {}

  /** The id of a home tenant's organization, derived so that the audit event can contain it before it exists. */
  idFor(homeTenantId: string): string {
    return derivedId(this.ids, 'organization', homeTenantId);
  }

  /**
   * Creates the organization, then adds its home tenant. A crash in between leaves an invisible organization, which the
   * next call reuses. @throws AppError conflict when the tenant belongs to an organization
   */
  async create(homeTenantId: string, name: string, nowMs: number): Promise<OrganizationDoc> {
    const _id = this.idFor(homeTenantId);
    const fresh = { name, home_tenant_id: homeTenantId, created_at: new Date(nowMs) };
    await this.organizations.updateOne({ _id }, { $setOnInsert: fresh }, { upsert: true }).exec();
    if (!(await this.#assignIfFree(homeTenantId, _id))) throw alreadyAssigned();
    // An organization of an interrupted call may have another name.
    await this.organizations.updateOne({ _id }, { $set: fresh }).exec();
    return { _id, ...fresh };
  }

  /** The organization that a tenant belongs to; null without one. */
  async of(tenantId: string): Promise<OrganizationDoc | null> {
    const tenant = await this.tenants.findById(tenantId, { organization_id: 1 }).lean().exec();
    const id = tenant?.organization_id ?? null;
    return id === null ? null : this.organizations.findById(id).lean<OrganizationDoc>().exec();
  }

  /** @throws AppError not_found for any other than the tenant's own organization */
  async get(tenantId: string, id: string): Promise<OrganizationDoc> {
    const own = await this.of(tenantId);
    if (own === null || own._id !== id) throw new AppError('not_found', 'Organization not found');
    return own;
  }

  /** The tenants of an organization, sorted by slug. */
  tenantsOf(id: string): Promise<TenantDoc[]> {
    return this.tenants.find({ organization_id: id }).sort({ slug: 1 }).limit(MAX_TENANTS).lean().exec();
  }

  /** Adds a tenant; idempotent. @throws AppError conflict when the tenant belongs to another organization */
  async assign(id: string, tenantId: string): Promise<void> {
    if ((await this.tenants.countDocuments({ organization_id: id })) >= MAX_TENANTS) {
      throw new AppError('conflict', `An organization has at most ${MAX_TENANTS} tenants`);
    }
    if (await this.#assignIfFree(tenantId, id)) return;
    if ((await this.tenants.exists({ _id: tenantId, organization_id: id })) === null) throw alreadyAssigned();
  }

  /** @throws AppError not_found when the tenant is not in it */
  async release(id: string, tenantId: string): Promise<void> {
    const change = { $set: { organization_id: null } };
    const { matchedCount } = await this.tenants.updateOne({ _id: tenantId, organization_id: id }, change).exec();
    if (matchedCount === 0) throw noSuchTenant();
  }

  async #assignIfFree(tenantId: string, id: string): Promise<boolean> {
    const change = { $set: { organization_id: id } };
    const { matchedCount } = await this.tenants.updateOne({ _id: tenantId, organization_id: null }, change).exec();
    return matchedCount === 1;
  }
}

const alreadyAssigned = (): AppError => new AppError('conflict', 'The tenant already belongs to an organization');

/** The same error for unknown and for foreign tenants, so that other tenants are not disclosed. */
export const noSuchTenant = (): AppError =>
  new AppError('not_found', 'Tenant not found, or your ownership of it is not proven');
