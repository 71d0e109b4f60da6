import { randomBytes } from 'node:crypto';
import { createEgress, type Egress, type EgressRule, parseEgressAllow } from '../../../lib/egress';
import { ruleOf } from '../../../lib/egress/rules';
import { AppError } from '../../../lib/errors';
import { SUITE_VARIABLES, type SuiteSignIn } from '../../../lib/sign-in-config';
import { REQUEST_LIFETIME_MS } from '../../../lib/browser-requests';
import type { UserDoc } from '../models';
import type { AuthDeps } from '../deps';
import { confirm, register } from '../registration';
import { findSsoConfig } from './find-config';
import { invited, requiresSso, type SsoMember } from './requirement';
import type { BrowserVisit } from '../../../contracts/auth/sso';
import { OidcClient, type OidcProvider } from './oidc';
import { type AuthenticatedUser, userOfClaims, refused } from './authenticated-user';
import type { SignInRequests } from './requests';
import type { ProviderRedirect } from './sign-on';
import { SUITE_CALLBACK } from './urls';

/** An authenticated user and the tenant to sign in to. */
interface SuiteUser {
  readonly person: AuthenticatedUser;
  /** Null: the user has no account yet. */
  readonly tenantId: string | null;
}

const SCOPES = ['openid', 'email', 'profile'];
/** A new user can create one tenant within this time, also in two browser windows. */
const SIGN_UP_LOCK_MS = 60_000;
/** Accounts of a user that are read, the last used ones first. */
const MAX_ACCOUNTS = 100;

/** Sign-in and sign-up with the OpenID provider of the installation (Google Workspace). */
export class SuiteSignOn {
  readonly #oidc: OidcClient;
  readonly #egress: Egress;

  constructor(
    private readonly deps: AuthDeps,
    private readonly requests: SignInRequests,
  ) {
    const { config, clock } = deps.app;
    // The operator configured these hosts, so private addresses are allowed.
    const allow = [...parseEgressAllow(config.egressAllow), ...rulesOf(config.signIn.suite)];
    this.#egress = createEgress({ allow });
    this.#oidc = new OidcClient(this.#egress, allow, clock);
  }

  close(): Promise<void> {
    return this.#egress.close();
  }

  /** @throws AppError provider_not_configured, provider_failed */
  async begin(base: string, tenantSlug: string | null): Promise<ProviderRedirect> {
    const now = this.deps.app.clock.now();
    const { location, request } = await this.#oidc.begin(this.#provider, `${base}${SUITE_CALLBACK}`);
    const kept = { kind: 'suite', tenant_slug: tenantSlug, ...request } as const;
    return { location, cookie: this.requests.cookieFor(kept, { base, path: SUITE_CALLBACK, now }) };
  }

  /**
   * Finishes a sign-in, once. Returns the user and their tenant: the requested one, else the last used one.
   * @throws AppError sign_in_failed, sign_in_refused, sso_required, provider_failed, provider_not_configured
   */
  async finish(visit: BrowserVisit, state: string): Promise<SuiteUser> {
    const provider = this.#provider;
    const now = this.deps.app.clock.now();
    const request = this.requests.find('suite', state, visit, now);
    await this.requests.consume(`request ${request.id}`, now + REQUEST_LIFETIME_MS);
    const person = userOfClaims(await this.#oidc.finish(provider, request, visit.fields, ['email']), null);
    const accounts = await this.#accountsOf(person);
    if (request.tenant_slug !== null)
      return { person, tenantId: await this.#requestedTenant(person, accounts, request.tenant_slug) };
    const [account] = accounts;
    if (account !== undefined) await this.#assertMayUse(account);
    return { person, tenantId: account?.tenant_id ?? null };
  }

  /** Creates a tenant for a new user. @throws AppError sign_in_failed while another window creates it */
  async signUp({ subject, email }: AuthenticatedUser): Promise<UserDoc> {
    const now = this.deps.app.clock.now();
    await this.requests.consume(`newcomer ${subject}`, now + SIGN_UP_LOCK_MS);
    const name = email.slice(0, email.indexOf('@'));
    const { user } = await register(
      this.deps.models,
      {
        slug: freeSlug(name),
        name,
        email,
        passwordHash: null,
        identities: [{ via: 'suite', subject }],
        emailVerifiedAt: new Date(now),
      },
      now,
    );
    await confirm(this.deps.models, user._id);
    return user;
  }

  /**
   * The user's accounts in all tenants, the last used first, found by the identity or by the address, which the provider has
   * verified. Accounts with an unverified address do not count: another person may have registered them.
   */
  async #accountsOf({ subject, email }: AuthenticatedUser): Promise<UserDoc[]> {
    const find = (filter: object): Promise<UserDoc[]> =>
      this.deps.models.users
        .find({ ...filter, registering_since: { $exists: false } })
        .sort({ last_sign_in_at: -1, _id: 1 })
        .limit(MAX_ACCOUNTS)
        .lean();
    const known = await find({ identities: { $elemMatch: { via: 'suite', subject } } });
    const byAddress = await find({ email, email_verified_at: { $ne: null } });
    const others = byAddress.filter(({ _id }) => !known.some((each) => each._id === _id));
    const accounts = [...known, ...others];
    const memberships = await Promise.all(
      accounts.map(({ tenant_id, _id }) => this.deps.membership.find(tenant_id, _id)),
    );
    return accounts.filter((_, index) => memberships[index] !== null);
  }

  /** The requested tenant, when the user is a member or invited. @throws AppError sign_in_refused, sso_required */
  async #requestedTenant({ email }: AuthenticatedUser, accounts: readonly UserDoc[], slug: string): Promise<string> {
    const { models, invites, app } = this.deps;
    const tenant = await models.tenants.findOne({ slug }).lean();
    const account = accounts.find(({ tenant_id }) => tenant_id === tenant?._id);
    if (account !== undefined) {
      await this.#assertMayUse(account);
      return account.tenant_id;
    }
    const invite = tenant === null ? null : await invites.byEmail(tenant._id, email, app.clock.now());
    if (invite === null) throw refused('You have no account in this tenant; ask an owner for an invitation');
    // An invitation does not bypass the tenant's own provider.
    await this.#assertSuffices(invite.tenant_id, invited(invite));
    return invite.tenant_id;
  }

  async #assertMayUse({ tenant_id, _id, email, role }: UserDoc): Promise<void> {
    const member = await this.deps.membership.find(tenant_id, _id);
    await this.#assertSuffices(tenant_id, { role: member?.role ?? role, email });
  }

  /** Rejects members who must use their tenant's own provider, as for password logins. @throws AppError sso_required */
  async #assertSuffices(tenantId: string, member: SsoMember): Promise<void> {
    if (requiresSso(await findSsoConfig(this.deps.models, tenantId), member)) throw ssoRequired();
  }

  get #provider(): OidcProvider {
    const { suite } = this.deps.app.config.signIn;
    if (suite === null) {
      throw new AppError(
        'provider_not_configured',
        `Sign-in with Google Workspace is not configured: set ${SUITE_VARIABLES.join(' and ')}`,
      );
    }
    return { ...suite, scopes: SCOPES };
  }
}

/** Egress rules for the addresses that the operator configured. */
const rulesOf = (suite: SuiteSignIn | null): EgressRule[] =>
  [suite?.issuer, suite?.authorizeUrl, suite?.tokenUrl].flatMap((address) => (address ? [ruleOf(address)] : []));

/** A readable slug with 40 random bits, which make a conflict unlikely. */
function freeSlug(name: string): string {
  const readable = name.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  return `${readable.slice(0, 40) || 'team'}-${randomBytes(5).toString('hex')}`;
}

const ssoRequired = (): AppError =>
  new AppError('sso_required', 'This tenant requires sign-in with its own identity provider');
