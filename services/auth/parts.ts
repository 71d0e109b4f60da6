import { Cache } from '../../lib/cache';
import { AppError } from '../../lib/errors';
import { loadPlans, type Plans } from '../../lib/plans';
import type { Principal } from '../../mixins/principal';
import type { ServiceContext } from '../../mixins/service';
import type { App } from '../app';
import { ApiKeys } from './api-keys';
import type { Session } from './contract';
import { Credentials } from './credentials';
import { type AuthModels, authModels, type TenantDoc, type UserDoc } from './models';
import { Passwords } from './passwords';
import { noSuchMember, Roster, roleOf } from './team/roster';
import { Seats } from './team/seats';
import { LoginThrottle } from './throttle';
import { AccessTokens } from './tokens';
import { tenantView, userView } from './views';

const TENANT_CACHED_MS = 1_000;

/** What the actions of the auth service work with. Made once per process. */
export class AuthParts {
  readonly plans: Plans;
  readonly models: AuthModels;
  readonly passwords = new Passwords();
  readonly tokens: AccessTokens;
  readonly throttle = new LoginThrottle();
  readonly apiKeys: ApiKeys;
  readonly roster: Roster;
  readonly seats: Seats;
  readonly credentials: Credentials;
  readonly #tenants: Cache<TenantDoc>;
  /** Null until the service has started. */
  context: ServiceContext | null = null;

  constructor(readonly app: App) {
    const { clock } = app;
    this.plans = loadPlans(app.config.plansFile);
    this.models = authModels(app.db);
    this.tokens = new AccessTokens(app.keys.jwt, app.keys.previous.jwt);
    this.apiKeys = new ApiKeys(this.models, clock, (error) =>
      this.context?.log.warn('The use of an API key was not noted', error),
    );
    this.roster = new Roster(this.models);
    this.seats = new Seats(this.models, this.plans);
    const { roster, tokens, apiKeys } = this;
    this.credentials = new Credentials({ roster, tokens, apiKeys, principals: app.principals, clock });
    this.#tenants = new Cache({ max: 10_000, ttlMs: TENANT_CACHED_MS, now: () => clock.now() });
  }

  /** The answer of everything that signs somebody in. @throws AppError not_found when he has just been removed */
  async session(user: UserDoc): Promise<Session> {
    const { models } = this;
    const tenant = await models.tenants.findById(user.tenant_id).lean();
    if (tenant === null || tenant.leaving.includes(user._id)) throw noSuchMember();
    const now = this.app.clock.now();
    await models.users.updateOne({ _id: user._id }, { $set: { last_sign_in_at: new Date(now) } });
    const role = roleOf(tenant, user);
    // Clocks of two processes may differ: a token is never older than what ended the sessions before it.
    const issuedAt = Math.max(now, user.sessions_valid_from?.getTime() ?? 0);
    return {
      token: await this.tokens.issue({ user_id: user._id, tenant_id: tenant._id, role }, issuedAt),
      user: userView(user, role),
      tenant: tenantView(tenant),
    };
  }

  /** A tenant's record, at most a second old. @throws AppError not_found */
  async tenantOf(id: string): Promise<TenantDoc> {
    const tenant = this.#tenants.get(id) ?? (await this.models.tenants.findById(id).lean());
    if (tenant === null) throw new AppError('not_found', 'The tenant no longer exists');
    this.#tenants.set(id, tenant);
    return tenant;
  }

  /** Drops what this process knows of users, keys and tenants. */
  forget(): void {
    this.credentials.forget();
    this.#tenants.clear();
  }

  /** Drops it at once, and asks the others to; who misses that follows within a second. */
  changed(pattern: `auth:${string}`): void {
    this.forget();
    this.context?.broadcast('cache.stale', { patterns: [pattern] });
  }
}

/** The person behind a call. Actions from `member` upward are never called without one. */
export function person(principal: Principal | null): Principal & { readonly user_id: string } {
  const userId = principal?.user_id ?? null;
  if (principal === null || userId === null) {
    throw new AppError('unauthenticated', 'This call needs a person or his API key');
  }
  return { ...principal, user_id: userId };
}
