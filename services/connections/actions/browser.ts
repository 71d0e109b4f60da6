import { AppError, type ErrorCode, errorCode, ERRORS } from '../../../lib/errors';
import { frontendRedirect } from '../../../lib/frontend-redirect';
import type { OAuthProvider } from '../../../lib/oauth-config';
import { baseUrlFor } from '../../../lib/base-url';
import type { ActionContext, Handlers } from '../../../mixins/service';
import type { BrowserStep, BrowserVisit } from '../../../contracts/auth/sso';
import type { ActionName } from '../../../contracts/catalogue';
import { connectOrReconnect, type Grant } from '../connect-account';
import { storeClaim } from '../claims';
import type { OAuthApp } from '../oauth-apps/apps';
import { withAccount } from '../oauth-apps/account-lookup';
import type { ProviderClient } from '../oauth/client';
import { type FlowResult, callbackPath, checkedScopes } from '../oauth/flow';
import type { ConnectionRequest, FlowProvider } from '../oauth/requests';
import { defaultScopes } from './flows';
import type { ConnectionDeps } from '../deps';

type Actions = Pick<
  Handlers<'connections'>,
  | 'suite_authorize'
  | 'suite_callback'
  | 'notes_authorize'
  | 'notes_callback'
  | 'chat_authorize'
  | 'chat_callback'
  | 'app_authorize'
  | 'app_callback'
>;
type BrowserContext = Pick<ActionContext<ActionName>, 'log' | 'requestId'> & { readonly params: BrowserVisit };

/** Query parameters that carry a token. They are rejected: addresses appear in logs and browser histories. */
const TOKEN_PARAMETERS = ['token', 'access_token', 'api_key', 'authorization'] as const;

const MAX_CALLBACK_VALUE_CHARS = 200;

/** @throws AppError invalid_request */
function refuseTokens(fields: BrowserVisit['fields']): void {
  if (TOKEN_PARAMETERS.some((name) => fields[name] !== undefined))
    throw new AppError('invalid_request', 'A token must not be in an address; get a ticket with POST .../start');
}

/** The redirect to a provider, and its callback. */
export const browserActions = (deps: ConnectionDeps): Actions => {
  const { app, flow, clients, apps } = deps;

  /** Redirects to the provider. Needs no authentication; a ticket names the tenant and the user. */
  const authorize =
    (provider: OAuthProvider) =>
    async ({ params: { fields, origin } }: BrowserContext): Promise<BrowserStep> => {
      refuseTokens(fields);
      clients[provider].assertConfigured();
      const base = baseUrlFor(app.config, origin);
      const ticket =
        fields.ticket === undefined ? null : await flow.requests.redeem(fields.ticket, provider, app.clock.now());
      const scopes =
        ticket?.scopes ??
        defaultScopes(
          provider,
          clients[provider].profile,
          fields.scopes?.split(/[ ,]+/).filter((each) => each !== ''),
        );
      const begun = { provider, connection: ticket?.wish ?? null, scopes };
      const { location, cookie } = await flow.begin(clients[provider], base, begun);
      return { location, cookies: [cookie] };
    };

  /** Redirects to the provider of an OAuth app, for a ticket. */
  const authorizeApp = async ({ params: { fields, origin } }: BrowserContext): Promise<BrowserStep> => {
    refuseTokens(fields);
    if (fields.ticket === undefined)
      throw new AppError('invalid_request', 'Get a ticket with POST /api/v1/oauth-apps/{id}/authorize');
    const base = baseUrlFor(app.config, origin);
    const ticket = await flow.requests.redeem(fields.ticket, 'app', app.clock.now());
    const { scopes, app_id = '', wish: connection } = ticket;
    const client = await appClient(connection, app_id);
    const { location, cookie } = await flow.begin(client, base, {
      provider: 'app',
      app_id,
      connection,
      scopes: checkedScopes(scopes),
    });
    return { location, cookies: [cookie] };
  };

  /** @throws AppError oauth_failed when the app was deleted */
  const appOf = async (connection: ConnectionRequest | null, id = ''): Promise<OAuthApp> => {
    const found = connection === null ? null : await apps.find(connection.tenant_id, id);
    if (found === null) throw new AppError('oauth_failed', 'The OAuth app was deleted; connect with another one');
    return found;
  };
  const appClient = async (connection: ConnectionRequest | null, id: string | undefined): Promise<ProviderClient> =>
    apps.clientOf(await appOf(connection, id));

  /** Errors that a user can act on are passed to the front end in the redirect. */
  const callback =
    (provider: FlowProvider) =>
    async (ctx: BrowserContext): Promise<BrowserStep> => {
      const { fields, origin } = ctx.params;
      const base = baseUrlFor(app.config, origin);
      const pending = flow.requests.pending.find(fields.state ?? '', ctx.params, app.clock.now());
      const redirect = (outcome: Readonly<Record<string, string>>): BrowserStep => ({
        location: frontendRedirect(app.config, outcome, pending?.wish?.return_to),
        cookies:
          fields.state === undefined
            ? []
            : [flow.requests.pending.forgetting(fields.state, { base, path: callbackPath(provider) })],
      });
      try {
        const flowResult = await flow.finish(provider, ctx.params, async (request) =>
          request.provider === 'app' ? appClient(request.wish, request.app_id) : clients[request.provider],
        );
        if (provider === 'app') return redirect({ oauth_connection: await connectWithApp(ctx, flowResult) });
        if (flowResult.request.wish === null)
          return redirect({ oauth_claim: await storeClaim(deps, provider, flowResult) });
        const about = { connector: provider, appId: null, title: provider };
        return redirect({ oauth_connection: await connectAccount(ctx.requestId, about, flowResult) });
      } catch (error) {
        return redirect(redirectErrorOf(ctx, error));
      }
    };

  /** Values of the redirect that steps need, and the account, which few token responses name. */
  const connectWithApp = async ({ requestId, params: { fields } }: BrowserContext, flowResult: FlowResult) => {
    const { request } = flowResult;
    const found = await appOf(request.wish, request.app_id);
    const { preset, account, connector } = found.settings;
    const tokens = await withAccount(apps.egressOf(found), account, flowResult.tokens);
    const given = Object.entries(preset?.callback ?? {}).flatMap(([name, field]): [string, string][] => {
      const value = fields[field] ?? '';
      return value === '' || value.length > MAX_CALLBACK_VALUE_CHARS ? [] : [[name, value]];
    });
    const extra = { ...tokens.extra, ...Object.fromEntries(given) };
    const about = { connector, appId: found.id, title: found.name };
    return connectAccount(requestId, about, { ...flowResult, tokens: { ...tokens, extra } });
  };

  const connectAccount = async (
    requestId: string,
    about: Pick<Grant, 'connector' | 'appId' | 'title'>,
    { request, tokens, since }: FlowResult,
  ): Promise<string> => {
    const { tenant_id: tenantId, actor, created_by: createdBy, name, connection } = request.wish as ConnectionRequest;
    const owner = { acting: { tenantId, actor, requestId }, createdBy, name, connectionId: connection };
    const { _id } = await connectOrReconnect(deps, owner, { ...about, tokens, requestedScopes: request.scopes, since });
    return _id;
  };

  return {
    suite_authorize: authorize('suite'),
    suite_callback: callback('suite'),
    notes_authorize: authorize('notes'),
    notes_callback: callback('notes'),
    chat_authorize: authorize('chat'),
    chat_callback: callback('chat'),
    app_authorize: authorizeApp,
    app_callback: callback('app'),
  };
};

/** The error parameters of the redirect's fragment. @throws unexpected errors */
function redirectErrorOf({ log }: BrowserContext, error: unknown): { error: ErrorCode; error_description: string } {
  const code = errorCode(error);
  if (code === undefined || ERRORS[code].status === 500) throw error;
  const { message, cause } = error as Error;
  log.info(`Connecting an account ended with ${code}: ${message}`, cause);
  return { error: code, error_description: message };
}
