import type { Handlers } from '../../../mixins/service';
import type { AuthDeps } from '../deps';
import { signIn } from '../sign-in';
import { tenantView } from '../views';

type Actions = Pick<Handlers<'auth'>, 'sign_in' | 'set_plan' | 'owners' | 'seats'>;

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
  seats: async ({ tenantId }) => ({ members: await parts.memberQuota.taken(tenantId) }),
});
