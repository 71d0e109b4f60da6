import * as oauth from 'oauth4webapi';
import { AppError } from '../../../lib/errors';
import type { OAuthProvider } from '../../../lib/oauth-config';
import { newRequestId } from '../../../lib/browser-requests';
import type { App } from '../../app';
import type { BrowserCookie, BrowserVisit } from '../../../contracts/auth/sso';
import { scopesFor } from '../manual-connectors';
import type { ProviderClient } from './client';
import type { Tokens } from './provider-profile';
import type { FlowRequest, FlowRequests, ConnectionRequest } from './requests';

/** The result of a finished flow. */
export interface FlowResult {
  readonly request: FlowRequest;
  readonly tokens: Tokens;
  /** When the tokens were requested, in epoch milliseconds. */
  readonly since: number;
}

const MAX_SCOPES = 100;
/** Limit of all scopes together: they are part of an address and a cookie. */
const MAX_SCOPES_CHARS = 2_000;
/** RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/;

/** The path of our redirect URI for a provider. */
export const callbackPath = (provider: OAuthProvider): string => `/api/v1/oauth/${provider}/callback`;

/** The authorization code flow in a browser, with a `state` bound to the browser, and PKCE where the provider supports it. */
export class Flow {
  constructor(
    private readonly app: Pick<App, 'clock'>,
    private readonly clients: Readonly<Record<OAuthProvider, ProviderClient>>,
    readonly requests: FlowRequests,
  ) {}

  /** The scopes to request: the given ones, or those that the provider's connectors need. @throws AppError invalid_request */
  scopesOf(provider: OAuthProvider, given: readonly string[] | undefined): string[] {
    const scopes = given === undefined || given.length === 0 ? scopesFor(provider) : given;
    const wellFormed = scopes.every((scope) => SCOPE.test(scope) && !scope.includes(','));
    if (scopes.length > MAX_SCOPES || scopes.join(' ').length > MAX_SCOPES_CHARS || !wellFormed) {
      throw new AppError(
        'invalid_request',
        `The 'scopes' must be at most ${MAX_SCOPES} names without spaces, commas, quotes and backslashes, ${MAX_SCOPES_CHARS} characters in total`,
      );
    }
    return [...new Set([...this.clients[provider].profile.ownScopes, ...scopes])];
  }

  /** Sends a browser to the provider. @throws AppError provider_not_configured, provider_failed */
  async begin(
    provider: OAuthProvider,
    base: string,
    { connection, scopes }: { connection: ConnectionRequest | null; scopes: string[] },
  ): Promise<{ location: string; cookie: BrowserCookie }> {
    const client = this.clients[provider];
    const path = callbackPath(provider);
    const request: FlowRequest = {
      id: newRequestId(),
      provider,
      verifier: client.profile.pkce ? oauth.generateRandomCodeVerifier() : null,
      redirect_uri: `${base}${path}`,
      scopes,
      wish: connection,
    };
    const location = await client.authorizeUrl(authorizationOf(request), scopes);
    return { location, cookie: this.requests.pending.keep(request, { base, path, now: this.app.clock.now() }) };
  }

  /** Exchanges the callback's code for tokens, once. @throws AppError oauth_failed, provider_failed */
  async finish(provider: OAuthProvider, visit: BrowserVisit): Promise<FlowResult> {
    const since = this.app.clock.now();
    const request = await this.requests.finish(visit.fields.state ?? '', provider, visit, since);
    return { request, tokens: await this.clients[provider].exchange(visit.fields, authorizationOf(request)), since };
  }
}

const authorizationOf = ({ redirect_uri, id, verifier }: FlowRequest) => ({
  redirectUri: redirect_uri,
  state: id,
  verifier,
});
