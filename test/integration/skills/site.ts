import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import { skillsService } from '../../../services/skills/skills.service';
import { registerTenant } from '../../support/accounts';
import { startApp, type StartOptions, type TestApp } from '../../support/app';
import { Api, type ApiAnswer } from '../../support/server';
import { join } from '../../support/team';

/** A skill as the API answers it. */
export type Skill = Record<string, unknown> & { id: string; hash: string; version: string | null };

/** The service of skills, users of one tenant, and an owner of another. */
export interface SkillSite {
  readonly app: TestApp;
  readonly ann: Api;
  readonly member: Api;
  readonly bob: Api;
  readonly tenants: { readonly ann: string; readonly bob: string };
  close(): Promise<void>;
}

export async function openSkillSite(more: Partial<StartOptions> = {}): Promise<SkillSite> {
  const app = await startApp({
    ...more,
    services: [authService, skillsService, auditService, apiGatewayService, ...(more.services ?? [])],
  });
  const signedIn = (token: string): Api => Object.assign(new Api(app.url), { token });
  const ann = await registerTenant(app, { tenant_slug: 'acme', tenant_name: 'Acme' });
  const bob = await registerTenant(app, { tenant_slug: 'bobs', tenant_name: "Bob's", email: 'bob@example.com' });
  const member = await join(app, ann.token, 'member@example.com');
  return {
    app,
    ann: signedIn(ann.token),
    member: signedIn(member.token),
    bob: signedIn(bob.token),
    tenants: { ann: ann.tenant.id, bob: bob.tenant.id },
    close: () => app.close(),
  };
}

/** Sends a bundle as a browser does. */
export async function parse(api: Api, bundle: Uint8Array<ArrayBuffer>): Promise<ApiAnswer<Record<string, unknown>>> {
  const form = new FormData();
  form.set('file', new Blob([bundle]), 'skill.zip');
  const response = await fetch(`${api.url}/api/v1/skills/parse`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.token}` },
    body: form,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}
