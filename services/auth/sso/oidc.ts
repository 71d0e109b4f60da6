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
import { oidcFault } from './oidc-fault';

/** An OpenID provider, and what we are to it. */
export interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client, which has PKCE alone. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  /** Instead of what its metadata says. */
  readonly authorizeUrl?: string | null;
  readonly tokenUrl?: string | null;
}

/** What a request has to remember until its answer comes. */
interface OidcRequest {
  /** The `state`. */
  id: string;
  nonce: string;
  code_verifier: string;
  issuer: string;
  client_id: string;
  redirect_uri: string;
}

const METADATA_KEPT_MS = 10 * 60_000;
/** How long a provider whose metadata could not be read is not asked again: each visitor of the sign-in page would. */
const FAILURE_KEPT_MS = 10_000;
const TIMEOUT_SECONDS = 10;
/** Metadata and keys of providers are some kilobytes; a tenant names whom he likes. */
const MAX_BYTES = 256 * 1024;
/** Providers whose metadata is kept at a time. */
const KEPT = 100;
/** How far the clocks of the two may be apart. */
const CLOCK_TOLERANCE_SECONDS = 60;

/**
 * The authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 7636, RFC 9207), by way of
 * openid-client. A tenant chooses the provider, so every request takes the guarded way out, which has bounds of its own.
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
    this.#metadata = new ReadThrough({ max: KEPT, ttlMs: METADATA_KEPT_MS, now });
    this.#failures = createCache({ max: KEPT, ttlMs: FAILURE_KEPT_MS, now });
    const bounded = fetchAdapter({
      request: (request) =>
        egress.request({ ...request, timeoutMs: TIMEOUT_SECONDS * 1_000, maxBytes: MAX_BYTES, maxRedirects: 0 }),
    });
    this.#fetch = (url, { body, method, headers, signal }) => {
      // The provider's metadata may name any address; what is plain there is plain to everybody on the way.
      if (isInsecure(url, allow)) throw new EgressError('blocked', 'the provider names an address without https');
      const text = body === undefined || body === null ? undefined : String(body);
      return bounded(url, {
        method,
        headers,
        ...(signal ? { signal } : {}),
        ...(text === undefined ? {} : { body: text }),
      });
    };
  }

  /** Reads the metadata of a provider anew, as a sign-in would use it. @throws AppError provider_failed */
  async probe(provider: OidcProvider): Promise<void> {
    this.#failures.delete(provider.issuer);
    this.#metadata.delete(provider.issuer);
    this.#assertAuthorizationEndpoint(await this.#configure(provider));
  }

  /** The address that the browser is sent to, and what to remember. @throws AppError provider_failed */
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
   * The claims for which a code is exchanged: those of the ID token, whose signature, issuer, audience, times and nonce
   * are checked, and where it lacks one of those that are wanted, those of the userinfo endpoint.
   * @throws AppError sign_in_failed, provider_failed
   */
  async finish(
    provider: OidcProvider,
    request: OidcRequest,
    fields: Readonly<Record<string, string>>,
    wanted: readonly string[],
  ): Promise<JsonObject> {
    if (request.issuer !== provider.issuer || request.client_id !== provider.clientId) {
      throw new AppError('sign_in_failed', 'The identity provider was changed meanwhile; begin again');
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
      const complete = wanted.every((name) => Object.hasOwn(claims, name));
      if (complete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
      const userinfo = await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      // Signed claims take precedence over unsigned ones.
      return { ...(userinfo as unknown as JsonObject), ...claims };
    } catch (error) {
      throw oidcFault(error);
    }
  }

  /** @throws AppError provider_failed */
  #assertAuthorizationEndpoint(configuration: openid.Configuration): void {
    const endpoint = configuration.serverMetadata().authorization_endpoint;
    if (endpoint !== undefined && URL.canParse(endpoint) && !isInsecure(endpoint, this.allow)) return;
    throw new AppError('provider_failed', 'The identity provider names no authorization endpoint with https');
  }

  /** Keys are not kept: each sign-in takes them anew, so a provider may change them when it likes. */
  async #configure(provider: OidcProvider): Promise<openid.Configuration> {
    const metadata = await this.#metadata.get(provider.issuer, () => this.#discoverOrRefuse(provider.issuer));
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
    // By itself the client would trust TLS for what comes from the token endpoint.
    openid.enableNonRepudiationChecks(configuration);
    // Which addresses may be plain is decided above, one by one.
    openid.allowInsecureRequests(configuration);
    return configuration;
  }

  /** `discover`, unless that has just failed. @throws AppError provider_failed */
  async #discoverOrRefuse(issuer: string): Promise<openid.ServerMetadata> {
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
        const { message } = oidcFault(error);
        throw new AppError(
          'provider_failed',
          `The metadata of ${issuer} cannot be used: ${message}`,
          {},
          { cause: error },
        );
      });
    // A copy of the data alone: for some providers the client marks metadata that vouch for more than one issuer.
    const metadata = JSON.parse(JSON.stringify(found.serverMetadata())) as openid.ServerMetadata;
    if (!URL.canParse(metadata.issuer) || new URL(metadata.issuer).href !== new URL(issuer).href) {
      throw new AppError('provider_failed', `The metadata of ${issuer} are those of another issuer`);
    }
    return metadata;
  }
}

/** OpenID Connect Discovery: who says nothing takes `client_secret_basic`. */
function authentication({ clientSecret }: OidcProvider, server: openid.ServerMetadata): openid.ClientAuth {
  if (clientSecret === null) return openid.None();
  return server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true
    ? openid.ClientSecretPost(clientSecret)
    : openid.ClientSecretBasic(clientSecret);
}
