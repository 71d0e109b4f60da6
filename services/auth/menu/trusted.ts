import { PLAN_NAMES } from '../../../lib/plans';
import { ROLES } from '../../../mixins/principal';
import type { ServiceDefinition } from '../../../mixins/service';
import type { AuthParts } from '../parts';
import { signIn } from '../sign-in';
import { tenantView } from '../views';

type Menu = Pick<ServiceDefinition<'auth'>['actions'], 'sign_in' | 'set_plan' | 'owners' | 'seats'>;

const text = (max: number) => ({ type: 'string', min: 1, max }) as const;

/** What other services do to accounts, once they have made sure for themselves that it is right. */
export const trusted = (parts: AuthParts): Menu => ({
  sign_in: {
    access: 'internal',
    summary: 'A session for somebody whom an identity provider has vouched for',
    params: {
      tenant_id: text(100),
      email: { type: 'email', normalize: true, mode: 'precise', max: 254 },
      role: { type: 'enum', values: [...ROLES] },
      sync_role: 'boolean',
      create: 'boolean',
      via: { type: 'enum', values: ['oidc', 'saml', 'suite'] },
      subject: text(1_000),
    },
    handle: (ctx) => signIn(parts, ctx.params, ctx),
  },
  set_plan: {
    access: 'internal',
    summary: "Changes the tenant's plan, and the organization that it belongs to when one is named",
    params: {
      plan: { type: 'enum', values: [...PLAN_NAMES] },
      organization: { type: 'string', optional: true, nullable: true, max: 100 },
    },
    async handle({ params, tenantId }) {
      const { plan, organization } = params;
      const change = { plan, ...(organization === undefined ? {} : { organization_id: organization }) };
      await parts.models.tenants.updateOne({ _id: tenantId }, { $set: change });
      parts.changed(`auth:tenant:${tenantId}`);
      return tenantView(await parts.tenantOf(tenantId));
    },
  },
  owners: {
    access: 'internal',
    summary: "Who the tenant's owners are, and how to write to them",
    params: {},
    async handle({ tenantId }) {
      const owners = (await parts.roster.all(tenantId)).filter(({ role }) => role === 'owner');
      return { data: owners.map(({ user }) => ({ id: user._id, email: user.email })) };
    },
  },
  seats: {
    access: 'internal',
    summary: 'How many members the tenant has',
    params: {},
    handle: async ({ tenantId }) => ({ members: await parts.seats.taken(tenantId) }),
  },
});
