import { actions } from '../contract';
import { id } from '../rules';
import { pageParams } from '../../lib/page';
import * as s from '../../lib/schema';

export const OrganizationView = s.named(
  'OrganizationView',
  s.object({
    id: s.text,
    name: s.text,
    home_tenant_id: s.text.about('The tenant that made it; its owners add others.'),
    created_at: s.text,
  }),
  'An organization, as members of its tenants see it.',
);
export type OrganizationView = s.Infer<typeof OrganizationView>;

export const MemberTenantView = s.named(
  'MemberTenantView',
  s.object({
    id: s.text,
    slug: s.text,
    name: s.text,
    plan: s.text,
  }),
  'A tenant among others of its organization.',
);
export type MemberTenantView = s.Infer<typeof MemberTenantView>;

export const organizationsActions = actions({
  create_organization: {
    rest: 'POST /api/v1/organizations',
    status: 201,
    access: 'member',
    idempotency: 'replay',
    integrators: true,
    summary: "Creates an organization, with the caller's tenant as its home",
    params: { name: { type: 'string', trim: true, min: 1, max: 200 } },
    result: OrganizationView,
    errors: ['forbidden', 'conflict'],
  },
  organizations: {
    rest: 'GET /api/v1/organizations',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: "The organization of the caller's tenant",
    params: pageParams,
    result: s.listed(OrganizationView),
  },
  organization: {
    rest: 'GET /api/v1/organizations/:id',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'An organization with its tenants',
    params: { id },
    result: OrganizationView.extend({
      tenants: s.array(MemberTenantView),
    }),
    errors: ['not_found'],
  },
  assign_tenant: {
    rest: 'POST /api/v1/organizations/:id/tenants/:tenant_id',
    access: 'owner',
    integrators: true,
    summary: 'Adds a tenant that the caller owns too',
    description:
      '`owner_token`: a token or API key of an owner of that tenant, where the caller is not known to be one.',
    params: { id, tenant_id: id, owner_token: { type: 'string', min: 1, max: 8_192, optional: true } },
    result: OrganizationView.extend({
      tenants: s.array(MemberTenantView),
    }),
    errors: ['not_found', 'forbidden', 'conflict'],
  },
  release_tenant: {
    rest: 'DELETE /api/v1/organizations/:id/tenants/:tenant_id',
    status: 204,
    access: 'owner',
    integrators: true,
    summary: 'Removes a tenant from an organization; by its owner, or by the home tenant',
    params: { id, tenant_id: id },
    result: s.nothing,
    errors: ['not_found', 'forbidden', 'conflict'],
  },
});
