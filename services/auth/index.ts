import type { ServiceSchema } from 'moleculer';
import { Cache } from '../../lib/cache';
import { AppError } from '../../lib/errors';
import { limitsOf, loadPlans } from '../../lib/plans';
import { type ActionContext, defineService, type ServiceContext, staleParams } from '../../mixins/service';
import type { App } from '../app';
import type { ActionName } from '../catalogue';
import { ApiKeys } from './api-keys';
import type { Session } from './contract';
import { Credentials } from './credentials';
import { authModels, createAuthIndexes, type TenantDoc, type UserDoc } from './models';
import { Passwords } from './passwords';
import { confirm, register, slugTaken, sweepRegistrations } from './registration';
import { LoginThrottle } from './throttle';
import { AccessTokens } from './tokens';
import { apiKeyView, tenantView, userView } from './views';

const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/;
const SWEEP_EVERY_MS = 10 * 60_000;
const TENANT_CACHED_MS = 1_000;
const KEY_NOTE = 'Keep this key now: it is shown once and cannot be retrieved later.';

const email = { type: 'email', normalize: true, mode: 'precise', max: 254 } as const;
const loginText = (max: number) => ({ type: 'string', trim: true, lowercase: true, min: 1, max }) as const;

/** Tenants, users, credentials and plans: who somebody is, and what he may use. */
export const authService = (app: App): ServiceSchema => {
  const { clock } = app;
  const plans = loadPlans(app.config.plansFile);
  const models = authModels(app.db);
  const passwords = new Passwords();
  const tokens = new AccessTokens(app.keys.jwt);
  const throttle = new LoginThrottle();
  const apiKeys = new ApiKeys(models, clock, (error) =>
    context?.log.warn('The use of an API key was not noted', error),
  );
  const credentials = new Credentials({ models, tokens, apiKeys, principals: app.principals, clock });
  const tenants = new Cache<TenantDoc>({ max: 10_000, ttlMs: TENANT_CACHED_MS, now: () => clock.now() });
  let context: ServiceContext | null = null;
  let cancelSweep = (): void => {};
  let stopped = false;

  const session = async (user: UserDoc, tenant: TenantDoc): Promise<Session> => ({
    token: await tokens.issue({ user_id: user._id, tenant_id: tenant._id, role: user.role }, clock.now()),
    user: userView(user),
    tenant: tenantView(tenant),
  });

  const tenantOf = async (id: string): Promise<TenantDoc> => {
    const tenant = tenants.get(id) ?? (await models.tenants.findById(id).lean());
    if (tenant === null) throw new AppError('not_found', 'The tenant no longer exists');
    tenants.set(id, tenant);
    return tenant;
  };

  const forget = (): void => {
    credentials.forget();
    tenants.clear();
  };

  /** Drops what this process knows at once, and asks the others to; who misses that follows within a second. */
  const changed = (pattern: string): void => {
    forget();
    context?.broadcast('cache.stale', { patterns: [pattern] });
  };

  const sweep = async (): Promise<void> => {
    try {
      const { removed } = await sweepRegistrations(models, clock.now());
      if (removed > 0) context?.log.info(`Removed ${removed} users whose registration had not finished`);
    } catch (error) {
      context?.log.warn('Unfinished registrations could not be looked through; the next sweep will', error);
    }
    if (!stopped) cancelSweep = clock.after(SWEEP_EVERY_MS, () => void sweep());
  };

  return defineService(app, 'auth', {
    actions: {
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
          password: { type: 'string', min: 8, max: 200 },
        },
        async handle({ params }) {
          // Looked up before the costly hash; the unique index decides between two at once.
          if ((await models.tenants.exists({ slug: params.tenant_slug })) !== null) throw slugTaken(params.tenant_slug);
          const passwordHash = await passwords.hash(params.password);
          const { tenant, user } = await register(
            models,
            { slug: params.tenant_slug, name: params.tenant_name, email: params.email, passwordHash },
            clock.now(),
          );
          await confirm(models, user._id);
          return session(user, tenant);
        },
      },
      login: {
        access: 'internal',
        summary: 'Gives a token for a slug, an e-mail address and a password',
        params: {
          tenant_slug: loginText(200),
          email: loginText(254),
          password: { type: 'string', min: 1, max: 1_000 },
          address: { type: 'string', max: 100, optional: true },
        },
        async handle({ params }) {
          const account = `${params.tenant_slug}\n${params.email}`;
          const succeeded = throttle.admit(account, params.address ?? '', clock.now());
          const tenant = await models.tenants.findOne({ slug: params.tenant_slug }).lean();
          const user = await models.users.findOne({ tenant_id: tenant?._id ?? '', email: params.email }).lean();
          const matches = await passwords.verify(params.password, user?.password_hash ?? null);
          if (tenant === null || user === null || !matches) {
            throw new AppError('invalid_login', 'The tenant, the e-mail address or the password is wrong');
          }
          succeeded();
          return session(user, tenant);
        },
      },
      verify: {
        access: 'public',
        summary: 'Turns a bearer credential into a signed principal',
        params: { token: { type: 'string', min: 1, max: 8_192 } },
        handle: ({ params }) => credentials.verify(params.token),
      },
      tenant: {
        access: 'member',
        summary: "The caller's tenant",
        params: {},
        handle: async ({ tenantId }) => tenantView(await tenantOf(tenantId)),
      },
      update_settings: {
        access: 'owner',
        summary: 'Changes settings of the tenant',
        params: { require_approval: { type: 'boolean', optional: true } },
        async handle({ params, tenantId }) {
          if (params.require_approval !== undefined) {
            await models.tenants.updateOne({ _id: tenantId }, { $set: { require_approval: params.require_approval } });
            changed(`auth:tenant:${tenantId}`);
          }
          return tenantView(await tenantOf(tenantId));
        },
      },
      create_api_key: {
        access: 'member',
        summary: "Makes an API key with the caller's tenant and role",
        params: { name: { type: 'string', trim: true, min: 1, max: 200 } },
        async handle({ params, principal }) {
          const { stored, key } = await apiKeys.create(person(principal), params.name);
          return { ...apiKeyView(stored), key, note: KEY_NOTE };
        },
      },
      list_api_keys: {
        access: 'member',
        summary: 'Names, prefixes and last uses of API keys',
        params: {},
        handle: async ({ principal }) => ({ data: (await apiKeys.list(person(principal))).map(apiKeyView) }),
      },
      revoke_api_key: {
        access: 'member',
        summary: 'Makes an API key worthless at once',
        params: { id: 'string' },
        async handle({ params, principal }) {
          await apiKeys.revoke(person(principal), params.id);
          changed(`auth:key:${params.id}`);
        },
      },
      entitlements: {
        access: 'internal',
        summary: 'Plan, limits and settings of the tenant',
        params: {},
        async handle({ tenantId }) {
          const { plan, require_approval } = await tenantOf(tenantId);
          return { plan, limits: { ...limitsOf(plans, plan) }, require_approval };
        },
      },
    },
    events: {
      'cache.stale': {
        params: staleParams,
        handle: ({ patterns }) => {
          if (patterns.some((pattern) => pattern.startsWith('auth:'))) forget();
        },
      },
    },
    async started(started) {
      context = started;
      await createAuthIndexes(models);
      await sweep();
    },
    stopped() {
      stopped = true;
      cancelSweep();
    },
  });
};

/** Actions from `member` upward are never called without a person behind them. */
function person(principal: ActionContext<ActionName>['principal']) {
  const userId = principal?.user_id ?? null;
  if (principal === null || userId === null) {
    throw new AppError('unauthenticated', 'This call needs a person or his API key');
  }
  return { ...principal, user_id: userId };
}
