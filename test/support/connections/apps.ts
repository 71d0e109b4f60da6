import type { ConnectionView } from '../../../contracts/connections';
import type { OAuthAppView } from '../../../contracts/oauth-apps';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import { connectionsService } from '../../../services/connections/connections.service';
import { startApp, type StartOptions, type TestApp } from '../app';
import { freePort } from '../server';
import { type OpenidProvider, startProvider } from '../sso/provider';
import { FRONTEND, type Owner } from '../sso/house';
import { listed, person, SCOPES, type Started, visit } from './house';

export const CLIENT_SECRET = 'crm-client-secret-value';
export const APP_CALLBACK = '/api/v1/oauth/callback';

/** Gateway, accounts and connections, with a certified provider that tenants register apps for. */
export interface AppHouse {
  readonly t: TestApp;
  readonly provider: OpenidProvider;
  readonly log: readonly string[];
  close(): Promise<void>;
}

export async function startAppHouse({
  accessSeconds = 3_600,
  env = {},
  ...options
}: { accessSeconds?: number; env?: Record<string, string> } & Partial<
  Omit<StartOptions, 'env'>
> = {}): Promise<AppHouse> {
  const port = String(await freePort());
  const log: string[] = [];
  const client = {
    redirect_uris: [`http://127.0.0.1:${port}${APP_CALLBACK}`],
    grant_types: ['authorization_code', 'refresh_token'],
  };
  const provider = await startProvider(
    [
      { ...client, client_id: 'crm', client_secret: CLIENT_SECRET, token_endpoint_auth_method: 'client_secret_basic' },
      { ...client, client_id: 'body', client_secret: CLIENT_SECRET, token_endpoint_auth_method: 'client_secret_post' },
      { ...client, client_id: 'public', token_endpoint_auth_method: 'none' },
    ],
    { scopes: SCOPES, accessSeconds },
  );
  const t = await startApp({
    services: [apiGatewayService, authService, auditService, connectionsService],
    log: (line) => log.push(line),
    ...options,
    env: { PORT: port, FRONTEND_URL: FRONTEND, EGRESS_ALLOW: '127.0.0.1', LOG_LEVEL: 'debug', ...env },
  }).catch(async (error: unknown) => {
    await provider.close();
    throw error;
  });
  return {
    t,
    provider,
    log,
    async close() {
      await t.close();
      await provider.close();
    },
  };
}

/** Endpoints of a provider, as an app without a preset names them. */
export const endpointsOf = ({ issuer }: Pick<OpenidProvider, 'issuer'>) => ({
  authorize_url: `${issuer}/auth`,
  token_url: `${issuer}/token`,
  revoke_url: `${issuer}/token/revocation`,
  authorize_params: { prompt: 'consent' },
  account: { url: `${issuer}/me`, id: 'sub', name: 'email' },
});

/** Registers an app; by default a confidential one without a preset. */
export const registerApp = (
  { api }: Owner,
  house: Pick<AppHouse, 'provider'>,
  given: { readonly custom?: object; readonly [member: string]: unknown } = {},
): Promise<OAuthAppView> => {
  const { custom, ...rest } = given;
  return api.call<OAuthAppView>('POST', '/api/v1/oauth-apps', {
    name: 'CRM',
    client_id: 'crm',
    ...(custom !== undefined && 'auth_style' in custom && custom.auth_style === 'none'
      ? {}
      : { client_secret: CLIENT_SECRET }),
    scopes: ['openid', 'email', 'offline_access', 'files.read'],
    hosts: ['127.0.0.1'],
    custom: { ...endpointsOf(house.provider), ...custom },
    ...rest,
  });
};

export const beginApp = ({ api }: Owner, id: string, body: object = {}): Promise<Started> =>
  api.call<Started>('POST', `/api/v1/oauth-apps/${id}/authorize`, body);

/** Connects an account with an app, as a browser does. */
export async function connectWithApp(
  { provider }: Pick<AppHouse, 'provider'>,
  owner: Owner,
  appId: string,
  body: object = {},
  account = person(),
): Promise<ConnectionView> {
  await provider.account(account);
  const outcome = await visit((await beginApp(owner, appId, body)).authorize_url);
  const made = (await listed(owner)).find(({ id }) => id === outcome.oauth_connection);
  if (made === undefined) throw new Error(`Not connected: ${JSON.stringify(outcome)}`);
  return made;
}
