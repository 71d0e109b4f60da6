import { type ErrorCode, errorCode, ERRORS } from '../../../lib/errors';
import { landing } from '../../../lib/landing';
import { auditedIn } from '../../../mixins/audit';
import type { ActionContext, ServiceDefinition } from '../../../mixins/service';
import type { ActionName } from '../../catalogue';
import type { Session } from '../contract';
import type { SignInMethod } from '../models';
import type { AuthParts } from '../parts';
import { signIn } from '../sign-in';
import type { BrowserCookie, BrowserStep, BrowserVisit } from '../sso/contract';
import type { Admitted, Departure, NoteRefusal, SignOn } from '../sso/sign-on';
import type { SuiteSignOn } from '../sso/suite';
import { SSO_CALLBACK, SUITE_CALLBACK } from '../sso/urls';
import { originParam, slugParam } from './sso';

type Menu = Pick<
  ServiceDefinition<'auth'>['actions'],
  'sso_authorize' | 'sso_callback' | 'sso_posted' | 'suite_authorize' | 'suite_callback'
>;
type Context = ActionContext<ActionName>;

const texts = (max: number) => ({ type: 'record', key: 'string', value: { type: 'string', max } }) as const;
/** What a browser brings; SAML messages are large, everything else is small. */
const visit = { fields: texts(400_000), cookies: texts(8_192), origin: originParam } as const;

/** Sign-in in a browser: to the provider, back from it, and on to the front end with a token or with what is wrong. */
export const signInMenu = (parts: AuthParts, signOn: SignOn, suite: SuiteSignOn): Menu => {
  const land = (base: string, outcome: Readonly<Record<string, string>>, cookies: BrowserCookie[]): BrowserStep => ({
    location: landing(parts.app.config.signIn.frontendUrl, base, outcome),
    cookies,
  });

  /** Carries out the end of a sign-in; what a person can do something about goes to the front end. */
  const ending = async (
    ctx: Context,
    given: BrowserVisit,
    request: { readonly id: string | undefined; readonly path: string },
    work: () => Promise<Session>,
  ): Promise<BrowserStep> => {
    const base = signOn.baseOf(given.origin);
    const cookies =
      request.id === undefined ? [] : [signOn.requests.forgetting(request.id, { base, path: request.path })];
    try {
      const { token } = await work();
      return land(base, { token }, cookies);
    } catch (error) {
      return land(base, toldOf(ctx, error), cookies);
    }
  };

  /** The session, with its event in the tenant's log before it. */
  const enter = (ctx: Context, claim: Omit<Admitted, 'via'> & { via: SignInMethod; create: boolean }) => {
    const { tenantId, via, subject, email, role, syncRole, create } = claim;
    const acting = auditedIn(tenantId, ctx);
    const change = {
      action: 'sso.sign_in',
      target: { type: 'user', id: email, name: email },
      after: { via, subject, ...(syncRole || create ? { role } : {}) },
    };
    return parts.app.audit.audited({ ...acting, actor: { ...acting.actor, email } }, change, () =>
      signIn(parts, { tenant_id: tenantId, email, role, sync_role: syncRole, create, via, subject }, ctx),
    );
  };

  const noting =
    (ctx: Context): NoteRefusal =>
    (tenantId, reason) =>
      parts.app.audit.note(auditedIn(tenantId, ctx), {
        action: 'sso.refuse',
        target: { type: 'sso', id: tenantId },
        after: { reason },
      });

  return {
    sso_authorize: {
      access: 'internal',
      summary: "Sends a browser to the tenant's identity provider",
      params: { ...visit, fields: { type: 'object', props: { tenant_slug: slugParam } } },
      async handle({ params }) {
        return departing(await signOn.begin(await signOn.bySlug(params.fields.tenant_slug as string)));
      },
    },
    sso_callback: {
      access: 'internal',
      summary: 'Finishes a sign-in that the identity provider has answered',
      params: visit,
      async handle(ctx) {
        const { params } = ctx;
        const { answer, state } = params.fields;
        if (answer === undefined) {
          return ending(ctx, params, { id: state, path: SSO_CALLBACK }, async () =>
            enter(ctx, { ...(await signOn.finishOidc(params, state ?? '', noting(ctx))), create: true }),
          );
        }
        let request: string | undefined;
        const step = await ending(ctx, params, { id: undefined, path: SSO_CALLBACK }, async () => {
          const { id, admitted } = await signOn.finishSaml(params, answer);
          request = id;
          return enter(ctx, { ...admitted, create: true });
        });
        if (request === undefined) return step;
        const done = signOn.requests.forgetting(request, { base: signOn.baseOf(params.origin), path: SSO_CALLBACK });
        return { ...step, cookies: [done] };
      },
    },
    sso_posted: {
      access: 'internal',
      summary: 'Checks the assertion that a SAML identity provider has had the browser post',
      params: visit,
      async handle(ctx) {
        const { params } = ctx;
        try {
          return { location: await signOn.takePost(params, noting(ctx)), cookies: [] };
        } catch (error) {
          return land(signOn.baseOf(params.origin), toldOf(ctx, error), []);
        }
      },
    },
    suite_authorize: {
      access: 'internal',
      summary: "Sends a browser to the installation's provider",
      params: { ...visit, fields: { type: 'object', props: { tenant_slug: { ...slugParam, optional: true } } } },
      async handle({ params }) {
        return departing(await suite.begin(signOn.baseOf(params.origin), params.fields.tenant_slug ?? null));
      },
    },
    suite_callback: {
      access: 'internal',
      summary: 'Finishes a sign-in by the suite: into a tenant of the person, or into a new one',
      params: visit,
      async handle(ctx) {
        const { params } = ctx;
        const { state } = params.fields;
        return ending(ctx, params, { id: state, path: SUITE_CALLBACK }, async () => {
          const { person, tenantId } = await suite.finish(params, state ?? '');
          const { subject, email } = person;
          const own = tenantId ?? (await suite.welcome(person)).tenant_id;
          return enter(ctx, {
            tenantId: own,
            via: 'suite',
            subject,
            email,
            role: 'member',
            syncRole: false,
            create: false,
          });
        });
      },
    },
  };
};

const departing = ({ location, cookie }: Departure): BrowserStep => ({ location, cookies: [cookie] });

/** The words of a refusal for the fragment. @throws what is no refusal */
function toldOf(ctx: Context, error: unknown): { error: ErrorCode; error_description: string } {
  const code = errorCode(error);
  if (code === undefined || ERRORS[code].status === 500) throw error;
  const { message, cause } = error as Error;
  ctx.log.info(`A sign-in ended with ${code}: ${message}`, cause);
  return { error: code, error_description: message };
}
