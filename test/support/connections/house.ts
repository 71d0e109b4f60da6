import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import { connectionsService } from '../../../services/connections/connections.service';
import type { ConnectionView } from '../../../contracts/connections';
import { startApp, type StartOptions, type TestApp } from '../app';
import { freePort } from '../server';
import { Browser, outcomeOf } from '../sso/browser';
import { type Account, type OpenidProvider, startProvider } from '../sso/provider';
import { FRONTEND, type Owner } from '../sso/house';

export { FRONTEND, newOwner, type Owner } from '../sso/house';

/** Gateway, accounts and connections, with a certified provider as the suite. */
export interface ConnectionHouse {
  readonly t: TestApp;
  readonly provider: OpenidProvider;
  close(): Promise<void>;
}

export const SCOPES = ['openid', 'email', 'offline_access', 'files.read', 'mail.send'];

export async function startConnectionHouse({
  accessSeconds = 3_600,
  env = {},
  ...options
}: { accessSeconds?: number; env?: Record<string, string> } & Partial<
  Omit<StartOptions, 'env'>
> = {}): Promise<ConnectionHouse> {
  const port = String(await freePort());
  const provider = await startProvider(
    [
      {
        client_id: 'suite',
        client_secret: 'a secret',
        redirect_uris: [`http://127.0.0.1:${port}/api/v1/oauth/suite/callback`],
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    { scopes: SCOPES, accessSeconds },
  );
  const t = await startApp({
    services: [apiGatewayService, authService, auditService, connectionsService],
    ...options,
    env: {
      PORT: port,
      FRONTEND_URL: FRONTEND,
      // Tenants may not reach internal addresses, except the operator's own provider.
      EGRESS_ALLOW: '',
      ...suiteEnv(provider),
      ...env,
    },
  }).catch(async (error: unknown) => {
    await provider.close();
    throw error;
  });
  return {
    t,
    provider,
    async close() {
      await t.close();
      await provider.close();
    },
  };
}

export const suiteEnv = ({ issuer }: Pick<OpenidProvider, 'issuer'>): Record<string, string> => ({
  OAUTH_SUITE_CLIENT_ID: 'suite',
  OAUTH_SUITE_CLIENT_SECRET: 'a secret',
  OAUTH_SUITE_ISSUER: issuer,
});

export interface Started {
  ticket: string;
  authorize_url: string;
  expires_at: string;
}

export const begin = (owner: Owner, provider: string, body: object = {}): Promise<Started> =>
  owner.api.call<Started>('POST', `/api/v1/oauth/${provider}/start`, body);

let people = 0;
/** A new account at the provider. */
export const person = (): Account => {
  people += 1;
  return { sub: `person-${people}`, email: `person-${people}@example.com`, email_verified: true };
};

/** Follows redirects with a browser from an address to the front end; returns the fields of the fragment. */
export const visit = async (url: string, browser = new Browser()): Promise<Record<string, string>> =>
  outcomeOf(await browser.follow(url, FRONTEND));

/** Connects an account of the suite, by ticket. */
export async function connect(
  { provider }: Pick<ConnectionHouse, 'provider'>,
  owner: Owner,
  body: object = {},
  account = person(),
): Promise<ConnectionView> {
  await provider.account(account);
  const { authorize_url } = await begin(owner, 'suite', { scopes: ['files.read'], ...body });
  const outcome = await visit(authorize_url);
  const made = (await listed(owner)).find(({ id }) => id === outcome.oauth_connection);
  if (made === undefined) throw new Error(`Not connected: ${JSON.stringify(outcome)}`);
  return made;
}

export const listed = async ({ api }: Owner): Promise<ConnectionView[]> =>
  (await api.call<{ data: ConnectionView[] }>('GET', '/api/v1/oauth/connections')).data;

/** Actions on record for a tenant's connections, the newest first. */
export const eventsOf = async ({ api }: Owner): Promise<{ action: string; after: Record<string, unknown> | null }[]> =>
  (await api.call<{ data: never[] }>('GET', '/api/v1/audit?action=connection.')).data;
