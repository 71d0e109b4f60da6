import type { Limits } from '../../lib/plans';
import type { Role } from '../../mixins/principal';
import type { SsoActions } from './sso/contract';
import type { OrganizationActions } from './organizations/contract';
import type { SessionActions } from './sessions/contract';
import type { TeamActions, TrustedActions } from './team/contract';
import type { PublicJwk } from './tokens';

export type { BrowserCookie, BrowserStep, BrowserVisit } from './sso/contract';

/** A user, as every answer shows it. */
export interface UserView {
  id: string;
  email: string;
  role: Role;
  tenant_id: string;
}

/** A tenant, as its members see it. */
export interface TenantView {
  id: string;
  slug: string;
  name: string;
  plan: string;
  organization_id: string | null;
  settings: { require_approval: boolean };
  created_at: string;
}

/** The answer of register and login. */
export interface Session {
  token: string;
  user: UserView;
  tenant: TenantView;
}

/** A platform API key without its value. */
export interface ApiKeyView {
  id: string;
  name: string;
  prefix: string;
  created_by: string;
  created_at: string;
  last_used_at: string | null;
}

/** Limits of a plan; null for none. */
export type PlanLimits = Limits;

export interface AuthActions extends TeamActions, SessionActions, TrustedActions, SsoActions, OrganizationActions {
  /** Internal: keys by which others can check our access tokens (RFC 7517); none where secrets sign. */
  'auth.jwks': (p: Record<string, never>) => { keys: PublicJwk[] };
  /** Internal, as is `login`: the gateway counts who tries, and tells from where. */
  'auth.register': (p: { tenant_slug: string; tenant_name: string; email: string; password: string }) => Session;
  'auth.login': (p: { tenant_slug: string; email: string; password: string; address?: string }) => Session;
  /** Turns a bearer credential (access token or platform API key) into a signed principal. */
  'auth.verify': (p: { token: string }) => { principal: string; user_id: string; tenant_id: string; role: Role };
  'auth.tenant': (p: Record<string, never>) => TenantView;
  'auth.update_settings': (p: { require_approval?: boolean }) => TenantView;
  'auth.create_api_key': (p: { name: string }) => ApiKeyView & { key: string; note: string };
  'auth.list_api_keys': (p: Record<string, never>) => { data: ApiKeyView[] };
  'auth.revoke_api_key': (p: { id: string }) => void;
  /** Internal: plan, limits and settings of the caller's tenant. */
  'auth.entitlements': (p: Record<string, never>) => { plan: string; limits: PlanLimits; require_approval: boolean };
}
