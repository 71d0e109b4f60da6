import type { Acting, AuditChange, AuditTarget } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import type { ActionName } from '../../contracts/catalogue';
import type { InviteDoc, UserDoc } from './models';

/** Of a call, what the audit log asks. */
export type Caller = Pick<ActionContext<ActionName>, 'principal' | 'origin' | 'requestId'>;

type Named = Pick<UserDoc, '_id' | 'tenant_id' | 'email'>;

/** A user that has just authenticated, for the tenant's audit log. */
export const actingAs = (user: Named, ctx: Caller): Acting => ({
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
