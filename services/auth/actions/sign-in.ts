import { type AppError, type ErrorCode, errorCode, ERRORS } from '../../../lib/errors';
import { frontendRedirect } from '../../../lib/frontend-redirect';
import { auditedIn } from '../../../mixins/audit';
import type { ActionContext, Handlers } from '../../../mixins/service';
import type { ActionName } from '../../../contracts/catalogue';
import type { Session } from '../../../contracts/auth/accounts';
import type { SignInMethod } from '../models';
import type { AuthDeps } from '../deps';
import { signIn } from '../sign-in';
import type { BrowserCookie, BrowserStep, BrowserVisit } from '../../../contracts/auth/sso';
import type { AdmittedUser, ProviderRedirect, RecordRefusal, SignOn } from '../sso/sign-on';
import type { SuiteSignOn } from '../sso/suite';
import type { SignInTester } from '../sso/tester';
import { SSO_CALLBACK, SUITE_CALLBACK } from '../sso/urls';

type Actions = Pick<
  Handlers<'auth'>,
  'sso_authorize' | 'sso_callback' | 'sso_posted' | 'suite_authorize' | 'suite_callback'
>;
type Context = ActionContext<ActionName>;

/** Browser sign-in: redirects to the provider, and from its callback to the front end with a token or an error. */
export const signInActions = (parts: AuthDeps, signOn: SignOn, suite: SuiteSignOn, tester: SignInTester): Actions => {
  const land = (outcome: Readonly<Record<string, string>>, cookies: BrowserCookie[]): BrowserStep => ({
    location: frontendRedirect(parts.app.config, outcome),
    cookies,
  });

  /** A step of a test. */
  const testing = async (ctx: Context, step: () => Promise<string>): Promise<BrowserStep> => {
    try {
      return { location: await step(), cookies: [] };
    } catch (error) {
      return land(redirectErrorOf(ctx, error), []);
    }
  };

  /** Finishes a sign-in. Errors that a user can act on are passed to the front end in the redirect. */
  const ending = async (
    ctx: Context,
    given: BrowserVisit,
    request: { readonly id: string | undefined; readonly path: string },
    work: () => Promise<Session>,
  ): Promise<BrowserStep> => {
    const base = signOn.baseOf(given.origin);
    const cookies =
      request.id === undefined ? [] : [signOn.requests.clearCookie(request.id, { base, path: request.path })];
    try {
      const { token } = await work();
      return land({ token }, cookies);
    } catch (error) {
      return land(redirectErrorOf(ctx, error), cookies);
    }
  };

  /** Writes the audit event, then creates the session. */
  const enter = (
    ctx: Context,
    visit: BrowserVisit,
    claim: Omit<AdmittedUser, 'via'> & { via: SignInMethod; create: boolean },
  ) => {
    const { tenantId, via, subject, email, role, syncRole, create } = claim;
    const acting = auditedIn(tenantId, ctx);
    const change = {
      action: 'sso.sign_in',
      target: { type: 'user', id: email, name: email },
      after: { via, subject, ...(syncRole || create ? { role } : {}) },
    };
    return parts.app.audit.audited({ ...acting, actor: { ...acting.actor, email } }, change, () =>
      signIn(
        parts,
        {
          tenant_id: tenantId,
          email,
          role,
          sync_role: syncRole,
          create,
          via,
          subject,
          ...(visit.user_agent === undefined ? {} : { user_agent: visit.user_agent }),
        },
        ctx,
      ),
    );
  };

  const noting =
    (ctx: Context): RecordRefusal =>
    (tenantId, reason) =>
      parts.app.audit.note(auditedIn(tenantId, ctx), {
        action: 'sso.refuse',
        target: { type: 'sso', id: tenantId },
        after: { reason },
      });

  return {
    async sso_authorize({ params }) {
      const { test } = params.fields;
      if (test !== undefined) {
        const { location, cookie } = await tester.begin(test);
        return { location, cookies: cookie === null ? [] : [cookie] };
      }
      return departing(await signOn.begin(await signOn.bySlug(params.fields.tenant_slug as string)));
    },
    async sso_callback(ctx) {
      const { params } = ctx;
      const { answer, state, test } = params.fields;
      const testId = signOn.requests.testOf(state ?? '', params, parts.app.clock.now());
      if (test !== undefined || testId !== null)
        return testing(ctx, async () =>
          test === undefined
            ? tester.finishOidc(params, state ?? '', testId as string)
            : tester.finishSaml(params, test),
        );
      if (answer === undefined) {
        return ending(ctx, params, { id: state, path: SSO_CALLBACK }, async () =>
          enter(ctx, params, { ...(await signOn.finishOidc(params, state ?? '', noting(ctx))), create: true }),
        );
      }
      let request: string | undefined;
      const step = await ending(ctx, params, { id: undefined, path: SSO_CALLBACK }, async () => {
        const { id, admitted } = await signOn.finishSaml(params, answer);
        request = id;
        return enter(ctx, params, { ...admitted, create: true });
      });
      if (request === undefined) return step;
      const done = signOn.requests.clearCookie(request, { base: signOn.baseOf(params.origin), path: SSO_CALLBACK });
      return { ...step, cookies: [done] };
    },
    async sso_posted(ctx) {
      const { params } = ctx;
      const { SAMLResponse: message = '', RelayState: relay = '' } = params.fields;
      const [tenantId = '', testId] = relay.split(' ');
      if (testId !== undefined) return testing(ctx, () => tester.keepPosted(tenantId, testId, message));
      try {
        return { location: await signOn.verifySamlPost(params, noting(ctx)), cookies: [] };
      } catch (error) {
        return land(redirectErrorOf(ctx, error), []);
      }
    },
    async suite_authorize({ params }) {
      return departing(await suite.begin(signOn.baseOf(params.origin), params.fields.tenant_slug ?? null));
    },
    async suite_callback(ctx) {
      const { params } = ctx;
      const { state } = params.fields;
      return ending(ctx, params, { id: state, path: SUITE_CALLBACK }, async () => {
        const { person, tenantId } = await suite.finish(params, state ?? '');
        const { subject, email } = person;
        const own = tenantId ?? (await suite.signUp(person)).tenant_id;
        return enter(ctx, params, {
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
  };
};

const departing = ({ location, cookie }: ProviderRedirect): BrowserStep => ({ location, cookies: [cookie] });

/** The error parameters of the redirect's fragment. @throws unexpected errors */
function redirectErrorOf(ctx: Context, error: unknown): RedirectError {
  const code = errorCode(error);
  if (code === undefined || ERRORS[code].status === 500) throw error;
  const { message, cause } = error as Error;
  ctx.log.info(`A sign-in ended with ${code}: ${message}`, cause);
  return { error: code, error_description: message, ...challengeOf(error as AppError) };
}

interface RedirectError extends Readonly<Record<string, string>> {
  error: ErrorCode;
  error_description: string;
}

/** The challenge of a sign-in that lacks its second factor. */
function challengeOf({ data }: AppError): Record<string, string> {
  const found = data?.body?.second_factor as { challenge: string; methods: string[] } | undefined;
  return found === undefined ? {} : { challenge: found.challenge, methods: found.methods.join(' ') };
}
