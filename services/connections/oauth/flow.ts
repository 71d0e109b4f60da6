import * as oauth from 'oauth4webapi';
import { AppError } from '../../../lib/errors';
import type { OAuthWord } from '../../../lib/oauth-config';
import { newRequestId } from '../../../mixins/browser-requests';
import type { App } from '../../app';
import type { BrowserCookie, BrowserVisit } from '../../auth/contract';
import { scopesFor } from '../known';
import type { ProviderClient } from './client';
import type { Tokens } from './dialect';
import type { FlowRequest, FlowRequests, Wish } from './requests';

/** What a browser has come back with. */
export interface Brought {
  readonly request: FlowRequest;
  readonly tokens: Tokens;
  /** When they were asked for, in epoch milliseconds. */
  readonly since: number;
}

const MOST_SCOPES = 100;
/** All of them together: they go into an address and a cookie. */
const LONGEST_SCOPES = 2_000;
/** RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/;

/** Our own address in the flow of a provider. */
export const callbackPath = (provider: OAuthWord): string => `/api/v1/oauth/${provider}/callback`;

/** The authorization code flow in a browser, with state bound to it, and PKCE where the provider knows it. */
export class Flow {
  constructor(
    private readonly app: Pick<App, 'clock'>,
    private readonly clients: Readonly<Record<OAuthWord, ProviderClient>>,
    readonly requests: FlowRequests,
  ) {}

  /** What is asked of a provider: what is given, else what its connectors need. @throws AppError invalid_request */
  scopesOf(provider: OAuthWord, given: readonly string[] | undefined): string[] {
    const scopes = given === undefined || given.length === 0 ? scopesFor(provider) : given;
    const wellFormed = scopes.every((scope) => SCOPE.test(scope) && !scope.includes(','));
    if (scopes.length > MOST_SCOPES || scopes.join(' ').length > LONGEST_SCOPES || !wellFormed) {
      throw new AppError(
        'invalid_request',
        `The 'scopes' must be at most ${MOST_SCOPES} names without blanks, commas, quotes and backslashes, ${LONGEST_SCOPES} characters in all`,
      );
    }
    return [...new Set([...this.clients[provider].dialect.ownScopes, ...scopes])];
  }

  /** Sends a browser to the provider. @throws AppError provider_not_configured, provider_failed */
  async begin(
    provider: OAuthWord,
    base: string,
    { wish, scopes }: { wish: Wish | null; scopes: string[] },
  ): Promise<{ location: string; cookie: BrowserCookie }> {
    const client = this.clients[provider];
    const path = callbackPath(provider);
    const request: FlowRequest = {
      id: newRequestId(),
      provider,
      verifier: client.dialect.pkce ? oauth.generateRandomCodeVerifier() : null,
      redirect_uri: `${base}${path}`,
      scopes,
      wish,
    };
    const location = await client.authorizeUrl(authorizationOf(request), scopes);
    return { location, cookie: this.requests.kept.keep(request, { base, path, now: this.app.clock.now() }) };
  }

  /** What the provider gives for the answer with which a browser comes back, once. @throws AppError oauth_failed, provider_failed */
  async finish(provider: OAuthWord, visit: BrowserVisit): Promise<Brought> {
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
