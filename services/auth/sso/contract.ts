import type { Role } from '../../../mixins/principal';

export const SSO_PROVIDERS = ['oidc', 'saml'] as const;
export type SsoProvider = (typeof SSO_PROVIDERS)[number];

/** What a mapping can make of somebody; owners are made by owners alone. */
export type MappableRole = Exclude<Role, 'owner'>;

/** Values of a claim or attribute, and the role that each brings; the highest one counts. */
export interface RoleMapping {
  claim: string;
  values: Record<string, MappableRole>;
}

/** A tenant's single sign-on, as its owners see it: without secrets, with what the provider has to be told. */
export interface SsoConfigView {
  provider: SsoProvider;
  enabled: boolean;
  enforce: boolean;
  oidc: { issuer: string; client_id: string; client_secret_set: boolean; scopes: string[] } | null;
  saml: {
    entry_point: string;
    issuer: string;
    certificate: string;
    certificates: { subject: string; fingerprint_sha256: string; not_before: string; not_after: string }[];
  } | null;
  default_role: MappableRole | null;
  role_mapping: RoleMapping | null;
  /** Redirect URI of OpenID Connect, and assertion consumer service of SAML. */
  callback_url: string;
  /** Our entity id in SAML, and where the metadata is. */
  metadata_url: string;
  created_at: string;
  updated_at: string;
}

/** What an owner sends; what is left out has its default, and a client secret that is left out stays. */
export interface SsoConfigInput {
  provider: SsoProvider;
  enabled?: boolean;
  enforce?: boolean;
  oidc?: { issuer: string; client_id: string; client_secret?: string | null; scopes?: string[] | string } | null;
  saml?: { entry_point: string; issuer: string; certificate: string } | null;
  default_role?: MappableRole | null;
  role_mapping?: RoleMapping | null;
}

/** A cookie for the browser; `max_age` in seconds, 0 takes it away. */
export interface BrowserCookie {
  name: string;
  value: string;
  path: string;
  max_age: number;
  secure: boolean;
}

/** What a browser has brought. */
export interface BrowserVisit {
  /** Fields of the query, or of the form. */
  fields: Record<string, string>;
  /** Those of the service. */
  cookies: Record<string, string>;
  /** Where the browser has reached the API; absent when its request does not tell. */
  origin?: string;
}

/** Where a browser goes next. */
export interface BrowserStep {
  location: string;
  cookies: BrowserCookie[];
}

export interface SsoActions {
  'auth.sso_config': (p: Record<string, never>) => SsoConfigView;
  'auth.update_sso': (p: SsoConfigInput & { origin?: string }) => SsoConfigView;
  'auth.remove_sso': (p: Record<string, never>) => void;
  /** Internal, as are all below: the gateway counts who asks. */
  'auth.sso_check': (p: { tenant_slug: string }) => {
    enabled: boolean;
    provider: SsoProvider | null;
    enforce: boolean;
  };
  'auth.sso_metadata': (p: { tenant_slug: string; origin?: string }) => { xml: string };
  'auth.sso_authorize': (p: BrowserVisit) => BrowserStep;
  'auth.sso_callback': (p: BrowserVisit) => BrowserStep;
  /** What a SAML identity provider has the browser post. */
  'auth.sso_posted': (p: BrowserVisit) => BrowserStep;
  'auth.suite_authorize': (p: BrowserVisit) => BrowserStep;
  'auth.suite_callback': (p: BrowserVisit) => BrowserStep;
}
