import { json, type Route } from './route';

export const accountRoutes: readonly Route[] = [
  json('POST /api/v1/auth/register', 'auth.register', {
    access: 'public',
    status: 201,
    idempotency: 'replay',
    summary: 'Makes a tenant and its owner',
  }),
  json('POST /api/v1/auth/login', 'auth.login', {
    access: 'public',
    summary: 'Gives a token',
    // The address is the socket's, whatever the body says: the throttle counts by it.
    params: ({ body, address }) => ({
      ...(body as { tenant_slug: unknown; email: unknown; password: unknown }),
      address,
    }),
  }),
  json('GET /.well-known/jwks.json', 'auth.jwks', {
    access: 'public',
    summary: 'Public keys of access tokens; none where secrets sign',
  }),
  json('GET /api/v1/tenant', 'auth.tenant', { summary: "The caller's tenant" }),
  json('PUT /api/v1/tenant/settings', 'auth.update_settings', { access: 'owner', summary: 'Changes settings' }),
  json('GET /api/v1/api-keys', 'auth.list_api_keys', { summary: 'Lists API keys' }),
  json('POST /api/v1/api-keys', 'auth.create_api_key', {
    status: 201,
    idempotency: 'replay',
    summary: 'Makes an API key, shown once',
  }),
  json('DELETE /api/v1/api-keys/:id', 'auth.revoke_api_key', { status: 204, summary: 'Revokes an API key' }),
];
