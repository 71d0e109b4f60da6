import { apiGatewayService } from '../../../services/api-gateway';
import { authService } from '../../../services/auth';
import type { Session } from '../../../services/auth/contract';
import { auditService } from '../../../services/audit';
import { registerTenant } from '../accounts';
import { startApp, type StartOptions, type TestApp } from '../app';
import { Api } from '../server';

export const FRONTEND = 'https://app.test/in';

/** Gateway and accounts, which a browser reaches, with a front end elsewhere. */
export const startHouse = (env: Record<string, string> = {}, options: Partial<StartOptions> = {}): Promise<TestApp> =>
  startApp({
    services: [apiGatewayService, authService, auditService],
    ...options,
    env: { FRONTEND_URL: FRONTEND, EGRESS_ALLOW: '127.0.0.1, localhost', ...env },
  });

/** A tenant and its owner's client. */
export interface Owner extends Session {
  readonly api: Api;
}

export async function newOwner(app: TestApp, given: Parameters<typeof registerTenant>[1] = {}): Promise<Owner> {
  const session = await registerTenant(app, given);
  const api = new Api(app.url);
  api.token = session.token;
  return { ...session, api };
}

/** Actions on record for a tenant, the newest first, with what they say. */
export async function eventsOf({
  api,
}: Owner): Promise<{ action: string; after: unknown; outcome: string | null; actor: { email: string; ip: string } }[]> {
  return (await api.call<{ data: never[] }>('GET', '/api/v1/audit?action=sso.')).data;
}
