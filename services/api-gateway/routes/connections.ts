import { OAUTH_WORDS } from '../../../lib/oauth-config';
import { json, type Route } from './route';

/** Connected accounts: made in a browser or by hand, listed, renewed, removed. */
export const connectionRoutes: readonly Route[] = [
  json('GET /api/v1/oauth/status', 'connections.oauth_status', { summary: 'Which OAuth providers can be used' }),
  ...OAUTH_WORDS.flatMap((provider): Route[] => [
    json(`POST /api/v1/oauth/${provider}/start`, 'connections.oauth_start', {
      status: 201,
      idempotency: 'replay',
      summary: "Begins a flow: an address for a browser, good once, for the caller's tenant",
      params: ({ body, origin }) => ({ ...(body as { name: unknown }), provider, origin }),
    }),
    {
      kind: 'browser',
      method: 'GET',
      path: `/api/v1/oauth/${provider}/authorize`,
      access: 'public',
      action: `connections.${provider}_authorize`,
      summary: 'Sends a browser to the provider',
    },
    {
      kind: 'browser',
      method: 'GET',
      path: `/api/v1/oauth/${provider}/callback`,
      access: 'public',
      action: `connections.${provider}_callback`,
      summary: 'Where the provider sends the browser back',
    },
  ]),
  json('POST /api/v1/oauth/claims', 'connections.claim', {
    status: 201,
    idempotency: 'replay',
    summary: 'Takes what a flow without a ticket has brought',
  }),
  json('GET /api/v1/oauth/connections', 'connections.list', { summary: 'Connected accounts, and manual connections' }),
  json('DELETE /api/v1/oauth/connections/:id', 'connections.remove', {
    status: 204,
    summary: 'Disconnects an account',
  }),
  json('GET /api/v1/oauth/connections/:id/token', 'connections.token', { summary: 'A fresh access token' }),
  json('POST /api/v1/oauth/connections/:id/refresh', 'connections.refresh', { summary: 'Renews the access token now' }),
  json('POST /api/v1/connections', 'connections.create', {
    status: 201,
    idempotency: 'replay',
    summary: 'Makes a manual connection, after trying the credentials',
  }),
];
