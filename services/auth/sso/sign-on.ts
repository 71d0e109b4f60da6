import { randomBytes } from 'node:crypto';
import { createEgress, type Egress, type EgressRule, parseEgressAllow } from '../../../lib/egress';
import { AppError, type ErrorDetail, errorCode, errorMessage } from '../../../lib/errors';
import type { Json, JsonObject } from '../../../lib/json';
import { ofTenant } from '../../../lib/tenant';
import { SealedTexts } from '../../../lib/sealed-text';
import { baseUrlFor } from '../../../lib/base-url';
import { REQUEST_LIFETIME_MS } from '../../../lib/browser-requests';
import type { TenantDoc } from '../models';
import type { AuthDeps } from '../deps';
import { mappedGroupsOf } from '../scim/roles';
import { openClientSecret } from './client-secret';
import { findSsoConfig } from './find-config';
import type { BrowserCookie, BrowserVisit, MappableRole } from '../../../contracts/auth/sso';
import type { OidcSettings, SsoConfigDoc } from './models';
import { OidcClient, type OidcProvider } from './oidc';
import { type AuthenticatedUser, userOfClaims, refused } from './authenticated-user';
import { SignInRequests } from './requests';
import { roleFor } from './roles';
import { requestLocation } from './saml/messages';
import { userOfAssertion } from './saml/authenticated-user';
import type { Assertion } from './saml/response';
import { verifyOnThread } from './saml/task';
import { oidcWarnings, samlWarnings } from './settings-warnings';
import { callbackUrl, metadataUrl, SSO_CALLBACK } from './urls';

/** A tenant with an enabled provider. */
interface SsoTenant {
  readonly tenant: TenantDoc;
  readonly config: SsoConfigDoc;
  /** Base URL of the service, as registered at the tenant's provider. */
  readonly base: string;
}

/** Redirect of a browser to the provider. */
export interface ProviderRedirect {
  readonly location: string;
  readonly cookie: BrowserCookie;
}

/** A user that may sign in. */
export interface AdmittedUser {
  readonly tenantId: string;
  readonly via: 'oidc' | 'saml';
  readonly subject: string;
  readonly email: string;
  readonly role: MappableRole;
  /** True if every sign-in updates the role. */
  readonly syncRole: boolean;
}

/** Records a refused sign-in of a user that the provider has authenticated, in the tenant's audit log. */
export type RecordRefusal = (tenantId: string, reason: string) => Promise<void>;

/** A verified assertion, encrypted into the redirect from the post to the page that finishes the sign-in. */
interface VerifiedSaml {
  readonly in_response_to: string;
  readonly assertion_id: string;
  readonly admitted: AdmittedUser;
}

const VERIFIED_LIFETIME_MS = 60_000;

/** Sign-in with a tenant's own identity provider. */
export class SignOn {
  readonly allow: readonly EgressRule[];
  readonly requests: SignInRequests;
  readonly #oidc: OidcClient;
  readonly #egress: Egress;
  readonly #sealed: SealedTexts;

  constructor(private readonly deps: AuthDeps) {
    const { config, clock, keyring } = deps.app;
    this.allow = parseEgressAllow(config.egressAllow);
    this.#egress = createEgress({ allow: this.allow });
    this.#sealed = new SealedTexts(keyring);
    this.requests = new SignInRequests(deps.models, this.#sealed);
    this.#oidc = new OidcClient(this.#egress, this.allow, clock);
  }

  close(): Promise<void> {
    return this.#egress.close();
  }

  /** Base URL of the service: the configured one, else the request's. @throws AppError invalid_request */
  baseOf(origin: string | undefined): string {
    return baseUrlFor(this.deps.app.config, origin);
  }

  /** Finds a tenant and its provider. @throws AppError not_found, with the same message for an unknown tenant */
  async bySlug(slug: string): Promise<SsoTenant> {
    return this.#enabledConfig(await this.deps.models.tenants.findOne({ slug }).lean());
  }

  async #byId(id: string): Promise<SsoTenant> {
    return this.#enabledConfig(await this.deps.models.tenants.findById(id).lean());
  }

  /** The settings of a tenant, whether they are enabled or not. @throws AppError not_found */
  async anyById(id: string): Promise<SsoTenant> {
    const tenant = await this.deps.models.tenants.findById(id).lean();
    const config = tenant === null ? null : await findSsoConfig(this.deps.models, tenant._id);
    if (tenant === null || config === null) throw notSetUp();
    return { tenant, config, base: this.deps.app.config.baseUrl ?? config.base_url };
  }

  async #enabledConfig(tenant: TenantDoc | null): Promise<SsoTenant> {
    const config = tenant === null ? null : await findSsoConfig(this.deps.models, tenant._id);
    if (tenant === null || config === null || !config.enabled) throw notSetUp();
    return { tenant, config, base: this.deps.app.config.baseUrl ?? config.base_url };
  }

  /** Reports problems of the configuration that can be detected without a sign-in. */
  async warningsOf(config: SsoConfigDoc): Promise<ErrorDetail[]> {
    const { oidc, saml } = config;
    if (saml !== null) return samlWarnings(saml, this.deps.app.clock.now());
    return oidc === null ? [] : oidcWarnings(() => this.#oidc.probe(this.#providerOf(config, oidc)));
  }

  /** Sends a browser to the tenant's provider, to sign in or for a test. @throws AppError provider_failed */
  async begin({ tenant, config, base }: SsoTenant, test?: string): Promise<ProviderRedirect & { readonly id: string }> {
    const now = this.deps.app.clock.now();
    const at = { base, path: SSO_CALLBACK, now };
    const tenant_id = tenant._id;
    const ofTest = test === undefined ? {} : { test_id: test };
    if (config.oidc !== null) {
      const { location, request } = await this.#oidc.begin(this.#providerOf(config, config.oidc), callbackUrl(base));
      const cookie = this.requests.cookieFor({ kind: 'oidc', tenant_id, ...request, ...ofTest }, at);
      return { id: request.id, location, cookie };
    }
    if (config.saml === null) throw notSetUp();
    // An XML id begins with a letter or an underscore.
    const id = `_${randomBytes(32).toString('hex')}`;
    const relayState = test === undefined ? tenant_id : `${tenant_id} ${test}`;
    const location = requestLocation(config.saml, { id, relayState, base, slug: tenant.slug, now });
    return { id, location, cookie: this.requests.cookieFor({ kind: 'saml', tenant_id, id, ...ofTest }, at) };
  }

  /** Finishes a sign-in with an OpenID provider, once. @throws AppError sign_in_failed, sign_in_refused, provider_failed */
  async finishOidc(visit: BrowserVisit, state: string, recordRefusal: RecordRefusal): Promise<AdmittedUser> {
    const now = this.deps.app.clock.now();
    const request = this.requests.find('oidc', state, visit, now);
    if (request.test_id !== undefined) throw isTest();
    const { config } = await this.#byId(request.tenant_id);
    const claims = await this.claimsOf(config, request, visit);
    return this.#admit(config, (claim) => userOfClaims(claims, claim), recordRefusal);
  }

  /** The claims that an OpenID provider sends for a request, once. @throws AppError sign_in_failed, provider_failed */
  async claimsOf(
    config: SsoConfigDoc,
    request: ReturnType<typeof this.requests.find<'oidc'>>,
    { fields }: BrowserVisit,
  ): Promise<JsonObject> {
    const now = this.deps.app.clock.now();
    await this.requests.consume(`request ${request.id}`, now + REQUEST_LIFETIME_MS);
    if (config.oidc === null || config.tenant_id !== request.tenant_id) throw providerChanged();
    const requiredClaims = ['email', ...(config.role_mapping === null ? [] : [config.role_mapping.claim])];
    return this.#oidc.finish(this.#providerOf(config, config.oidc), request, fields, requiredClaims);
  }

  /** The assertion of a SAML response, verified. @throws AppError sign_in_failed */
  assertionOf({ tenant, config, base }: SsoTenant, message: string): Promise<Assertion> {
    if (config.saml === null) throw providerChanged();
    // A separate lane: unauthenticated posts must not delay the tenant's runs.
    return verifyOnThread(this.deps.app.compute.lane(`saml:${tenant._id}`), {
      message,
      certificate: config.saml.certificate,
      expected: {
        issuer: config.saml.issuer,
        audience: metadataUrl(base, tenant.slug),
        recipient: callbackUrl(base),
        now: this.deps.app.clock.now(),
      },
    });
  }

  /**
   * Verifies a SAML response that the browser posted, and returns the URL to redirect to. The post comes from another site,
   * so it has no cookie of this browser. The page behind the redirect has it and finishes the sign-in.
   * @throws AppError sign_in_failed, sign_in_refused, not_found
   */
  async verifySamlPost({ fields }: BrowserVisit, recordRefusal: RecordRefusal): Promise<string> {
    const { SAMLResponse: message, RelayState: tenantId } = fields;
    if (message === undefined || tenantId === undefined || tenantId === '') {
      throw new AppError(
        'sign_in_failed',
        'This sign-in was not started here; start at the sign-in page of this service',
      );
    }
    const now = this.deps.app.clock.now();
    const known = await this.#byId(tenantId);
    const { config, base } = known;
    const assertion = await this.assertionOf(known, message);
    const answer: VerifiedSaml = {
      in_response_to: assertion.inResponseTo,
      assertion_id: assertion.id,
      admitted: await this.#admit(config, (attribute) => userOfAssertion(assertion, attribute), recordRefusal),
    };
    const sealed = this.#sealed.seal('saml answer', answer as unknown as Json, now + VERIFIED_LIFETIME_MS);
    return `${callbackUrl(base)}?answer=${sealed}`;
  }

  /** Finishes a sign-in with a SAML provider, once. @throws AppError sign_in_failed */
  async finishSaml(visit: BrowserVisit, text: string): Promise<{ id: string; admitted: AdmittedUser }> {
    const now = this.deps.app.clock.now();
    // Only `verifySamlPost` encrypts such texts, so the content has this type.
    const answer = this.#sealed.open('saml answer', text, now) as unknown as VerifiedSaml | null;
    if (answer === null) throw new AppError('sign_in_failed', 'The sign-in took too long; start again');
    const { in_response_to, assertion_id, admitted } = answer;
    const request = this.requests.find('saml', in_response_to, visit, now);
    if (request.test_id !== undefined) throw isTest();
    if (request.tenant_id !== admitted.tenantId) throw providerChanged();
    await this.requests.consume(`request ${request.id}`, now + REQUEST_LIFETIME_MS);
    // Until then suffices: afterwards the request of the assertion has expired.
    await this.requests.consume(`assertion ${admitted.tenantId} ${assertion_id}`, now + REQUEST_LIFETIME_MS);
    return { id: request.id, admitted };
  }

  /** Maps an authenticated user to a role. Records a refusal. @throws AppError sign_in_refused */
  async #admit(
    config: SsoConfigDoc,
    userOf: (roleClaim: string | null) => AuthenticatedUser,
    recordRefusal: RecordRefusal,
  ): Promise<AdmittedUser> {
    try {
      const user = userOf(config.role_mapping?.claim ?? null);
      const role = roleFor(config, await this.decisiveValues(config, user));
      if (role === null) throw refused('None of your groups at the identity provider may sign in; ask an owner');
      const { subject, email } = user;
      const syncRole = config.role_mapping !== null;
      return { tenantId: config.tenant_id, via: config.provider, subject, email, role, syncRole };
    } catch (error) {
      if (errorCode(error) === 'sign_in_refused') await recordRefusal(config.tenant_id, errorMessage(error));
      throw error;
    }
  }

  /** The groups that SCIM has provisioned decide before those of the claim, which some providers send in part. */
  async decisiveValues(
    config: SsoConfigDoc,
    { subject, email, values }: AuthenticatedUser,
  ): Promise<readonly string[]> {
    if (config.role_mapping === null) return values;
    const users = ofTenant(this.deps.models.users, config.tenant_id);
    const identities = { $elemMatch: { via: config.provider, subject } };
    const user = (await users.findOne({ identities })) ?? (await users.findOne({ email }));
    const provisioned = user === null ? [] : await mappedGroupsOf(this.deps.models, config, user._id);
    return provisioned.length > 0 ? provisioned : values;
  }

  #providerOf({ tenant_id, client_secret }: SsoConfigDoc, settings: OidcSettings): OidcProvider {
    return {
      issuer: settings.issuer,
      clientId: settings.client_id,
      clientSecret: client_secret === null ? null : openClientSecret(this.deps.app.keyring, tenant_id, client_secret),
      scopes: settings.scopes,
    };
  }
}

/** A test is finished elsewhere; its answer signs no user in. */
const isTest = (): AppError => new AppError('sign_in_failed', 'This is a test, which signs no user in; start again');

const notSetUp = (): AppError => new AppError('not_found', 'Single sign-on is not set up for this tenant');

const providerChanged = (): AppError =>
  new AppError('sign_in_failed', 'The identity provider was changed during the sign-in; start again');
