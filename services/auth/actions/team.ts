import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import { invited } from '../sso/requirement';
import { auditedBy } from '../../../mixins/audit';
import type { Handlers } from '../../../mixins/service';
import { ofTenant } from '../../../lib/tenant';
import { inviteMail, pageUrl } from '../mails';
import { type AuthDeps, person } from '../deps';
import { inviteTarget, ofUser, sessionOrigin } from '../records';
import { createServiceAccount } from '../team/service-accounts';
import { accept, alreadyMember } from '../team/accept';
import { mayInvite } from '../team/invites';
import { noSuchMember } from '../team/membership';
import { inviteView, memberView } from '../views';
import { pageOf } from '../../../lib/page';

type Actions = Pick<
  Handlers<'auth'>,
  | 'members'
  | 'invite'
  | 'invites'
  | 'withdraw_invite'
  | 'accept_invite'
  | 'create_service_account'
  | 'set_role'
  | 'remove_member'
  | 'end_member_sessions'
>;

/** Who works together in a tenant. */
export const teamActions = (parts: AuthDeps): Actions => ({
  async members({ params, tenantId }) {
    const page = pageOf(params);
    return { data: (await parts.membership.page(tenantId, page)).map(memberView), ...page };
  },
  async invite(ctx) {
    const { params, tenantId } = ctx;
    const { invites, memberQuota, models, app } = parts;
    const inviter = person(ctx.principal);
    const now = app.clock.now();
    if (!mayInvite(inviter.role, params.role)) {
      throw new AppError('forbidden', `Only an owner invites an ${params.role}; yours is ${inviter.role}`);
    }
    await parts.inviteThrottle.admit(tenantId, tenantId, now);
    const tenant = await parts.tenantOf(tenantId);
    if ((await ofTenant(models.users, tenantId).count({ email: params.email })) > 0) throw alreadyMember();
    await memberQuota.check(tenant, 1 + (await invites.promised(tenantId, params.email, now)));
    const wanted = { id: randomId(), email: params.email, role: params.role, invitedBy: inviter.user_id };
    const change = {
      action: 'member.invite',
      target: inviteTarget({ _id: wanted.id, email: wanted.email }),
      after: { role: wanted.role },
    };
    const { invite, token } = await app.audit.audited(auditedBy(ctx), change, () =>
      invites.create(tenantId, wanted, now),
    );
    const url = (origin?: string | null): string => pageUrl(app.config, 'accept-invite', token, origin);
    const mailed = parts.mail(inviteMail(invite.email, tenant, inviter.email, url()));
    return { ...inviteView(invite, now), invite_url: url(params.origin), mailed };
  },
  async invites({ params, tenantId }) {
    const now = parts.app.clock.now();
    const page = pageOf(params);
    return { data: (await parts.invites.list(tenantId, page)).map((invite) => inviteView(invite, now)), ...page };
  },
  async withdraw_invite(ctx) {
    const { params, tenantId } = ctx;
    const invite = await parts.invites.get(tenantId, params.id);
    const change = { action: 'member.withdraw', target: inviteTarget(invite), before: { role: invite.role } };
    await parts.app.audit.audited(auditedBy(ctx), change, () => parts.invites.withdraw(tenantId, invite._id));
  },
  create_service_account: (ctx) => createServiceAccount(parts, ctx),
  async accept_invite(ctx) {
    const { params } = ctx;
    const { invites, passwords, app } = parts;
    const succeeded = await parts.tokenThrottle.admit('invite', params.address ?? '', app.clock.now());
    const invite = await invites.byToken(params.token, app.clock.now());
    succeeded();
    const tenant = await parts.tenantOf(invite.tenant_id);
    await parts.assertPasswordSuffices(tenant, invited(invite), 'Acceptance with a password');
    // Looked up before the costly hash; the unique index decides between two at once.
    await parts.memberQuota.check(tenant);
    const password_hash = await passwords.hash(params.password);
    const newcomer = { password_hash, identities: [], email_verified_at: null };
    const user = await accept(parts, { tenant, invite, newcomer }, ctx);
    parts.sendVerification(user, tenant);
    return parts.session(user, sessionOrigin('invitation', ctx, params.user_agent));
  },
  async set_role(ctx) {
    const { params, tenantId } = ctx;
    const member = await parts.membership.find(tenantId, params.id);
    if (member === null) throw noSuchMember();
    if (member.user.is_service === true && params.role === 'owner')
      throw new AppError('conflict', 'A service account cannot be an owner: owners sign in');
    const states = { before: { role: member.role }, after: { role: params.role } };
    await parts.app.audit.audited(auditedBy(ctx), ofUser('member.role', member.user, states), () =>
      parts.membership.setRole(tenantId, params.id, params.role),
    );
    await parts.changed(`auth:user:${params.id}`);
    return memberView({ ...member, role: params.role });
  },
  async end_member_sessions(ctx) {
    const { params, tenantId } = ctx;
    const caller = person(ctx.principal);
    const member = await parts.membership.find(tenantId, params.id);
    if (member === null) throw noSuchMember();
    if (member.role === 'owner' && caller.role !== 'owner') {
      throw new AppError('forbidden', `Only an owner ends the sessions of an owner; your role is ${caller.role}`);
    }
    await parts.app.audit.audited(auditedBy(ctx), ofUser('member.end_sessions', member.user), () =>
      parts.sessions.endAll(tenantId, params.id, parts.app.clock.now()),
    );
    await parts.changed(`auth:user:${params.id}`);
  },
  async remove_member(ctx) {
    const { params, tenantId } = ctx;
    const member = await parts.membership.find(tenantId, params.id);
    if (member === null) throw noSuchMember();
    const states = { before: { role: member.role } };
    await parts.app.audit.audited(auditedBy(ctx), ofUser('member.remove', member.user, states), () =>
      parts.membership.remove(tenantId, params.id),
    );
    await parts.changed(`auth:user:${params.id}`);
  },
});
