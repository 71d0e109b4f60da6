import * as oauth from 'oauth4webapi';
import type { Clock } from '../../../lib/clock';
import type { Egress } from '../../../lib/egress';
import { AppError } from '../../../lib/errors';
import type { OAuthProviderConfig } from '../../../lib/oauth-config';
import { ReadThrough } from '../../../lib/read-through';
import type { ProviderProfile } from './provider-profile';
import { createTransport, failureReason } from './transport';

const CACHE_TTL_MS = 10 * 60_000;

/** Placeholder for an issuer that is not configured. */
export const NO_ISSUER = 'https://issuer.invalid';

/** The endpoints of a provider: configured, or from the metadata of its issuer (OpenID Discovery, RFC 8414). */
export class Metadata {
  readonly #found: ReadThrough<oauth.AuthorizationServer>;

  constructor(
    private readonly config: OAuthProviderConfig,
    private readonly profile: ProviderProfile,
    private readonly egress: Egress,
    clock: Clock,
  ) {
    this.#found = new ReadThrough({ max: 1, ttlMs: CACHE_TTL_MS, now: () => clock.now() });
  }

  /** @throws AppError provider_failed */
  async server(): Promise<oauth.AuthorizationServer> {
    const { authorizeUrl, tokenUrl, revokeUrl, issuer, discovers } = this.config;
    const found = discovers && issuer !== null ? await this.#found.get(issuer, () => this.#discover(issuer)) : null;
    const authorization = authorizeUrl ?? found?.authorization_endpoint;
    const token = tokenUrl ?? found?.token_endpoint;
    const revocation = revokeUrl ?? found?.revocation_endpoint;
    return {
      issuer: found?.issuer ?? issuer ?? NO_ISSUER,
      ...(authorization === undefined ? {} : { authorization_endpoint: authorization }),
      ...(token === undefined ? {} : { token_endpoint: token }),
      ...(revocation === undefined ? {} : { revocation_endpoint: revocation }),
      ...(found?.authorization_response_iss_parameter_supported === true
        ? { authorization_response_iss_parameter_supported: true }
        : {}),
      ...(found?.scopes_supported === undefined ? {} : { scopes_supported: found.scopes_supported }),
    };
  }

  /** The authorization endpoint, and whether refresh tokens need a scope. @throws AppError provider_failed */
  async authorization(): Promise<{ endpoint: string; offline: boolean }> {
    const { authorization_endpoint: endpoint, scopes_supported } = await this.server();
    if (endpoint === undefined || !URL.canParse(endpoint)) {
      throw new AppError(
        'provider_failed',
        `The metadata of ${this.profile.title.toLowerCase()} have no authorization endpoint`,
      );
    }
    return { endpoint, offline: scopes_supported?.includes('offline_access') === true };
  }

  async #discover(issuer: string): Promise<oauth.AuthorizationServer> {
    const expected = new URL(issuer);
    try {
      const { options } = createTransport(this.egress, this.profile);
      const response = await oauth.discoveryRequest(expected, options as oauth.DiscoveryRequestOptions);
      const found = await oauth.processDiscoveryResponse(expected, response);
      for (const each of [found.authorization_endpoint, found.token_endpoint, found.revocation_endpoint])
        assertSafe(each, expected);
      return found;
    } catch (fault) {
      throw new AppError(
        'provider_failed',
        `Invalid metadata of ${issuer}: ${failureReason(fault)}`,
        {},
        { cause: fault },
      );
    }
  }
}

/** Validates an address of the metadata. Plain http is allowed only for the host that the operator configured. */
function assertSafe(endpoint: string | undefined, issuer: URL): void {
  if (endpoint === undefined) return;
  const { protocol, origin } = new URL(endpoint);
  if (protocol !== 'https:' && origin !== issuer.origin) throw new TypeError('an endpoint without https');
}
