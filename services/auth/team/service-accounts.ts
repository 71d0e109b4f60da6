import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import type { MemberView } from '../../../contracts/auth/team';
import { auditedBy } from '../../../mixins/audit';
import type { ActionContext } from '../../../mixins/service';
import type { AuthDeps } from '../deps';
import type { UserDoc } from '../models';
import { ofUser } from '../records';
import { memberView } from '../views';

/** Creates a member that has API keys and cannot sign in. @throws AppError conflict, quota_exceeded */
export async function createServiceAccount(
  parts: AuthDeps,
  ctx: ActionContext<'auth.create_service_account'>,
): Promise<MemberView> {
  const { app, memberQuota, invites } = parts;
  const { name, role } = ctx.params;
  // Neither an address, nor an id, nor a role: none of those finds it, or is mistaken for it.
  const email = `service:${name}`;
  const now = app.clock.now();
  const tenant = await parts.tenantOf(ctx.tenantId);
  await memberQuota.check(tenant, 1 + (await invites.promised(tenant._id, email, now)));
  const user: UserDoc = {
    _id: randomId(),
    tenant_id: tenant._id,
    email,
    is_service: true,
    role,
    password_hash: null,
    identities: [],
    email_verified_at: null,
    sessions_valid_from: null,
    last_sign_in_at: null,
    created_at: new Date(now),
  };
  const change = ofUser('service_account.create', user, { after: { role } });
  await app.audit.audited(auditedBy(ctx), change, async () => {
    try {
      await memberQuota.seat(tenant, user);
    } catch (error) {
      if (isDuplicateKey(error)) throw new AppError('conflict', `There is a service account named ${name} already`);
      throw error;
    }
  });
  return memberView({ user, role, requiresFactor: false, suspended: false });
}
