import type { Session, TenantView } from '../contract';
import type { MemberView } from '../team/contract';

/** The caller himself. */
export interface MeView extends MemberView {
  tenant_id: string;
  /** What the call was made with. */
  credential: 'user' | 'api_key';
  tenant: TenantView;
}

/** Sessions, passwords and addresses of people. Those marked internal are counted and called by the gateway. */
export interface SessionActions {
  'auth.me': (p: Record<string, never>) => MeView;
  /** Ends the session of the token; with `everywhere`, all of the user's. */
  'auth.logout': (p: { token: string; everywhere?: boolean }) => void;
  /** The other sessions end; the answer is the next one. */
  'auth.change_password': (p: { current_password: string; new_password: string; address?: string }) => Session;
  /** Internal. The answer tells nothing of whether there is such an account. */
  'auth.request_password_reset': (p: { tenant_slug: string; email: string; address?: string }) => { message: string };
  /** Internal. Ends all sessions of the user. */
  'auth.confirm_password_reset': (p: { token: string; password: string; address?: string }) => void;
  /** Internal. */
  'auth.verify_email': (p: { token: string; address?: string }) => { email: string; email_verified: true };
  'auth.resend_verification': (p: Record<string, never>) => { email: string; email_verified: boolean };
}
