import { AppError, type ErrorCode, errorCode, ERRORS } from '../../../lib/errors';
import { landing } from '../../../lib/landing';
import type { OAuthWord } from '../../../lib/oauth-config';
import { baseUrlFor } from '../../../mixins/base-url';
import type { ActionContext, ServiceDefinition } from '../../../mixins/service';
import type { BrowserStep, BrowserVisit } from '../../auth/contract';
import type { ActionName } from '../../catalogue';
import { adopt } from '../adopting';
import { keepClaim } from '../claims';
import { type Brought, callbackPath } from '../oauth/flow';
import type { ConnectionParts } from '../parts';

type Menu = Pick<
  ServiceDefinition<'connections'>['actions'],
  'suite_authorize' | 'suite_callback' | 'notes_authorize' | 'notes_callback' | 'chat_authorize' | 'chat_callback'
>;
type Visiting = Pick<ActionContext<ActionName>, 'log' | 'requestId'> & { readonly params: BrowserVisit };

const texts = (max: number) => ({ type: 'record', key: 'string', value: { type: 'string', max } }) as const;
const visit = {
  fields: texts(8_192),
  cookies: texts(8_192),
  origin: { type: 'string', max: 300, optional: true, nullable: true },
} as const;

/** Of a query: who has a token has a better place for it. */
const TOKENS = ['token', 'access_token', 'api_key', 'authorization'] as const;

/** A browser on its way to a provider, and back. */
export const browserMenu = (parts: ConnectionParts): Menu => {
  const { app, flow, clients } = parts;

  /** With a ticket, or as nobody in particular. */
  const authorize = (provider: OAuthWord) => ({
    access: 'internal' as const,
    summary: 'Sends a browser to the provider',
    params: visit,
    async handle({ params: { fields, origin } }: Visiting): Promise<BrowserStep> {
      if (TOKENS.some((name) => fields[name] !== undefined)) {
        throw new AppError(
          'invalid_request',
          'A token does not belong in an address; ask for a ticket by POST .../start',
        );
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
      const { location, cookie } = await flow.begin(provider, base, { wish: ticket?.wish ?? null, scopes });
      return { location, cookies: [cookie] };
    },
  });

  /** What a person can do something about goes to the front end. */
  const callback = (provider: OAuthWord) => ({
    access: 'internal' as const,
    summary: 'Takes what the provider sends back',
    params: visit,
    async handle(ctx: Visiting): Promise<BrowserStep> {
      const { fields, origin } = ctx.params;
      const base = baseUrlFor(app.config, origin);
      const begun = flow.requests.kept.find(fields.state ?? '', ctx.params, app.clock.now());
      const land = (outcome: Readonly<Record<string, string>>): BrowserStep => ({
        location: landing(app.config.signIn.frontendUrl, base, outcome, begun?.wish?.return_to),
        cookies:
          fields.state === undefined
            ? []
            : [flow.requests.kept.forgetting(fields.state, { base, path: callbackPath(provider) })],
      });
      try {
        const brought = await flow.finish(provider, ctx.params);
        const { wish } = brought.request;
        if (wish === null) return land({ oauth_claim: await keepClaim(parts, provider, brought) });
        return land({ oauth_connection: await connected(ctx.requestId, provider, brought) });
      } catch (error) {
        return land(toldOf(ctx, error));
      }
    },
  });

  const connected = async (requestId: string, provider: OAuthWord, brought: Brought): Promise<string> => {
    const { request, tokens, since } = brought;
    const {
      tenant_id: tenantId,
      actor,
      created_by: createdBy,
      name,
    } = request.wish as NonNullable<typeof request.wish>;
    const adopter = { acting: { tenantId, actor, requestId }, createdBy, name };
    const { _id } = await adopt(parts, adopter, { provider, tokens, asked: request.scopes, since });
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

/** The words of a refusal for the fragment. @throws what is no refusal */
function toldOf({ log }: Visiting, error: unknown): { error: ErrorCode; error_description: string } {
  const code = errorCode(error);
  if (code === undefined || ERRORS[code].status === 500) throw error;
  const { message, cause } = error as Error;
  log.info(`Connecting an account ended with ${code}: ${message}`, cause);
  return { error: code, error_description: message };
}
