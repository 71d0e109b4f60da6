import { AppError, errorMessage } from '../../lib/errors';
import { type Limits, limitsOf, loadPlans, overriddenLimits, type Plans } from '../../lib/plans';
import { ReadThrough } from '../../lib/read-through';
import { CACHE_MAX_AGE_MS } from '../../mixins/invalidation';
import type { Principal } from '../../lib/principal';
import type { ServiceContext } from '../../mixins/service';
import type { App } from '../app';
import { ApiKeys } from './api-keys';
import type { Session } from '../../contracts/auth/accounts';
import { Credentials } from './credentials';
import { type AuthModels, authModels, type TenantDoc, type UserDoc } from './models';
import { SecondFactors } from './factors/factors';
import { Passkeys } from './factors/passkeys/passkeys';
import { WITHOUT_FACTOR } from './factors/models';
import { Passwords } from './passwords';
import { MailboxLimiter } from './mailbox-limiter';
import { type AccountMail, pageUrl, verifyMail } from './mails';
import { randomId } from '../../lib/ids';
import { MailTokens } from './sessions/mail-tokens';
import { type SessionOrigin, Sessions } from './sessions/sessions';
import { findSsoConfig } from './sso/find-config';
import { requiresSso, type SsoMember } from './sso/requirement';
import { Invites } from './team/invites';
import { deactivated, Membership, noSuchMember, roleOf } from './team/membership';
import { MemberQuota } from './team/member-quota';
import { AttemptLimiter } from './attempt-limiter';
import { AccessTokens } from './tokens';
import { tenantView, userView } from './views';

/** Why a session may start: the second factor was checked, the identity provider checks it, or the user has none. */
type SecondFactorCheck = 'second factor checked' | 'left to the provider' | 'user has none';

/** Shared dependencies of the auth service's actions; one instance per process. */
export class AuthDeps {
  readonly plans: Plans;
  readonly models: AuthModels;
  readonly passwords = new Passwords();
  readonly tokens: AccessTokens;
  readonly throttle: AttemptLimiter;
  readonly tokenThrottle: AttemptLimiter;
  /** Registrations per network. */
  readonly registrations: AttemptLimiter;
  /** Mails that the recipient has not requested: per tenant, and per account and address. */
  readonly inviteThrottle: AttemptLimiter;
  readonly mailThrottle: AttemptLimiter;
  readonly #mailboxes = new MailboxLimiter();
  readonly apiKeys: ApiKeys;
  readonly sessions: Sessions;
  readonly factors: SecondFactors;
  readonly passkeys: Passkeys;
  readonly membership: Membership;
  readonly memberQuota: MemberQuota;
  readonly invites: Invites;
  readonly mailTokens: MailTokens;
  readonly credentials: Credentials;
  readonly #tenants: ReadThrough<TenantDoc>;
  /** Null until the service has started. */
  context: ServiceContext | null = null;

  constructor(readonly app: App) {
    const { clock } = app;
    this.tokenThrottle = new AttemptLimiter(
      { name: 'token', perPair: 20, perAddress: 100, words: 'Too many links that do not work' },
      app.shared,
    );
    this.registrations = new AttemptLimiter(
      { name: 'register', perPair: 20, perAddress: 20, words: 'Too many registrations from this network' },
      app.shared,
    );
    this.inviteThrottle = new AttemptLimiter(
      { name: 'invite', perPair: 100, perAddress: 100, words: 'Too many invitations' },
      app.shared,
    );
    this.mailThrottle = new AttemptLimiter(
      { name: 'mail', perPair: 5, perAddress: 50, words: 'Too many mails were asked for' },
      app.shared,
    );
    this.throttle = new AttemptLimiter(undefined, app.shared);
    this.plans = loadPlans(app.config.plansFile);
    this.models = authModels(app.db);
    this.tokens = new AccessTokens(app.keys.jwt, app.keys.previous.jwt);
    this.apiKeys = new ApiKeys(this.models, clock, (error) =>
      this.context?.log.warn('The use of an API key was not recorded', error),
    );
    this.sessions = new Sessions(this.models, clock, (error) =>
      this.context?.log.warn('The use of a session was not recorded', error),
    );
    this.factors = new SecondFactors(this);
    this.membership = new Membership(this.models);
    this.passkeys = new Passkeys(this);
    this.memberQuota = new MemberQuota(this.models, (tenant) => this.limitsOf(tenant));
    this.invites = new Invites(this.models, this.membership);
    this.mailTokens = new MailTokens(this.models);
    const { models, membership, tokens, apiKeys, sessions } = this;
    const { principals } = app;
    this.credentials = new Credentials({
      models,
      membership,
      tokens,
      apiKeys,
      sessions,
      principals,
      clock,
      operators: app.config.operators,
    });
    this.#tenants = new ReadThrough({ max: 10_000, ttlMs: CACHE_MAX_AGE_MS, now: () => clock.now() });
  }

  /**
   * The response of every sign-in.
   * @throws AppError not_found when the user has just been removed; forbidden when it is deactivated; conflict when the user has just added a second factor
   */
  async session(user: UserDoc, origin: SessionOrigin, factor: SecondFactorCheck = 'user has none'): Promise<Session> {
    const { models } = this;
    const tenant = await models.tenants.findById(user.tenant_id).lean();
    if (tenant === null || tenant.leaving.includes(user._id)) throw noSuchMember();
    const now = this.app.clock.now();
    const guard = factor === 'user has none' ? WITHOUT_FACTOR : {};
    const signedInAt = { $set: { last_sign_in_at: new Date(now) } };
    if (user.deactivated_at !== undefined) throw deactivated();
    const active = { deactivated_at: { $exists: false } };
    const { matchedCount } = await models.users.updateOne({ _id: user._id, ...active, ...guard }, signedInAt);
    if (matchedCount === 0) throw new AppError('conflict', 'The account was changed meanwhile; sign in again');
    const role = roleOf(tenant, user);
    // Clocks of processes may differ: a new token must not be older than the end of earlier sessions.
    const issuedAt = Math.max(now, user.sessions_valid_from?.getTime() ?? 0);
    const id = randomId();
    await this.sessions.begin(id, user, origin, issuedAt);
    return {
      token: await this.tokens.issue(
        { user_id: user._id, tenant_id: tenant._id, role, sso: isSso(origin) },
        id,
        issuedAt,
      ),
      user: userView(user, role),
      tenant: tenantView(tenant),
    };
  }

  /** A tenant's record, at most a second old. @throws AppError not_found */
  tenantOf(id: string): Promise<TenantDoc> {
    return this.#tenants.get(id, async () => {
      const tenant = await this.models.tenants.findById(id).lean();
      if (tenant === null) throw new AppError('not_found', 'The tenant no longer exists');
      return tenant;
    });
  }

  /** The limits that apply to a tenant now: those of its plan, and its own instead. */
  limitsOf({ plan, limits = {} }: Pick<TenantDoc, 'plan' | 'limits'>): Limits {
    return overriddenLimits(limitsOf(this.plans, plan), limits, this.app.clock.now());
  }

  /** Checks the password of a user; wrong ones are counted. @throws AppError forbidden, conflict, rate_limited */
  async assertPassword(user: UserDoc, password: string, address: string): Promise<void> {
    const succeeded = await this.throttle.admit(`password\n${user._id}`, address, this.app.clock.now());
    if (user.password_hash === null) {
      throw new AppError('conflict', 'This account has no password; set one by a password reset');
    }
    if (!(await this.passwords.verify(password, user.password_hash))) {
      throw new AppError('forbidden', 'The current password is wrong');
    }
    succeeded();
  }

  /** Whether a member may sign in with a password or a passkey. @throws AppError sso_required */
  async assertPasswordSuffices(tenant: TenantDoc, member: SsoMember, what = 'Password login'): Promise<void> {
    if (!requiresSso(await findSsoConfig(this.models, tenant._id), member)) return;
    throw new AppError('sso_required', `${what} is disabled for this account; sign in with SSO`);
  }

  /**
   * Sends a mail in the background. Returns false without a mail server, or if the mailbox has reached its limit. Failures
   * are only logged.
   */
  mail(mail: AccountMail): boolean {
    const { mailer, clock } = this.app;
    if (mailer === null) return false;
    if (!this.#mailboxes.admits(mail.cause, mail.to, clock.now())) {
      this.context?.log.warn(
        `A mail (${mail.cause}) was not sent: its mailbox has had too many in a quarter of an hour`,
      );
      return false;
    }
    this.later('A mail was not sent', () => mailer.send(mail));
    return true;
  }

  /** Runs work in the background and logs its failure. */
  later(loss: string, work: () => Promise<unknown>): void {
    work().catch((fault: unknown) => this.context?.log.warn(`${loss}: ${errorMessage(fault)}`));
  }

  /** Sends a mail to confirm the address, unless it is confirmed or no mail server is configured. */
  sendVerification(user: UserDoc, tenant: TenantDoc): void {
    const { app, mailTokens } = this;
    if (app.mailer === null || user.email_verified_at !== null) return;
    this.later('A mail to confirm an address was not sent', async () => {
      const token = await mailTokens.issue(user, 'verify_email', app.clock.now());
      this.mail(verifyMail(user.email, tenant, pageUrl(app.config, 'verify-email', token)));
    });
  }

  /** Clears the caches of users, keys and tenants in this process. */
  forget(): void {
    this.credentials.forget();
    this.#tenants.clear();
  }

  /** Clears them in every process. Await it before responding to a change. */
  async changed(pattern: `auth:${string}`): Promise<void> {
    this.forget();
    await this.context?.invalidate(pattern);
  }
}

/** True for sessions of a tenant's own identity provider, which checks second factors itself. */
const isSso = ({ via }: SessionOrigin): boolean => via === 'oidc' || via === 'saml';

/** The user of a session. @throws AppError forbidden for API keys, which have neither session nor password */
export function signedIn(principal: Principal | null): Principal & { readonly user_id: string } {
  const who = person(principal);
  if (who.kind === 'user') return who;
  throw new AppError('forbidden', 'This needs the token of a login; an API key has no session (revoke it instead)');
}

/** The user of a call. Actions that need the role `member` or higher always have one. */
export function person(principal: Principal | null): Principal & { readonly user_id: string } {
  const userId = principal?.user_id ?? null;
  if (principal === null || userId === null) {
    throw new AppError('unauthenticated', 'This call needs a user or the API key of a user');
  }
  return { ...principal, user_id: userId };
}
