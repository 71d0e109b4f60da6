import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import type { Session } from '../../../contracts/auth/accounts';
import { auditService } from '../../../services/audit/audit.service';
import { registerTenant } from '../accounts';
import { startApp, type StartOptions, type TestApp } from '../app';
import { Api } from '../server';

export const FRONTEND = 'https://app.test/in';

/** Gateway and accounts for a browser, with a front end at another address. */
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

/** Audit records of a tenant, the newest first, with their details. */
export async function eventsOf({
  api,
}: Owner): Promise<{ action: string; after: unknown; outcome: string | null; actor: { email: string; ip: string } }[]> {
  return (await api.call<{ data: never[] }>('GET', '/api/v1/audit?action=sso.')).data;
}
