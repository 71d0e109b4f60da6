import { AppError } from '../../../lib/errors';
import { currentOverrides, limitsOf } from '../../../lib/plans';
import { auditedBy, auditedIn } from '../../../mixins/audit';
import type { ActionContext, Handlers } from '../../../mixins/service';
import { hasFactor } from '../factors/models';
import type { UserDoc } from '../models';
import { type AuthDeps, person } from '../deps';
import { confirm, register, slugTaken } from '../registration';
import { actingAs, ofUser, sessionOrigin } from '../records';
import { roleOf } from '../team/membership';
import { tenantView } from '../views';

type Actions = Pick<Handlers<'auth'>, 'register' | 'login' | 'verify' | 'tenant' | 'update_settings' | 'entitlements'>;

type LoginContext = ActionContext<'auth.login'>;

/** Registration, login, tokens, the tenant and its settings. */
export const accountActions = (parts: AuthDeps): Actions => {
  const failed = (tenantId: string, user: UserDoc | null, ctx: LoginContext): Promise<void> => {
    const target = { type: 'user', id: user?._id ?? 'unknown', name: ctx.params.email };
    return parts.app.audit.note(auditedIn(tenantId, ctx), { action: 'login.fail', target });
  };
  /** So that no owner locks out the whole tenant by mistake. @throws AppError conflict */
  const assertHasFactor = async (tenantId: string, userId: string): Promise<void> => {
    const member = await parts.membership.find(tenantId, userId);
    if (member !== null && hasFactor(member.user)) return;
    throw new AppError('conflict', 'Set up a second factor of your own first: POST /api/v1/auth/totp');
  };
  return {
    async register(ctx) {
      const { params } = ctx;
      const { models, passwords, app } = parts;
      // A service that registers for itself names no address.
      if (params.address !== undefined) await parts.registrations.admit('', params.address, app.clock.now());
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
      return parts.session(user, sessionOrigin('registration', ctx, params.user_agent));
    },
    async login(ctx) {
      const { params } = ctx;
      const { models, passwords, throttle, app } = parts;
      const account = `${params.tenant_slug}\n${params.email}`;
      const succeeded = await throttle.admit(account, params.address ?? '', app.clock.now());
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
      await parts.assertPasswordSuffices(tenant, { role: roleOf(tenant, user), email: user.email });
      if (hasFactor(user)) throw parts.factors.challenge(user, 'password');
      return app.audit.audited(actingAs(user, ctx), ofUser('login.succeed', user), () =>
        parts.session(user, sessionOrigin('password', ctx, params.user_agent)),
      );
    },
    verify: ({ params }) => parts.credentials.verify(params.token),
    tenant: async ({ tenantId }) => tenantView(await parts.tenantOf(tenantId)),
    async update_settings(ctx) {
      const { params, tenantId } = ctx;
      const { models, app } = parts;
      const wanted = Object.entries({
        require_approval: params.require_approval,
        require_second_factor: params.require_second_factor,
      }).filter(([, value]) => value !== undefined);
      if (wanted.length > 0) {
        if (params.require_second_factor === true) await assertHasFactor(tenantId, person(ctx.principal).user_id);
        const { name, ...tenant } = await parts.tenantOf(tenantId);
        const now = tenantView({ name, ...tenant }).settings;
        const after = Object.fromEntries(wanted) as Partial<typeof now>;
        const change = {
          action: 'settings.update',
          target: { type: 'tenant', id: tenantId, name },
          before: Object.fromEntries(wanted.map(([key]) => [key, now[key as keyof typeof now]])),
          after,
        };
        await app.audit.audited(auditedBy(ctx), change, () =>
          models.tenants.updateOne({ _id: tenantId }, { $set: after }),
        );
        await parts.changed(`auth:tenant:${tenantId}`);
      }
      return tenantView(await parts.tenantOf(tenantId));
    },
    async entitlements({ tenantId }) {
      const tenant = await parts.tenantOf(tenantId);
      const { plan, require_approval, suspended, limits: own = {} } = tenant;
      return {
        plan,
        limits: { ...parts.limitsOf(tenant) },
        overrides: currentOverrides(own, parts.app.clock.now()).map(({ limit, override }) => ({
          limit,
          plan_value: limitsOf(parts.plans, plan)[limit],
          expires_at: override.expires_at?.toISOString() ?? null,
        })),
        require_approval,
        suspended: suspended !== undefined,
      };
    },
  };
};
