/** An organization, as members of its tenants see it. */
export interface OrganizationView {
  id: string;
  name: string;
  /** The tenant that made it; its owners add others. */
  home_tenant_id: string;
  created_at: string;
}

/** A tenant among others of its organization. */
export interface MemberTenantView {
  id: string;
  slug: string;
  name: string;
  plan: string;
}

export interface OrganizationActions {
  'auth.create_organization': (p: { name: string }) => OrganizationView;
  'auth.organizations': (p: Record<string, never>) => { data: OrganizationView[] };
  'auth.organization': (p: { id: string }) => OrganizationView & { tenants: MemberTenantView[] };
  /** `owner_token`: a token or API key of an owner of that tenant, where the caller is not known to be one. */
  'auth.assign_tenant': (p: {
    id: string;
    tenant_id: string;
    owner_token?: string;
  }) => OrganizationView & { tenants: MemberTenantView[] };
  'auth.release_tenant': (p: { id: string; tenant_id: string }) => void;
}
