import type { ResultOf } from '../../../contracts/catalogue';
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
    const data: ResultOf<'auth.owners'>['data'] = [];
    for await (const { user, role } of parts.membership.each(tenantId))
      if (role === 'owner') data.push({ id: user._id, email: user.email });
    return { data };
  },
  async mailboxes({ params: { to }, tenantId }) {
    const wanted = new Set(to.map((each) => each.toLowerCase()));
    const named = (role: Role): boolean =>
      isAtLeast(role, 'admin') && (wanted.has('admins') || (role === 'owner' && wanted.has('owners')));
    const data: string[] = [];
    for await (const { user, role } of parts.membership.each(tenantId)) {
      const reachable = user.deactivated_at === undefined && user.email_verified_at !== null;
      if (reachable && (wanted.has(user.email.toLowerCase()) || named(role))) data.push(user.email);
    }
    return { data };
  },
  async subjects({ params: { refs }, tenantId }) {
    const wanted = new Set(refs.map((ref) => ref.toLowerCase()));
    const groups = await ofTenant(parts.models.scimGroups, tenantId).find(
      { _id: { $in: [...refs] } },
      { fields: ['display_name'] },
    );
    const members: ResultOf<'auth.subjects'>['members'] = [];
    for await (const { user } of parts.membership.each(tenantId))
      if (wanted.has(user._id) || wanted.has(user.email.toLowerCase()))
        members.push({ id: user._id, email: user.email });
    return { members, groups: groups.map(({ _id, display_name }) => ({ id: _id, name: display_name })) };
  },
  seats: async ({ tenantId }) => ({ members: await parts.memberQuota.taken(tenantId) }),
});
