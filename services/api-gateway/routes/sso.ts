import { json, type Route } from './route';

/** Single sign-on: its settings, and the ways of browsers. */
export const ssoRoutes: readonly Route[] = [
  json('GET /api/v1/sso/config', 'auth.sso_config', { access: 'owner', summary: 'Single sign-on, without secrets' }),
  json('PUT /api/v1/sso/config', 'auth.update_sso', {
    access: 'owner',
    summary: 'Sets up single sign-on by OpenID Connect or SAML',
    params: ({ body, origin }) => ({ ...(body as { provider: unknown }), origin: origin ?? undefined }),
  }),
  json('DELETE /api/v1/sso/config', 'auth.remove_sso', {
    access: 'owner',
    status: 204,
    summary: 'Ends single sign-on',
  }),
  json('GET /api/v1/auth/sso/check', 'auth.sso_check', {
    access: 'public',
    summary: 'Whether a tenant has single sign-on, and by which kind of provider',
  }),
  {
    kind: 'xml',
    method: 'GET',
    path: '/api/v1/auth/sso/metadata',
    access: 'public',
    action: 'auth.sso_metadata',
    contentType: 'application/samlmetadata+xml; charset=utf-8',
    summary: 'What a SAML identity provider has to know of us',
  },
  {
    kind: 'browser',
    method: 'GET',
    path: '/api/v1/auth/sso/authorize',
    access: 'public',
    action: 'auth.sso_authorize',
    summary: "Sends a browser to the tenant's identity provider",
  },
  {
    kind: 'browser',
    method: 'GET',
    path: '/api/v1/auth/sso/callback',
    access: 'public',
    action: 'auth.sso_callback',
    summary: 'Where the identity provider sends the browser back',
  },
  {
    kind: 'browser',
    method: 'POST',
    path: '/api/v1/auth/sso/callback',
    access: 'public',
    action: 'auth.sso_posted',
    summary: 'Where a SAML identity provider has the browser post',
  },
  {
    kind: 'browser',
    method: 'GET',
    path: '/api/v1/auth/suite/authorize',
    access: 'public',
    action: 'auth.suite_authorize',
    summary: "Sends a browser to the installation's provider",
  },
  {
    kind: 'browser',
    method: 'GET',
    path: '/api/v1/auth/suite/callback',
    access: 'public',
    action: 'auth.suite_callback',
    summary: 'Where that provider sends the browser back',
  },
];
