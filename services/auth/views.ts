import type { Role } from '../../mixins/principal';
import type { ApiKeyView, TenantView, UserView } from './contract';
import type { ApiKeyDoc, TenantDoc, UserDoc } from './models';

export const userView = (user: UserDoc, role: Role): UserView => ({
  id: user._id,
  email: user.email,
  role,
  tenant_id: user.tenant_id,
});

export const tenantView = (tenant: TenantDoc): TenantView => ({
  id: tenant._id,
  slug: tenant.slug,
  name: tenant.name,
  plan: tenant.plan,
  organization_id: tenant.organization_id,
  settings: { require_approval: tenant.require_approval },
  created_at: tenant.created_at.toISOString(),
});

export const apiKeyView = (key: ApiKeyDoc): ApiKeyView => ({
  id: key._id,
  name: key.name,
  prefix: key.prefix,
  created_by: key.user_id,
  created_at: key.created_at.toISOString(),
  last_used_at: key.last_used_at?.toISOString() ?? null,
});
