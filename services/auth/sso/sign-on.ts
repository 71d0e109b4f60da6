import { randomBytes } from 'node:crypto';
import { createEgress, type Egress, type EgressRule, parseEgressAllow } from '../../../lib/egress';
import { AppError, type ErrorDetail, errorCode, errorMessage } from '../../../lib/errors';
import type { Json } from '../../../lib/json';
import { SealedTexts } from '../../../lib/sealed-text';
import { baseUrlFor } from '../../../lib/base-url';
import { REQUEST_LIFETIME_MS } from '../../../lib/browser-requests';
import type { TenantDoc } from '../models';
import type { AuthParts } from '../parts';
import { openClientSecret } from './client-secret';
import { ssoOf } from './config-of';
import type { BrowserCookie, BrowserVisit, MappableRole } from '../../../contracts/auth/sso';
import type { OidcSettings, SsoConfigDoc } from './models';
import { OidcClient, type OidcProvider } from './oidc';
import { type Person, personOfClaims, refused } from './person';
import { SignInRequests } from './requests';
import { roleFor } from './roles';
import { requestLocation } from './saml/messages';
import { personOfAssertion } from './saml/person';
import { checkOnThread } from './saml/task';
import { oidcWarnings, samlWarnings } from './settings-warnings';
import { callbackUrl, metadataUrl, SSO_CALLBACK } from './urls';

/** A tenant whose people sign in by its own provider. */
interface SsoTenant {
  readonly tenant: TenantDoc;
  readonly config: SsoConfigDoc;
  /** Address of the service, as configured at the tenant's provider. */
  readonly base: string;
}

/** The browser on its way to the provider. */
export interface Departure {
  readonly location: string;
  readonly cookie: BrowserCookie;
}

/** A user that may sign in. */
export interface Admitted {
  readonly tenantId: string;
  readonly via: 'oidc' | 'saml';
  readonly subject: string;
  readonly email: string;
  readonly role: MappableRole;
  /** Whether his role follows the provider at every sign-in. */
  readonly syncRole: boolean;
}

/** Records a refused sign-in of a user that the provider has authenticated, in the tenant's audit log. */
export type NoteRefusal = (tenantId: string, reason: string) => Promise<void>;

/** What is sealed between the post of an assertion and the page that finishes it. */
interface SamlAnswer {
  readonly in_response_to: string;
  readonly assertion_id: string;
  readonly admitted: Admitted;
}

/** Time for the browser to come from the one to the other. */
const ANSWER_LIFETIME_MS = 60_000;

/** Sign-in by a tenant's own identity provider: performs what the rules beside it decide. */
export class SignOn {
  readonly allow: readonly EgressRule[];
  readonly requests: SignInRequests;
  readonly #oidc: OidcClient;
  readonly #egress: Egress;
  readonly #sealed: SealedTexts;

  constructor(private readonly parts: AuthParts) {
    const { config, clock, keyring } = parts.app;
    this.allow = parseEgressAllow(config.egressAllow);
    this.#egress = createEgress({ allow: this.allow });
    this.#sealed = new SealedTexts(keyring);
    this.requests = new SignInRequests(parts.models, this.#sealed);
    this.#oidc = new OidcClient(this.#egress, this.allow, clock);
  }

  close(): Promise<void> {
    return this.#egress.close();
  }

  /** Our address, for which the operator's word goes before the request's. @throws AppError invalid_request */
  baseOf(origin: string | undefined): string {
    return baseUrlFor(this.parts.app.config, origin);
  }

  /** The tenant of a slug, with its provider. @throws AppError not_found, in the same words where there is no tenant */
  async bySlug(slug: string): Promise<SsoTenant> {
    return this.#ready(await this.parts.models.tenants.findOne({ slug }).lean());
  }

  async #byId(id: string): Promise<SsoTenant> {
    return this.#ready(await this.parts.models.tenants.findById(id).lean());
  }

  async #ready(tenant: TenantDoc | null): Promise<SsoTenant> {
    const config = tenant === null ? null : await ssoOf(this.parts.models, tenant._id);
    if (tenant === null || config === null || !config.enabled) throw notSetUp();
    return { tenant, config, base: this.parts.app.config.baseUrl ?? config.base_url };
  }

  /** What would keep people from signing in by these settings now, as far as that can be tried without a person. */
  async warningsOf(config: SsoConfigDoc): Promise<ErrorDetail[]> {
    const { oidc, saml } = config;
    if (saml !== null) return samlWarnings(saml, this.parts.app.clock.now());
    return oidc === null ? [] : oidcWarnings(() => this.#oidc.probe(this.#providerOf(config, oidc)));
  }

  /** Sends a browser to the tenant's provider. @throws AppError provider_failed */
  async begin({ tenant, config, base }: SsoTenant): Promise<Departure> {
    const now = this.parts.app.clock.now();
    const at = { base, path: SSO_CALLBACK, now };
    const tenant_id = tenant._id;
    if (config.oidc !== null) {
      const { location, request } = await this.#oidc.begin(this.#providerOf(config, config.oidc), callbackUrl(base));
      return { location, cookie: this.requests.keep({ kind: 'oidc', tenant_id, ...request }, at) };
    }
    if (config.saml === null) throw notSetUp();
    // An XML id begins with a letter or an underscore.
    const id = `_${randomBytes(32).toString('hex')}`;
    const location = requestLocation(config.saml, { id, relayState: tenant_id, base, slug: tenant.slug, now });
    return { location, cookie: this.requests.keep({ kind: 'saml', tenant_id, id }, at) };
  }

  /** Whom an OpenID provider lets in, once. @throws AppError sign_in_failed, sign_in_refused, provider_failed */
  async finishOidc(visit: BrowserVisit, state: string, note: NoteRefusal): Promise<Admitted> {
    const now = this.parts.app.clock.now();
    const request = this.requests.find('oidc', state, visit, now);
    await this.requests.use(`request ${request.id}`, now + REQUEST_LIFETIME_MS);
    const { config } = await this.#byId(request.tenant_id);
    if (config.oidc === null) throw changed();
    const wanted = ['email', ...(config.role_mapping === null ? [] : [config.role_mapping.claim])];
    const claims = await this.#oidc.finish(this.#providerOf(config, config.oidc), request, visit.fields, wanted);
    return admit(config, (claim) => personOfClaims(claims, claim), note);
  }

  /**
   * Takes what a SAML provider has had the browser post, and answers where it goes on. The post comes from another site,
   * so the browser's cookie is not with it; it is with the page to which the answer redirects, and finishes there.
   * @throws AppError sign_in_failed, sign_in_refused, not_found
   */
  async takePost({ fields }: BrowserVisit, note: NoteRefusal): Promise<string> {
    const { SAMLResponse: message, RelayState: tenantId } = fields;
    if (message === undefined || tenantId === undefined || tenantId === '') {
      throw new AppError('sign_in_failed', 'This sign-in was not begun here; begin at the page of this service');
    }
    const now = this.parts.app.clock.now();
    const { tenant, config, base } = await this.#byId(tenantId);
    if (config.saml === null) throw changed();
    // In a lane of its own: anybody may post, and the tenant's runs must not wait behind that.
    const assertion = await checkOnThread(this.parts.app.compute.lane(`saml:${tenantId}`), {
      message,
      certificate: config.saml.certificate,
      expected: {
        issuer: config.saml.issuer,
        audience: metadataUrl(base, tenant.slug),
        recipient: callbackUrl(base),
        now,
      },
    });
    const answer: SamlAnswer = {
      in_response_to: assertion.inResponseTo,
      assertion_id: assertion.id,
      admitted: await admit(config, (attribute) => personOfAssertion(assertion, attribute), note),
    };
    const sealed = this.#sealed.seal('saml answer', answer as unknown as Json, now + ANSWER_LIFETIME_MS);
    return `${callbackUrl(base)}?answer=${sealed}`;
  }

  /** Whom a SAML provider lets in, once. @throws AppError sign_in_failed */
  async finishSaml(visit: BrowserVisit, text: string): Promise<{ id: string; admitted: Admitted }> {
    const now = this.parts.app.clock.now();
    // Sealed by us alone, so it is what `takePost` has put together.
    const answer = this.#sealed.open('saml answer', text, now) as unknown as SamlAnswer | null;
    if (answer === null) throw new AppError('sign_in_failed', 'The sign-in took too long; begin again');
    const { in_response_to, assertion_id, admitted } = answer;
    const request = this.requests.find('saml', in_response_to, visit, now);
    if (request.tenant_id !== admitted.tenantId) throw changed();
    await this.requests.use(`request ${request.id}`, now + REQUEST_LIFETIME_MS);
    // An assertion answers one request, which by then is used or too old.
    await this.requests.use(`assertion ${admitted.tenantId} ${assertion_id}`, now + REQUEST_LIFETIME_MS);
    return { id: request.id, admitted };
  }

  #providerOf({ tenant_id, client_secret }: SsoConfigDoc, settings: OidcSettings): OidcProvider {
    return {
      issuer: settings.issuer,
      clientId: settings.client_id,
      clientSecret: client_secret === null ? null : openClientSecret(this.parts.app.keyring, tenant_id, client_secret),
      scopes: settings.scopes,
    };
  }
}

/** Lets in whom the provider names, as what the tenant's mapping makes of him. @throws AppError sign_in_refused, once noted */
async function admit(
  config: SsoConfigDoc,
  personOf: (roleClaim: string | null) => Person,
  note: NoteRefusal,
): Promise<Admitted> {
  try {
    const { subject, email, values } = personOf(config.role_mapping?.claim ?? null);
    const role = roleFor(config, values);
    if (role === null) throw refused('The identity provider puts you in no group that may come in; ask an owner');
    const syncRole = config.role_mapping !== null;
    return { tenantId: config.tenant_id, via: config.provider, subject, email, role, syncRole };
  } catch (error) {
    if (errorCode(error) === 'sign_in_refused') await note(config.tenant_id, errorMessage(error));
    throw error;
  }
}

const notSetUp = (): AppError => new AppError('not_found', 'Single sign-on is not set up for this tenant');

const changed = (): AppError =>
  new AppError('sign_in_failed', 'The identity provider was changed meanwhile; begin again');
