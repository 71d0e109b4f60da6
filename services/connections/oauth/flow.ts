import * as oauth from 'oauth4webapi';
import { AppError } from '../../../lib/errors';
import { newRequestId } from '../../../lib/browser-requests';
import type { App } from '../../app';
import type { BrowserCookie, BrowserVisit } from '../../../contracts/auth/sso';
import type { ProviderClient } from './client';
import type { Tokens } from './provider-profile';
import type { FlowProvider, FlowRequest, FlowRequests, ConnectionRequest } from './requests';
import { scopesProblem } from './scopes';

/** The result of a finished flow. */
export interface FlowResult {
  readonly request: FlowRequest;
  readonly tokens: Tokens;
  /** When the tokens were requested, in epoch milliseconds. */
  readonly since: number;
}

/** The path of our redirect URI for a provider. All OAuth apps have one. */
export const callbackPath = (provider: FlowProvider): string =>
  provider === 'app' ? '/api/v1/oauth/callback' : `/api/v1/oauth/${provider}/callback`;

/** Where a ticket is redeemed. */
export const authorizePath = (provider: FlowProvider): string =>
  provider === 'app' ? '/api/v1/oauth/authorize' : `/api/v1/oauth/${provider}/authorize`;

/** The scopes without repetitions. @throws AppError invalid_request */
export function checkedScopes(scopes: readonly string[]): string[] {
  const problem = scopesProblem(scopes);
  if (problem !== null) throw new AppError('invalid_request', `The 'scopes' ${problem}`);
  return [...new Set(scopes)];
}

/** The authorization code flow in a browser, with a `state` bound to the browser, and PKCE where the provider supports it. */
export class Flow {
  constructor(
    private readonly app: Pick<App, 'clock'>,
    readonly requests: FlowRequests,
  ) {}

  /** Sends a browser to the provider. @throws AppError provider_not_configured, provider_failed */
  async begin(
    client: ProviderClient,
    base: string,
    { connection, scopes, provider, app_id }: NewFlow,
  ): Promise<{ location: string; cookie: BrowserCookie }> {
    const path = callbackPath(provider);
    const request: FlowRequest = {
      id: newRequestId(),
      provider,
      ...(app_id === undefined ? {} : { app_id }),
      verifier: client.profile.pkce ? oauth.generateRandomCodeVerifier() : null,
      redirect_uri: `${base}${path}`,
      scopes,
      wish: connection,
    };
    const location = await client.authorizeUrl(authorizationOf(request), scopes);
    return { location, cookie: this.requests.pending.keep(request, { base, path, now: this.app.clock.now() }) };
  }

  /** Exchanges the callback's code for tokens, once. @throws AppError oauth_failed, provider_failed */
  async finish(
    provider: FlowProvider,
    visit: BrowserVisit,
    clientOf: (request: FlowRequest) => Promise<ProviderClient>,
  ): Promise<FlowResult> {
    const since = this.app.clock.now();
    const request = await this.requests.finish(visit.fields.state ?? '', provider, visit, since);
    const client = await clientOf(request);
    return { request, tokens: await client.exchange(visit.fields, authorizationOf(request)), since };
  }
}

/** A flow to begin. A null connection: it is claimed later. */
interface NewFlow extends Pick<FlowRequest, 'provider' | 'app_id' | 'scopes'> {
  readonly connection: ConnectionRequest | null;
}

const authorizationOf = ({ redirect_uri, id, verifier }: FlowRequest) => ({
  redirectUri: redirect_uri,
  state: id,
  verifier,
});
