/** Our own addresses in the flows of sign-in. Redirects lead to these, to the provider, and to the front end alone. */

export const SSO_CALLBACK = '/api/v1/auth/sso/callback';
export const SUITE_CALLBACK = '/api/v1/auth/suite/callback';

/** Redirect URI of OpenID Connect, assertion consumer service of SAML. */
export const callbackUrl = (base: string): string => `${base}${SSO_CALLBACK}`;

/**
 * Where the metadata is, and our entity id. Each tenant has one of its own: where two tenants share an identity
 * provider, an assertion made for the one must be worth nothing to the other.
 */
export const metadataUrl = (base: string, slug: string): string =>
  `${base}/api/v1/auth/sso/metadata?tenant_slug=${encodeURIComponent(slug)}`;
