import type { PlanName } from '../../../lib/plans';
import type { Role } from '../../../mixins/principal';
import type { Session, TenantView } from '../contract';
import type { SignInMethod } from '../models';

/** A member, as the administrators of his tenant see him. */
export interface MemberView {
  id: string;
  email: string;
  role: Role;
  email_verified: boolean;
  /** How he can sign in. */
  sign_in: ('password' | SignInMethod)[];
  created_at: string;
  last_sign_in_at: string | null;
}

/** An invitation that has not been accepted, without its token. */
export interface InviteView {
  id: string;
  email: string;
  role: Role;
  status: 'pending' | 'expired';
  invited_by: string;
  created_at: string;
  expires_at: string;
}

export interface TeamActions {
  'auth.members': (p: Record<string, never>) => { data: MemberView[] };
  /** `invite_url` carries the token, and is shown to the inviter alone; mailed tells whether a mail is on its way too. */
  'auth.invite': (p: {
    email: string;
    role: Role;
    origin?: string | null;
  }) => InviteView & { invite_url: string; mailed: boolean };
  'auth.invites': (p: Record<string, never>) => { data: InviteView[] };
  'auth.withdraw_invite': (p: { id: string }) => void;
  /** Internal, as `auth.login` is. */
  'auth.accept_invite': (p: { token: string; password: string; address?: string }) => Session;
  'auth.set_role': (p: { id: string; role: Role }) => MemberView;
  'auth.remove_member': (p: { id: string }) => void;
}

/** What other services ask for on their own account; people cannot. */
export interface TrustedActions {
  /**
   * Internal: a session for somebody whom an identity provider has vouched for. He is found by the identity (`via`,
   * `subject`), else by his e-mail address, else made when `create` or an invitation says so. With `sync_role`, his role
   * is set anew; no mapping makes an owner, or takes one away.
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
  /** Internal: how many members the tenant has. */
  'auth.seats': (p: Record<string, never>) => { members: number };
}
