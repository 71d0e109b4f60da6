import { AppError, type ErrorCode, errorCode, ERRORS } from '../../../lib/errors';
import { frontendRedirect } from '../../../lib/frontend-redirect';
import type { OAuthProvider } from '../../../lib/oauth-config';
import { baseUrlFor } from '../../../lib/base-url';
import type { ActionContext, Handlers } from '../../../mixins/service';
import type { BrowserStep, BrowserVisit } from '../../../contracts/auth/sso';
import type { ActionName } from '../../../contracts/catalogue';
import { connectOrReconnect } from '../connect-account';
import { storeClaim } from '../claims';
import { type FlowResult, callbackPath } from '../oauth/flow';
import type { ConnectionRequest } from '../oauth/requests';
import type { ConnectionDeps } from '../deps';

type Actions = Pick<
  Handlers<'connections'>,
  'suite_authorize' | 'suite_callback' | 'notes_authorize' | 'notes_callback' | 'chat_authorize' | 'chat_callback'
>;
type BrowserContext = Pick<ActionContext<ActionName>, 'log' | 'requestId'> & { readonly params: BrowserVisit };

/** Query parameters that carry a token. They are rejected: addresses appear in logs and browser histories. */
const TOKEN_PARAMETERS = ['token', 'access_token', 'api_key', 'authorization'] as const;

/** The redirect to a provider, and its callback. */
export const browserActions = (deps: ConnectionDeps): Actions => {
  const { app, flow, clients } = deps;

  /** Redirects to the provider. Needs no authentication; a ticket names the tenant and the user. */
  const authorize =
    (provider: OAuthProvider) =>
    async ({ params: { fields, origin } }: BrowserContext): Promise<BrowserStep> => {
      if (TOKEN_PARAMETERS.some((name) => fields[name] !== undefined)) {
        throw new AppError('invalid_request', 'A token must not be in an address; get a ticket with POST .../start');
      }
      clients[provider].assertConfigured();
      const base = baseUrlFor(app.config, origin);
      const ticket =
        fields.ticket === undefined ? null : await flow.requests.redeem(fields.ticket, provider, app.clock.now());
      const scopes =
        ticket?.scopes ??
        flow.scopesOf(
          provider,
          fields.scopes?.split(/[ ,]+/).filter((each) => each !== ''),
        );
      const { location, cookie } = await flow.begin(provider, base, { connection: ticket?.wish ?? null, scopes });
      return { location, cookies: [cookie] };
    };

  /** Errors that a user can act on are passed to the front end in the redirect. */
  const callback =
    (provider: OAuthProvider) =>
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
        const flowResult = await flow.finish(provider, ctx.params);
        const { wish: connection } = flowResult.request;
        if (connection === null) return redirect({ oauth_claim: await storeClaim(deps, provider, flowResult) });
        return redirect({ oauth_connection: await connectAccount(ctx.requestId, provider, flowResult) });
      } catch (error) {
        return redirect(redirectErrorOf(ctx, error));
      }
    };

  const connectAccount = async (
    requestId: string,
    provider: OAuthProvider,
    flowResult: FlowResult,
  ): Promise<string> => {
    const { request, tokens, since } = flowResult;
    const connection = request.wish as ConnectionRequest;
    const { tenant_id: tenantId, actor, created_by: createdBy, name } = connection;
    const owner = { acting: { tenantId, actor, requestId }, createdBy, name };
    const { _id } = await connectOrReconnect(deps, owner, { provider, tokens, requestedScopes: request.scopes, since });
    return _id;
  };

  return {
    suite_authorize: authorize('suite'),
    suite_callback: callback('suite'),
    notes_authorize: authorize('notes'),
    notes_callback: callback('notes'),
    chat_authorize: authorize('chat'),
    chat_callback: callback('chat'),
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
