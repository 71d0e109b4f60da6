import { isAtLeast, type Role } from '../../../lib/roles';
import type { Handlers } from '../../../mixins/service';
import type { AuthDeps } from '../deps';
import { ofTenant } from '../../../lib/tenant';
import { signIn } from '../sign-in';
import { tenantView } from '../views';

type Actions = Pick<Handlers<'auth'>, 'sign_in' | 'set_plan' | 'owners' | 'mailboxes' | 'subjects' | 'seats'>;

/** What other services do to accounts, once they have made sure for themselves that it is right. */
export const internalActions = (parts: AuthDeps): Actions => ({
  sign_in: (ctx) => signIn(parts, ctx.params, ctx),
  async set_plan({ params, tenantId }) {
    const { plan, organization } = params;
    const change = { plan, ...(organization === undefined ? {} : { organization_id: organization }) };
    await parts.models.tenants.updateOne({ _id: tenantId }, { $set: change });
    await parts.changed(`auth:tenant:${tenantId}`);
    return tenantView(await parts.tenantOf(tenantId));
  },
  async owners({ tenantId }) {
    const owners = (await parts.membership.page(tenantId)).filter(({ role }) => role === 'owner');
    return { data: owners.map(({ user }) => ({ id: user._id, email: user.email })) };
  },
  async mailboxes({ params: { to }, tenantId }) {
    const wanted = new Set(to.map((each) => each.toLowerCase()));
    const named = (role: Role): boolean =>
      isAtLeast(role, 'admin') && (wanted.has('admins') || (role === 'owner' && wanted.has('owners')));
    const members = await parts.membership.page(tenantId);
    const active = members.filter(({ user }) => user.deactivated_at === undefined);
    const chosen = active.filter(({ user, role }) => wanted.has(user.email.toLowerCase()) || named(role));
    return { data: chosen.flatMap(({ user }) => (user.email_verified_at === null ? [] : [user.email])) };
  },
  async subjects({ params: { refs }, tenantId }) {
    const wanted = new Set(refs.map((ref) => ref.toLowerCase()));
    const members = await parts.membership.page(tenantId);
    const groups = await ofTenant(parts.models.scimGroups, tenantId).find(
      { _id: { $in: [...refs] } },
      { fields: ['display_name'] },
    );
    return {
      members: members
        .filter(({ user }) => wanted.has(user._id) || wanted.has(user.email.toLowerCase()))
        .map(({ user }) => ({ id: user._id, email: user.email })),
      groups: groups.map(({ _id, display_name }) => ({ id: _id, name: display_name })),
    };
  },
  seats: async ({ tenantId }) => ({ members: await parts.memberQuota.taken(tenantId) }),
});
