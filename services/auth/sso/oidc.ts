import * as openid from 'openid-client';
import type { Clock } from '../../../lib/clock';
import { type Cache, createCache } from '../../../lib/cache';
import { type Egress, type EgressRule, EgressError } from '../../../lib/egress';
import { AppError } from '../../../lib/errors';
import { fetchAdapter } from '../../../lib/fetch-adapter';
import type { JsonObject } from '../../../lib/json';
import { ReadThrough } from '../../../lib/read-through';
import { newRequestId } from '../../../lib/browser-requests';
import { isInsecure } from './addresses';
import { toOidcError } from './oidc-error';

/** An OpenID provider and the client registered there. */
export interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client, which uses only PKCE. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  /** Override the endpoints of the provider's metadata. */
  readonly authorizeUrl?: string | null;
  readonly tokenUrl?: string | null;
}

/** State of an authorization request until its response. */
interface OidcRequest {
  /** The `state`. */
  id: string;
  nonce: string;
  code_verifier: string;
  issuer: string;
  client_id: string;
  redirect_uri: string;
}

const METADATA_TTL_MS = 10 * 60_000;
/** Failed discoveries are cached: otherwise each visit of the sign-in page would repeat them. */
const FAILURE_TTL_MS = 10_000;
const TIMEOUT_SECONDS = 10;
/** Metadata and keys are a few kilobytes, but the tenant chooses the provider. */
const MAX_BYTES = 256 * 1024;
/** Number of providers with cached metadata. */
const MAX_CACHED_PROVIDERS = 100;
/** Allowed clock skew of the provider. */
const CLOCK_TOLERANCE_SECONDS = 60;

/**
 * Authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 7636, RFC 9207), based on
 * openid-client. The tenant chooses the provider, so every request uses the guarded egress client with its limits.
 */
export class OidcClient {
  readonly #metadata: ReadThrough<openid.ServerMetadata>;
  readonly #failures: Cache<AppError>;
  readonly #fetch: openid.CustomFetch;

  constructor(
    egress: Egress,
    private readonly allow: readonly EgressRule[],
    clock: Clock,
  ) {
    const now = (): number => clock.now();
    this.#metadata = new ReadThrough({ max: MAX_CACHED_PROVIDERS, ttlMs: METADATA_TTL_MS, now });
    this.#failures = createCache({ max: MAX_CACHED_PROVIDERS, ttlMs: FAILURE_TTL_MS, now });
    const bounded = fetchAdapter({
      request: (request) =>
        egress.request({ ...request, timeoutMs: TIMEOUT_SECONDS * 1_000, maxBytes: MAX_BYTES, maxRedirects: 0 }),
    });
    this.#fetch = (url, { body, method, headers, signal }) => {
      // The metadata may contain any URL; requests over plain http could be read and changed in transit.
      if (isInsecure(url, allow)) throw new EgressError('blocked', 'the provider uses a URL without https');
      const text = body === undefined || body === null ? undefined : String(body);
      return bounded(url, {
        method,
        headers,
        ...(signal ? { signal } : {}),
        ...(text === undefined ? {} : { body: text }),
      });
    };
  }

  /** Reads the metadata of a provider without the cache. @throws AppError provider_failed */
  async probe(provider: OidcProvider): Promise<void> {
    this.#failures.delete(provider.issuer);
    this.#metadata.delete(provider.issuer);
    this.#assertAuthorizationEndpoint(await this.#configure(provider));
  }

  /** Returns the authorization URL and the state to keep. @throws AppError provider_failed */
  async begin(provider: OidcProvider, redirectUri: string): Promise<{ location: string; request: OidcRequest }> {
    const configuration = await this.#configure(provider);
    const request: OidcRequest = {
      id: newRequestId(),
      nonce: openid.randomNonce(),
      code_verifier: openid.randomPKCECodeVerifier(),
      issuer: provider.issuer,
      client_id: provider.clientId,
      redirect_uri: redirectUri,
    };
    this.#assertAuthorizationEndpoint(configuration);
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: provider.scopes.join(' '),
      state: request.id,
      nonce: request.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(request.code_verifier),
      code_challenge_method: 'S256',
    });
    return { location: url.href, request };
  }

  /**
   * Exchanges a code for claims. Verifies signature, issuer, audience, times and nonce of the ID token. If it lacks a
   * required claim, adds the claims of the userinfo endpoint.
   * @throws AppError sign_in_failed, provider_failed
   */
  async finish(
    provider: OidcProvider,
    request: OidcRequest,
    fields: Readonly<Record<string, string>>,
    requiredClaims: readonly string[],
  ): Promise<JsonObject> {
    if (request.issuer !== provider.issuer || request.client_id !== provider.clientId) {
      throw new AppError('sign_in_failed', 'The identity provider was changed during the sign-in; start again');
    }
    const configuration = await this.#configure(provider);
    const answer = new URL(request.redirect_uri);
    answer.search = String(new URLSearchParams(fields));
    try {
      const tokens = await openid.authorizationCodeGrant(configuration, answer, {
        expectedState: request.id,
        expectedNonce: request.nonce,
        pkceCodeVerifier: request.code_verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims() as unknown as JsonObject & { sub: string };
      const complete = requiredClaims.every((name) => Object.hasOwn(claims, name));
      if (complete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
      const userinfo = await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      // Signed claims take precedence over unsigned ones.
      return { ...(userinfo as unknown as JsonObject), ...claims };
    } catch (error) {
      throw toOidcError(error);
    }
  }

  /** @throws AppError provider_failed */
  #assertAuthorizationEndpoint(configuration: openid.Configuration): void {
    const endpoint = configuration.serverMetadata().authorization_endpoint;
    if (endpoint !== undefined && URL.canParse(endpoint) && !isInsecure(endpoint, this.allow)) return;
    throw new AppError(
      'provider_failed',
      'The metadata of the identity provider have no authorization endpoint with https',
    );
  }

  /** Signing keys are not cached, so that a provider can rotate them at any time. */
  async #configure(provider: OidcProvider): Promise<openid.Configuration> {
    const metadata = await this.#metadata.get(provider.issuer, () => this.#discoverUnlessFailed(provider.issuer));
    const server: openid.ServerMetadata = {
      ...metadata,
      authorization_endpoint: provider.authorizeUrl ?? metadata.authorization_endpoint,
      token_endpoint: provider.tokenUrl ?? metadata.token_endpoint,
    };
    const configuration = new openid.Configuration(
      server,
      provider.clientId,
      { [openid.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      authentication(provider, server),
    );
    configuration[openid.customFetch] = this.#fetch;
    configuration.timeout = TIMEOUT_SECONDS;
    // By default the client relies on TLS and does not verify signatures of the token endpoint.
    openid.enableNonRepudiationChecks(configuration);
    // `#fetch` decides for each URL whether plain http is allowed.
    openid.allowInsecureRequests(configuration);
    return configuration;
  }

  /** Discovers the provider, unless a cached failure exists. @throws AppError provider_failed */
  async #discoverUnlessFailed(issuer: string): Promise<openid.ServerMetadata> {
    const failure = this.#failures.get(issuer);
    if (failure !== undefined) throw failure;
    try {
      return await this.#discover(issuer);
    } catch (fault) {
      if (fault instanceof AppError) this.#failures.set(issuer, fault);
      throw fault;
    }
  }

  async #discover(issuer: string): Promise<openid.ServerMetadata> {
    const found = await openid
      .discovery(new URL(issuer), 'discovery', undefined, openid.None(), {
        [openid.customFetch]: this.#fetch,
        timeout: TIMEOUT_SECONDS,
        execute: [openid.allowInsecureRequests],
      })
      .catch((error: unknown) => {
        const { message } = toOidcError(error);
        throw new AppError('provider_failed', `Invalid metadata of ${issuer}: ${message}`, {}, { cause: error });
      });
    // A plain copy: the client attaches a marker to the metadata of multi-tenant providers.
    const metadata = JSON.parse(JSON.stringify(found.serverMetadata())) as openid.ServerMetadata;
    if (!URL.canParse(metadata.issuer) || new URL(metadata.issuer).href !== new URL(issuer).href) {
      throw new AppError('provider_failed', `The metadata of ${issuer} name another issuer`);
    }
    return metadata;
  }
}

/** The default of OpenID Connect Discovery is `client_secret_basic`. */
function authentication({ clientSecret }: OidcProvider, server: openid.ServerMetadata): openid.ClientAuth {
  if (clientSecret === null) return openid.None();
  return server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true
    ? openid.ClientSecretPost(clientSecret)
    : openid.ClientSecretBasic(clientSecret);
}
