import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import { ROLES } from '../../../mixins/principal';
import { auditedBy } from '../../../mixins/audit';
import type { ServiceDefinition } from '../../../mixins/service';
import { ofTenant } from '../../../mixins/tenant';
import { inviteMail, pageUrl } from '../mails';
import { type AuthParts, person } from '../parts';
import { inviteTarget, ofUser } from '../records';
import { accept, alreadyMember } from '../team/accept';
import { mayInvite } from '../team/invites';
import { noSuchMember } from '../team/roster';
import { inviteView, memberView } from '../views';
import { address, email, newPassword, secretText } from './fields';

type Menu = Pick<
  ServiceDefinition<'auth'>['actions'],
  'members' | 'invite' | 'invites' | 'withdraw_invite' | 'accept_invite' | 'set_role' | 'remove_member'
>;

const role = { type: 'enum', values: [...ROLES] } as const;
const id = { type: 'string', min: 1, max: 100 } as const;

/** Who works together in a tenant. */
export const teamMenu = (parts: AuthParts): Menu => ({
  members: {
    access: 'admin',
    summary: 'Members of the tenant and their roles',
    params: {},
    handle: async ({ tenantId }) => ({ data: (await parts.roster.all(tenantId)).map(memberView) }),
  },
  invite: {
    access: 'admin',
    summary: 'Invites somebody by e-mail; nobody invites to more than he is himself',
    params: { email, role, origin: { type: 'string', max: 500, optional: true, nullable: true } },
    async handle(ctx) {
      const { params, tenantId } = ctx;
      const { invites, seats, models, app } = parts;
      const inviter = person(ctx.principal);
      const now = app.clock.now();
      if (!mayInvite(inviter.role, params.role)) {
        throw new AppError('forbidden', `Only an owner invites an ${params.role}; yours is ${inviter.role}`);
      }
      parts.inviteThrottle.admit(tenantId, tenantId, now);
      const tenant = await parts.tenantOf(tenantId);
      if ((await ofTenant(models.users, tenantId).count({ email: params.email })) > 0) throw alreadyMember();
      await seats.check(tenant, 1 + (await invites.promised(tenantId, params.email, now)));
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
  },
  invites: {
    access: 'admin',
    summary: 'Invitations that have not been accepted',
    params: {},
    async handle({ tenantId }) {
      const now = parts.app.clock.now();
      return { data: (await parts.invites.list(tenantId)).map((invite) => inviteView(invite, now)) };
    },
  },
  withdraw_invite: {
    access: 'admin',
    summary: 'Makes an invitation worthless',
    params: { id },
    async handle(ctx) {
      const { params, tenantId } = ctx;
      const invite = await parts.invites.get(tenantId, params.id);
      const change = { action: 'member.withdraw', target: inviteTarget(invite), before: { role: invite.role } };
      await parts.app.audit.audited(auditedBy(ctx), change, () => parts.invites.withdraw(tenantId, invite._id));
    },
  },
  accept_invite: {
    access: 'internal',
    summary: 'Makes the user of an invitation, and signs him in',
    params: { token: secretText, password: newPassword, address },
    async handle(ctx) {
      const { params } = ctx;
      const { invites, passwords, app } = parts;
      const succeeded = parts.tokenThrottle.admit('invite', params.address ?? '', app.clock.now());
      const invite = await invites.byToken(params.token, app.clock.now());
      succeeded();
      const tenant = await parts.tenantOf(invite.tenant_id);
      await parts.assertPasswordSuffices(tenant, invite.role);
      // Looked up before the costly hash; the unique index decides between two at once.
      await parts.seats.check(tenant);
      const password_hash = await passwords.hash(params.password);
      const newcomer = { password_hash, identities: [], email_verified_at: null };
      const user = await accept(parts, { tenant, invite, newcomer }, ctx);
      parts.sendVerification(user, tenant);
      return parts.session(user);
    },
  },
  set_role: {
    access: 'owner',
    summary: 'Changes the role of a member; the last owner stays one',
    params: { id, role },
    async handle(ctx) {
      const { params, tenantId } = ctx;
      const member = await parts.roster.find(tenantId, params.id);
      if (member === null) throw noSuchMember();
      const states = { before: { role: member.role }, after: { role: params.role } };
      await parts.app.audit.audited(auditedBy(ctx), ofUser('member.role', member.user, states), () =>
        parts.roster.setRole(tenantId, params.id, params.role),
      );
      parts.changed(`auth:user:${params.id}`);
      return memberView({ user: member.user, role: params.role });
    },
  },
  remove_member: {
    access: 'owner',
    summary: 'Removes a member with his API keys and invitations; the last owner stays',
    params: { id },
    async handle(ctx) {
      const { params, tenantId } = ctx;
      const member = await parts.roster.find(tenantId, params.id);
      if (member === null) throw noSuchMember();
      const states = { before: { role: member.role } };
      await parts.app.audit.audited(auditedBy(ctx), ofUser('member.remove', member.user, states), () =>
        parts.roster.remove(tenantId, params.id),
      );
      parts.changed(`auth:user:${params.id}`);
    },
  },
});
