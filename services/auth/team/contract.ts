import type { PlanName } from '../../../lib/plans';
import type { Role } from '../../../mixins/principal';
import type { Session, TenantView } from '../contract';
import type { SignInMethod } from '../models';

/** What other services ask for on their own account; people cannot. */
export interface TrustedActions {
  /**
   * Internal: a session for somebody whom an identity provider has vouched for. He is found by the identity (`via`,
   * `subject`), else by his e-mail address, else made when `create` says so. With `sync_role`, his role is set anew;
   * no mapping makes an owner, or takes one away.
   */
  'auth.sign_in': (p: {
    tenant_id: string;
    email: string;
    role: Role;
    sync_role: boolean;
    create: boolean;
    via: SignInMethod;
    subject: string;
  }) => Session;
  /** Internal: the plan of the caller's tenant; with `organization`, also what it belongs to (null: to none). */
  'auth.set_plan': (p: { plan: PlanName; organization?: string | null }) => TenantView;
  /** Internal: ids and addresses of the tenant's owners. */
  'auth.owners': (p: Record<string, never>) => { data: { id: string; email: string }[] };
}
