import { AppError } from '../../../lib/errors';
import { limitsOf } from '../../../lib/plans';
import { auditedBy, auditedIn } from '../../../mixins/audit';
import type { ActionContext, ServiceDefinition } from '../../../mixins/service';
import type { UserDoc } from '../models';
import type { AuthParts } from '../parts';
import { confirm, register, slugTaken } from '../registration';
import { actingAs, ofUser } from '../records';
import { roleOf } from '../team/roster';
import { tenantView } from '../views';
import { address, email, loginText, newPassword, secretText } from './fields';

const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/;

type Menu = Pick<
  ServiceDefinition<'auth'>['actions'],
  'register' | 'login' | 'verify' | 'tenant' | 'update_settings' | 'entitlements'
>;

type LoginContext = ActionContext<'auth.login'>;

/** Who somebody is: registration, login, tokens, the tenant and its settings. */
export const accounts = (parts: AuthParts): Menu => {
  const failed = (tenantId: string, user: UserDoc | null, ctx: LoginContext): Promise<void> => {
    const target = { type: 'user', id: user?._id ?? 'unknown', name: ctx.params.email };
    return parts.app.audit.note(auditedIn(tenantId, ctx), { action: 'login.fail', target });
  };
  return {
    register: {
      access: 'internal',
      summary: 'Makes a tenant and its first user, the owner',
      params: {
        tenant_slug: {
          type: 'string',
          pattern: SLUG,
          messages: {
            stringPattern:
              "The 'tenant_slug' must be 3 to 63 lower-case letters, digits and hyphens, and neither begin nor end with a hyphen.",
          },
        },
        tenant_name: { type: 'string', trim: true, min: 1, max: 200 },
        email,
        password: newPassword,
      },
      async handle({ params }) {
        const { models, passwords, app } = parts;
        // Looked up before the costly hash; the unique index decides between two at once.
        if ((await models.tenants.exists({ slug: params.tenant_slug })) !== null) throw slugTaken(params.tenant_slug);
        const passwordHash = await passwords.hash(params.password);
        const { tenant, user } = await register(
          models,
          { slug: params.tenant_slug, name: params.tenant_name, email: params.email, passwordHash },
          app.clock.now(),
        );
        await confirm(models, user._id);
        parts.sendVerification(user, tenant);
        return parts.session(user);
      },
    },
    login: {
      access: 'internal',
      summary: 'Gives a token for a slug, an e-mail address and a password',
      params: {
        tenant_slug: loginText(200),
        email: loginText(254),
        password: secretText,
        address,
      },
      async handle(ctx) {
        const { params } = ctx;
        const { models, passwords, throttle, app } = parts;
        const account = `${params.tenant_slug}\n${params.email}`;
        const succeeded = throttle.admit(account, params.address ?? '', app.clock.now());
        const tenant = await models.tenants.findOne({ slug: params.tenant_slug }).lean();
        const found = await models.users.findOne({ tenant_id: tenant?._id ?? '', email: params.email }).lean();
        const user = tenant === null || found === null || tenant.leaving.includes(found._id) ? null : found;
        const matches = await passwords.verify(params.password, user?.password_hash ?? null);
        if (tenant === null || user === null || !matches) {
          // After the answer, whose time must not tell whether the tenant exists.
          if (tenant !== null) parts.later('A failed login is not on record', () => failed(tenant._id, user, ctx));
          throw new AppError('invalid_login', 'The tenant, the e-mail address or the password is wrong');
        }
        succeeded();
        await parts.assertPasswordSuffices(tenant, roleOf(tenant, user));
        return app.audit.audited(actingAs(user, ctx), ofUser('login.succeed', user), () => parts.session(user));
      },
    },
    verify: {
      access: 'public',
      summary: 'Turns a bearer credential into a signed principal',
      params: { token: { type: 'string', min: 1, max: 8_192 } },
      handle: ({ params }) => parts.credentials.verify(params.token),
    },
    tenant: {
      access: 'member',
      summary: "The caller's tenant",
      params: {},
      handle: async ({ tenantId }) => tenantView(await parts.tenantOf(tenantId)),
    },
    update_settings: {
      access: 'owner',
      summary: 'Changes settings of the tenant',
      params: { require_approval: { type: 'boolean', optional: true } },
      async handle(ctx) {
        const { params, tenantId } = ctx;
        const { require_approval } = params;
        if (require_approval !== undefined) {
          const { models, app } = parts;
          const { name, ...tenant } = await parts.tenantOf(tenantId);
          const change = {
            action: 'settings.update',
            target: { type: 'tenant', id: tenantId, name },
            before: { require_approval: tenant.require_approval },
            after: { require_approval },
          };
          await app.audit.audited(auditedBy(ctx), change, () =>
            models.tenants.updateOne({ _id: tenantId }, { $set: { require_approval } }),
          );
          parts.changed(`auth:tenant:${tenantId}`);
        }
        return tenantView(await parts.tenantOf(tenantId));
      },
    },
    entitlements: {
      access: 'internal',
      summary: 'Plan, limits and settings of the tenant',
      params: {},
      async handle({ tenantId }) {
        const { plan, require_approval } = await parts.tenantOf(tenantId);
        return { plan, limits: { ...limitsOf(parts.plans, plan) }, require_approval };
      },
    },
  };
};
