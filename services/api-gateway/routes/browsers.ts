import { OAUTH_PROVIDERS } from '../../../lib/oauth-config';
import { ACTIONS } from '../../../contracts/catalogue';
import { browser, type Route } from './route';

/** Where browsers go on their way to identity providers and OAuth providers, and back. */
export const browserRoutes: readonly Route[] = [
  browser('GET /api/v1/auth/sso/authorize', 'auth.sso_authorize'),
  browser('GET /api/v1/auth/sso/callback', 'auth.sso_callback'),
  browser('POST /api/v1/auth/sso/callback', 'auth.sso_posted'),
  browser('GET /api/v1/auth/suite/authorize', 'auth.suite_authorize'),
  browser('GET /api/v1/auth/suite/callback', 'auth.suite_callback'),
  ...OAUTH_PROVIDERS.flatMap((provider) => [
    browser(`GET /api/v1/oauth/${provider}/authorize`, `connections.${provider}_authorize`),
    browser(`GET /api/v1/oauth/${provider}/callback`, `connections.${provider}_callback`),
  ]),
  browser('GET /api/v1/oauth/authorize', 'connections.app_authorize'),
  browser('GET /api/v1/oauth/callback', 'connections.app_callback'),
  {
    kind: 'xml',
    method: 'GET',
    path: '/api/v1/auth/sso/metadata',
    access: 'public',
    action: 'auth.sso_metadata',
    contentType: 'application/samlmetadata+xml; charset=utf-8',
    summary: ACTIONS['auth.sso_metadata'].summary,
  },
];
