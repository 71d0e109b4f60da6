import { AppError } from '../../../lib/errors';
import { type AuditChange, auditedBy } from '../../../mixins/audit';
import type { ActionContext, Handlers } from '../../../mixins/service';
import type { MemberTenantView, OrganizationView } from '../../../contracts/auth/organizations';
import { organizationModel, type OrganizationDoc } from '../organizations/models';
import { noSuchTenant, Organizations } from '../organizations/organizations';
import { ownsTenant } from '../organizations/ownership';
import { type AuthDeps, person } from '../deps';
import type { TenantDoc } from '../models';
import { pageOf, sliceOf } from '../../../lib/page';

type Actions = Pick<
  Handlers<'auth'>,
  'create_organization' | 'organizations' | 'organization' | 'assign_tenant' | 'release_tenant'
>;

type Caller = Pick<ActionContext<'auth.assign_tenant'>, 'principal' | 'origin' | 'requestId' | 'tenantId'>;

/** Tenants of one enterprise: who belongs together. */
export function organizationActions(parts: AuthDeps): Actions {
  const { app, models } = parts;
  const organizations = new Organizations(organizationModel(app.db), models.tenants, app.keys.ids);

  /** @throws AppError forbidden below the enterprise plan */
  const assertEnterprise = async (tenantId: string): Promise<void> => {
    if ((await parts.tenantOf(tenantId)).plan === 'enterprise') return;
    throw new AppError('forbidden', 'Organizations need the enterprise plan');
  };
  const detailOf = async (organization: OrganizationDoc) => ({
    ...view(organization),
    tenants: (await organizations.tenantsOf(organization._id)).map(tenantView),
  });

  /** Changes of two tenants are recorded in the audit logs of both. */
  const auditedInBoth = (ctx: Caller, otherTenantId: string, change: AuditChange, act: () => Promise<unknown>) =>
    app.audit.audited({ ...auditedBy(ctx), tenantId: otherTenantId }, change, () =>
      app.audit.audited(auditedBy(ctx), change, act),
    );

  return {
    async create_organization(ctx) {
      await assertEnterprise(ctx.tenantId);
      const { name } = ctx.params;
      if ((await organizations.of(ctx.tenantId)) !== null)
        throw new AppError('conflict', 'The tenant belongs to an organization already');
      const target = { type: 'organization', id: organizations.idFor(ctx.tenantId), name };
      const change = { action: 'organization.create', target, after: { name } };
      const made = await app.audit.audited(auditedBy(ctx), change, () =>
        organizations.create(ctx.tenantId, name, app.clock.now()),
      );
      await parts.changed(`auth:tenant:${ctx.tenantId}`);
      return view(made);
    },
    async organizations({ params, tenantId }) {
      const own = await organizations.of(tenantId);
      return sliceOf(own === null ? [] : [view(own)], pageOf(params));
    },
    organization: async ({ params, tenantId }) => detailOf(await organizations.get(tenantId, params.id)),
    async assign_tenant(ctx) {
      const { params, tenantId } = ctx;
      const organization = await organizations.get(tenantId, params.id);
      if (organization.home_tenant_id !== tenantId)
        throw new AppError('forbidden', 'Tenants are added by owners of the home tenant of an organization');
      await assertEnterprise(tenantId);
      const claimant = { tenantId, userId: person(ctx.principal).user_id, ownerToken: params.owner_token };
      if (params.tenant_id !== tenantId && !(await ownsTenant(parts, claimant, params.tenant_id))) throw noSuchTenant();
      if ((await organizations.of(params.tenant_id))?._id !== organization._id) {
        const change = {
          action: 'organization.assign',
          target: { type: 'tenant', id: params.tenant_id },
          after: { organization_id: organization._id },
        };
        await auditedInBoth(ctx, params.tenant_id, change, () =>
          organizations.assign(organization._id, params.tenant_id),
        );
        await parts.changed(`auth:tenant:${params.tenant_id}`);
      }
      return detailOf(organization);
    },
    async release_tenant(ctx) {
      const { params, tenantId } = ctx;
      const organization = await organizations.get(tenantId, params.id);
      const isHome = organization.home_tenant_id === tenantId;
      if (params.tenant_id === organization.home_tenant_id)
        throw new AppError('conflict', 'The home tenant cannot leave its organization');
      if (!isHome && params.tenant_id !== tenantId) throw noSuchTenant();
      const other = await organizations.of(params.tenant_id);
      if (other?._id !== organization._id) throw noSuchTenant();
      const change = {
        action: 'organization.release',
        target: { type: 'tenant', id: params.tenant_id },
        before: { organization_id: organization._id },
      };
      const affected = isHome ? params.tenant_id : organization.home_tenant_id;
      await auditedInBoth(ctx, affected, change, () => organizations.release(organization._id, params.tenant_id));
      await parts.changed(`auth:tenant:${params.tenant_id}`);
    },
  };
}

const view = (organization: OrganizationDoc): OrganizationView => ({
  id: organization._id,
  name: organization.name,
  home_tenant_id: organization.home_tenant_id,
  created_at: organization.created_at.toISOString(),
});

const tenantView = ({ _id, slug, name, plan }: TenantDoc): MemberTenantView => ({ id: _id, slug, name, plan });
