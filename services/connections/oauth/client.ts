import * as oauth from 'oauth4webapi';
import type { Clock } from '../../../lib/clock';
import type { Egress } from '../../../lib/egress';
import { AppError, errorMessage } from '../../../lib/errors';
import { isObject, parseJsonOrUndefined } from '../../../lib/json';
import type { OAuthProviderConfig } from '../../../lib/oauth-config';
import { parseRetryAfter } from '../../../lib/retry-after';
import { type ProviderProfile, evaluateTokenResponse, type TokenResult, type Tokens } from './provider-profile';
import { Metadata, NO_ISSUER } from './metadata';
import { authenticationOf, createTransport, failureReason } from './transport';

/** Parameters of an authorization request. */
interface Authorization {
  readonly redirectUri: string;
  readonly state: string;
  /** Null when the provider does not support PKCE. */
  readonly verifier: string | null;
}

/** The result of a revocation. */
export type Revocation = 'revoked' | 'not_supported' | 'failed';

interface Client {
  readonly metadata: oauth.Client;
  readonly authentication: oauth.ClientAuth;
}

const ERROR_CODE = /^[a-z_]{1,60}$/;

/** OAuth client of one provider: oauth4webapi with the provider's profile, over the guarded egress client. */
export class ProviderClient {
  readonly #metadata: Metadata;

  constructor(
    private readonly config: OAuthProviderConfig,
    readonly profile: ProviderProfile,
    private readonly egress: Egress,
    private readonly clock: Clock,
  ) {
    this.#metadata = new Metadata(config, profile, egress, clock);
  }

  /** @throws AppError provider_not_configured */
  assertConfigured(): void {
    this.#client();
  }

  /** The authorization URL for the browser. @throws AppError provider_not_configured, provider_failed */
  async authorizeUrl({ redirectUri, state, verifier }: Authorization, scopes: readonly string[]): Promise<string> {
    const { client_id } = this.#client().metadata;
    const { endpoint, offline } = await this.#metadata.authorization();
    const requested = [...new Set([...scopes, ...(offline ? ['offline_access'] : [])])];
    const fields: Record<string, string> = {
      response_type: 'code',
      client_id,
      redirect_uri: redirectUri,
      state,
      ...(requested.length === 0 ? {} : { scope: requested.join(this.profile.separator) }),
      ...this.profile.authorize,
      ...(verifier === null
        ? {}
        : { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' }),
    };
    const url = new URL(endpoint);
    for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
    return url.href;
  }

  /**
   * Exchanges the response to an authorization request for tokens. @throws AppError oauth_failed for an error response or a
   * response to another request, provider_failed, provider_not_configured
   */
  async exchange(fields: Readonly<Record<string, string>>, authorization: Authorization): Promise<Tokens> {
    const { metadata, authentication } = this.#client();
    const server = await this.#metadata.server();
    const given = new URLSearchParams(fields);
    // The `iss` of the response is compared with the issuer, if one is configured (RFC 9207).
    if (server.issuer === NO_ISSUER) given.delete('iss');
    const answer = this.#validateResponse(server, metadata, given, authorization.state);
    const { redirectUri, verifier } = authorization;
    const result = await this.#requestTokens(undefined, (options) =>
      oauth.authorizationCodeGrantRequest(
        server,
        metadata,
        authentication,
        answer,
        redirectUri,
        verifier ?? oauth.nopkce,
        options,
      ),
    );
    if (result.kind === 'tokens') return result.tokens;
    const code = result.kind === 'failed' ? 'provider_failed' : 'oauth_failed';
    throw new AppError(code, `${result.message}; connect again`);
  }

  /** Refreshes tokens. Never throws. `mayBegin` is called immediately before the request is sent. */
  async refresh(refreshToken: string, mayBegin: () => boolean): Promise<TokenResult> {
    try {
      const { metadata, authentication } = this.#client();
      const server = await this.#metadata.server();
      return await this.#requestTokens(mayBegin, (options) =>
        oauth.refreshTokenGrantRequest(server, metadata, authentication, refreshToken, options),
      );
    } catch (fault) {
      return { kind: 'failed', message: errorMessage(fault), retryAfterMs: null };
    }
  }

  /** Revokes a grant (RFC 7009, or as the profile says). Never throws. */
  async revoke({ accessToken, refreshToken }: Pick<Tokens, 'accessToken' | 'refreshToken'>): Promise<Revocation> {
    try {
      const { metadata, authentication } = this.#client();
      const server = await this.#metadata.server();
      const endpoint = server.revocation_endpoint;
      if (endpoint === undefined) return 'not_supported';
      const transport = createTransport(this.egress, this.profile);
      const response =
        this.profile.revocation === 'bearer'
          ? await transport.fetch(endpoint, { method: 'POST', headers: { authorization: `Bearer ${accessToken}` } })
          : await oauth.revocationRequest(
              server,
              metadata,
              authentication,
              refreshToken ?? accessToken,
              transport.options,
            );
      const body = parseJsonOrUndefined(await response.text());
      return response.ok && (isObject(body) ? this.profile.errorOf(body) : null) === null ? 'revoked' : 'failed';
    } catch {
      // The audit log records the failure without its reason.
      return 'failed';
    }
  }

  #validateResponse(server: oauth.AuthorizationServer, client: oauth.Client, given: URLSearchParams, state: string) {
    try {
      return oauth.validateAuthResponse(server, client, given, state);
    } catch (error) {
      const word = given.get('error');
      const words =
        word === null
          ? `${this.profile.title} sent an invalid response: ${errorMessage(error)}`
          : `${this.profile.title} refused: ${ERROR_CODE.test(word) ? word : 'an unknown error'}`;
      throw new AppError('oauth_failed', words, {}, { cause: error });
    }
  }

  async #requestTokens(
    mayBegin: (() => boolean) | undefined,
    send: (options: oauth.TokenEndpointRequestOptions) => Promise<Response>,
  ): Promise<TokenResult> {
    try {
      const response = await send(createTransport(this.egress, this.profile, mayBegin).options);
      const retryAfterMs = parseRetryAfter(response.headers.get('retry-after') ?? '', this.clock.now());
      return evaluateTokenResponse(this.profile, {
        status: response.status,
        body: parseJsonOrUndefined(await response.text()),
        retryAfterMs,
      });
    } catch (fault) {
      const message = `${this.profile.title} could not be reached: ${failureReason(fault)}`;
      return { kind: 'failed', message, retryAfterMs: null };
    }
  }

  #client(): Client {
    const { client, missing } = this.config;
    if (client === null) {
      throw new AppError(
        'provider_not_configured',
        `${this.profile.title} is not configured: set ${missing.join(' and ')}`,
      );
    }
    return { metadata: { client_id: client.id }, authentication: authenticationOf(this.profile, client.secret) };
  }
}
