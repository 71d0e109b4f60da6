/** URLs of this service in sign-in flows. Redirects lead only to these, to the provider and to the front end. */

export const SSO_CALLBACK = '/api/v1/auth/sso/callback';
export const SUITE_CALLBACK = '/api/v1/auth/suite/callback';

/** Redirect URI of OpenID Connect, assertion consumer service of SAML. */
export const callbackUrl = (base: string): string => `${base}${SSO_CALLBACK}`;

/**
 * URL of our metadata, which is also our entity id. It includes the tenant: if two tenants share an identity provider, an
 * assertion for one must be invalid for the other.
 */
export const metadataUrl = (base: string, slug: string): string =>
  `${base}/api/v1/auth/sso/metadata?tenant_slug=${encodeURIComponent(slug)}`;
