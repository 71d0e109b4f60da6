import * as oauth from 'oauth4webapi';
import type { Clock } from '../../../lib/clock';
import type { Egress } from '../../../lib/egress';
import { AppError, errorMessage } from '../../../lib/errors';
import { isObject } from '../../../lib/json';
import type { OAuthProviderConfig } from '../../../lib/oauth-config';
import { parseRetryAfter } from '../../../lib/retry-after';
import { type Dialect, judged, type TokenAnswer, type Tokens } from './dialect';
import { Metadata, NO_ISSUER } from './metadata';
import { authenticationOf, bodyOf, transportOver, unreached } from './transport';

/** What an authorization request is made of. */
export interface Authorization {
  readonly redirectUri: string;
  readonly state: string;
  /** Null where the provider knows no PKCE. */
  readonly verifier: string | null;
}

/** What became of giving tokens back. */
export type Revocation = 'revoked' | 'not_supported' | 'failed';

interface Client {
  readonly metadata: oauth.Client;
  readonly authentication: oauth.ClientAuth;
}

const ERROR_WORD = /^[a-z_]{1,60}$/;

/** One provider, asked by way of oauth4webapi in its own dialect, over the guarded way out. */
export class ProviderClient {
  readonly #metadata: Metadata;

  constructor(
    private readonly config: OAuthProviderConfig,
    readonly dialect: Dialect,
    private readonly egress: Egress,
    private readonly clock: Clock,
  ) {
    this.#metadata = new Metadata(config, dialect, egress, clock);
  }

  /** @throws AppError provider_not_configured */
  assertConfigured(): void {
    this.#client();
  }

  /** Where the browser is sent. @throws AppError provider_not_configured, provider_failed */
  async authorizeUrl({ redirectUri, state, verifier }: Authorization, scopes: readonly string[]): Promise<string> {
    const { client_id } = this.#client().metadata;
    const { endpoint, offline } = await this.#metadata.authorization();
    const asked = [...new Set([...scopes, ...(offline ? ['offline_access'] : [])])];
    const fields: Record<string, string> = {
      response_type: 'code',
      client_id,
      redirect_uri: redirectUri,
      state,
      ...(asked.length === 0 ? {} : { scope: asked.join(this.dialect.separator) }),
      ...this.dialect.authorize,
      ...(verifier === null
        ? {}
        : { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' }),
    };
    const url = new URL(endpoint);
    for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
    return url.href;
  }

  /**
   * The tokens for which the answer to an authorization request is exchanged. @throws AppError oauth_failed for an answer
   * that is none of ours or refuses, provider_failed, provider_not_configured
   */
  async exchange(fields: Readonly<Record<string, string>>, asked: Authorization): Promise<Tokens> {
    const { metadata, authentication } = this.#client();
    const server = await this.#metadata.server();
    const given = new URLSearchParams(fields);
    // Without a known issuer there is nothing to compare with; any other is compared (RFC 9207).
    if (server.issuer === NO_ISSUER) given.delete('iss');
    const answer = this.#validated(server, metadata, given, asked.state);
    const { redirectUri, verifier } = asked;
    const judgement = await this.#ask(undefined, (options) =>
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
    if (judgement.kind === 'tokens') return judgement.tokens;
    const code = judgement.kind === 'failed' ? 'provider_failed' : 'oauth_failed';
    throw new AppError(code, `${judgement.message}; connect again`);
  }

  /** New tokens for a refresh token. Never throws. `mayBegin` is asked last, when nothing has been sent yet. */
  async renew(refreshToken: string, mayBegin: () => boolean): Promise<TokenAnswer> {
    try {
      const { metadata, authentication } = this.#client();
      const server = await this.#metadata.server();
      return await this.#ask(mayBegin, (options) =>
        oauth.refreshTokenGrantRequest(server, metadata, authentication, refreshToken, options),
      );
    } catch (fault) {
      return { kind: 'failed', message: errorMessage(fault), retryAfterMs: null };
    }
  }

  /** Gives a grant back (RFC 7009, or as the dialect does it). Never throws. */
  async revoke({ accessToken, refreshToken }: Pick<Tokens, 'accessToken' | 'refreshToken'>): Promise<Revocation> {
    try {
      const { metadata, authentication } = this.#client();
      const server = await this.#metadata.server();
      const endpoint = server.revocation_endpoint;
      if (endpoint === undefined) return 'not_supported';
      const transport = transportOver(this.egress, this.dialect);
      const response =
        this.dialect.revocation === 'bearer'
          ? await transport.fetch(endpoint, { method: 'POST', headers: { authorization: `Bearer ${accessToken}` } })
          : await oauth.revocationRequest(
              server,
              metadata,
              authentication,
              refreshToken ?? accessToken,
              transport.options,
            );
      const body = await bodyOf(response);
      return response.ok && (isObject(body) ? this.dialect.errorOf(body) : null) === null ? 'revoked' : 'failed';
    } catch {
      // The audit log says that it failed; why is of no use to anybody there.
      return 'failed';
    }
  }

  #validated(server: oauth.AuthorizationServer, client: oauth.Client, given: URLSearchParams, state: string) {
    try {
      return oauth.validateAuthResponse(server, client, given, state);
    } catch (error) {
      const word = given.get('error');
      const words =
        word === null
          ? `The answer of ${this.dialect.title.toLowerCase()} is refused: ${errorMessage(error)}`
          : `${this.dialect.title} refused: ${ERROR_WORD.test(word) ? word : 'an error without a name'}`;
      throw new AppError('oauth_failed', words, {}, { cause: error });
    }
  }

  async #ask(
    mayBegin: (() => boolean) | undefined,
    send: (options: oauth.TokenEndpointRequestOptions) => Promise<Response>,
  ): Promise<TokenAnswer> {
    try {
      const response = await send(transportOver(this.egress, this.dialect, mayBegin).options);
      const retryAfterMs = parseRetryAfter(response.headers.get('retry-after') ?? '', this.clock.now());
      return judged(this.dialect, { status: response.status, body: await bodyOf(response), retryAfterMs });
    } catch (fault) {
      const message = `${this.dialect.title} was not reached: ${unreached(fault)}`;
      return { kind: 'failed', message, retryAfterMs: null };
    }
  }

  #client(): Client {
    const { client, missing } = this.config;
    if (client === null) {
      throw new AppError(
        'provider_not_configured',
        `${this.dialect.title} is not configured: set ${missing.join(' and ')}`,
      );
    }
    return { metadata: { client_id: client.id }, authentication: authenticationOf(this.dialect, client.secret) };
  }
}
