import type { Acting, AuditChange, AuditTarget } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import type { ActionName } from '../../contracts/catalogue';
import type { InviteDoc, SessionStart, UserDoc } from './models';
import { deviceOf } from './sessions/device';
import type { SessionOrigin } from './sessions/sessions';

/** Of a call, what the audit log asks. */
export type Caller = Pick<ActionContext<ActionName>, 'principal' | 'origin' | 'requestId'>;

type UserAddress = Pick<UserDoc, '_id' | 'tenant_id' | 'email'>;

/** Where a session begins, by what the gateway says of the request. */
export const sessionOrigin = (via: SessionStart, ctx: Pick<Caller, 'origin'>, userAgent?: string): SessionOrigin => ({
  via,
  device: deviceOf(userAgent),
  address: ctx.origin.address,
});

/** A user that has just authenticated, for the tenant's audit log. */
export const actingAs = (user: UserAddress, ctx: Caller): Acting => ({
  tenantId: user.tenant_id,
  actor: { type: 'user', id: user._id, email: user.email, ip: ctx.origin.address },
  requestId: ctx.requestId,
});

const userTarget = (user: Pick<UserDoc, '_id' | 'email'>): AuditTarget => ({
  type: 'user',
  id: user._id,
  name: user.email,
});

export const inviteTarget = (invite: Pick<InviteDoc, '_id' | 'email'>): AuditTarget => ({
  type: 'invite',
  id: invite._id,
  name: invite.email,
});

/** An event about a user. */
export const ofUser = (
  action: string,
  user: Pick<UserDoc, '_id' | 'email'>,
  states: Pick<AuditChange, 'before' | 'after'> = {},
): AuditChange => ({ action, target: userTarget(user), ...states });
