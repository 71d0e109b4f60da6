import { json, type Route } from './route';

/** Tenants of one enterprise. */
export const organizationRoutes: readonly Route[] = [
  json('POST /api/v1/organizations', 'auth.create_organization', {
    status: 201,
    idempotency: 'replay',
    summary: "Makes an organization, with the caller's tenant as its home",
  }),
  json('GET /api/v1/organizations', 'auth.organizations', { summary: "The organization of the caller's tenant" }),
  json('GET /api/v1/organizations/:id', 'auth.organization', { summary: 'An organization with its tenants' }),
  json('POST /api/v1/organizations/:id/tenants/:tenant_id', 'auth.assign_tenant', {
    access: 'owner',
    summary: 'Adds a tenant that the caller owns too',
  }),
  json('DELETE /api/v1/organizations/:id/tenants/:tenant_id', 'auth.release_tenant', {
    access: 'owner',
    status: 204,
    summary: 'Takes a tenant out; by its owner, or by the home tenant',
  }),
];
