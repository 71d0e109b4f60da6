import { KEY_SCOPES } from '../../lib/key-scopes';
import { Session, TenantView } from './accounts';
import { address, userAgent, loginText, newPassword, secretText } from './params';
import { SECOND_FACTOR_METHODS } from './second-factor';
import { MemberView } from './team';
import { actions } from '../contract';
import { pageParams } from '../../lib/page';
import { id } from '../rules';
import * as s from '../../lib/schema';

const MeView = s.named(
  'MeView',
  MemberView.extend({
    tenant_id: s.text,
    credential: s.words('api_key', 'user').about('What the call was made with.'),
    scope: s
      .words(...KEY_SCOPES)
      .nullable()
      .about('Of the API key; null for a session.'),
    tenant: TenantView,
    operator: s.boolean.about('Whether the session is that of an operator of the installation.'),
  }),
  'The caller.',
);

export const SessionView = s.named(
  'SessionView',
  s.object({
    id: s.text,
    via: s.words('invitation', 'oidc', 'passkey', 'password', 'registration', 'saml', 'suite').about('How it began.'),
    device: s.text.nullable().about('By the `User-Agent` of the sign-in.'),
    address: s.text.nullable().about('From which the sign-in came.'),
    created_at: s.text,
    last_used_at: s.text.about('Up to five minutes behind.'),
    expires_at: s.text,
    current: s.boolean.about('Whether it is the session of the token that asks.'),
  }),
  'A session of the caller.',
);
export type SessionView = s.Infer<typeof SessionView>;

const SignInMethods = s.named(
  'SignInMethods',
  s.object({
    password: s.constant(true),
    passkey: s.boolean.about('Whether the address of the installation allows passkeys.'),
    password_reset: s.boolean.about('Whether mails with a link to set a new password are sent.'),
    suite: s.boolean.about('Whether the identity provider of the installation is configured.'),
  }),
  'How people can sign in to this installation.',
);

const AccountView = s.named(
  'AccountView',
  s.object({
    user: MemberView,
    tenant: TenantView,
    credential: s.words('api_key', 'user'),
    session: SessionView.nullable().about('Null for an API key, and for a token of an earlier version.'),
    second_factor: s.object({
      required: s.boolean.about('Whether the tenant requires one.'),
      must_enrol: s.boolean.about('Whether it has to be set up before anything else.'),
      methods: s.array(s.words(...SECOND_FACTOR_METHODS)).about('What the user can show.'),
      passkeys: s.number.about('How many the user has.'),
      totp_enrolled_at: s.text.nullable(),
      recovery_codes_left: s.number,
    }),
    plan: s.object({ name: s.text, limits: s.record(s.number.nullable()).about('Null: unlimited.') }),
    sign_in_methods: SignInMethods,
  }),
  'The caller, and what a client shows of it.',
);

export const sessionsActions = actions({
  me: {
    rest: 'GET /api/v1/me',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    withoutSecondFactor: true,
    summary: 'Who the credential belongs to',
    params: {},
    result: MeView,
  },
  account: {
    rest: 'GET /api/v1/auth/me',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    withoutSecondFactor: true,
    summary: 'The user, the session, the second factors, the tenant with its plan, and what this installation offers',
    params: {},
    result: AccountView,
  },
  sign_in_methods: {
    rest: 'GET /api/v1/auth/methods',
    access: 'gateway',
    repeatable: true,
    summary: 'How people can sign in to this installation',
    description: '`GET /api/v1/auth/sso/check` says it of the identity provider of a tenant.',
    params: {},
    result: SignInMethods,
  },
  logout: {
    rest: 'POST /api/v1/auth/logout',
    status: 204,
    access: 'viewer',
    given: ['token'],
    integrators: true,
    withoutSecondFactor: true,
    summary: "Ends the token's session; with `everywhere`, all of the user's",
    description: "Ends the session of the token; with `everywhere`, all of the user's.",
    params: { token: { type: 'string', max: 8_192 }, everywhere: { type: 'boolean', optional: true } },
    result: s.nothing,
    errors: ['forbidden'],
  },
  list_sessions: {
    rest: 'GET /api/v1/auth/sessions',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    withoutSecondFactor: true,
    summary: "The caller's sessions, newest first",
    description:
      'Sessions that began under an earlier version are not listed; `DELETE /api/v1/auth/sessions` ends them too.',
    params: pageParams,
    result: s.listed(SessionView),
    errors: ['forbidden'],
  },
  end_session: {
    rest: 'DELETE /api/v1/auth/sessions/:id',
    status: 204,
    access: 'viewer',
    integrators: true,
    withoutSecondFactor: true,
    summary: 'Ends a session of the caller',
    params: { id },
    result: s.nothing,
    errors: ['forbidden', 'not_found'],
  },
  end_other_sessions: {
    rest: 'DELETE /api/v1/auth/sessions',
    status: 204,
    access: 'viewer',
    integrators: true,
    withoutSecondFactor: true,
    summary: "Ends all of the caller's sessions but the one that asks",
    params: {},
    result: s.nothing,
    errors: ['forbidden'],
  },
  change_password: {
    rest: 'POST /api/v1/auth/password',
    access: 'viewer',
    given: ['address', 'user_agent'],
    integrators: true,
    withoutSecondFactor: true,
    summary: 'Changes the password; the other sessions end',
    description: 'The other sessions end; the answer is the next one.',
    params: { current_password: secretText, new_password: newPassword, address, user_agent: userAgent },
    result: Session,
    errors: ['forbidden', 'conflict'],
  },
  request_password_reset: {
    rest: 'POST /api/v1/auth/password-reset',
    status: 202,
    access: 'gateway',
    given: ['address'],
    summary: 'Mails a link to set a new password, if there is such an account',
    description: 'The answer is the same whether or not there is such an account.',
    params: { tenant_slug: loginText(200), email: loginText(254), address },
    result: s.object({
      message: s.text,
    }),
    errors: ['provider_not_configured'],
  },
  confirm_password_reset: {
    rest: 'POST /api/v1/auth/password-reset/confirm',
    status: 204,
    access: 'gateway',
    given: ['address'],
    summary: 'Sets a new password by the token of a mail',
    description: 'Ends all sessions of the user.',
    params: { token: secretText, password: newPassword, address },
    result: s.nothing,
    errors: ['invalid_token'],
  },
  verify_email: {
    rest: 'POST /api/v1/auth/verify-email',
    access: 'gateway',
    given: ['address', 'session'],
    summary: 'Confirms an e-mail address by the token of a mail',
    description:
      'The token of a login of the same account is the bearer credential, unless the address is confirmed already.',
    params: { token: secretText, address, session: { type: 'string', max: 8_192, optional: true } },
    result: s.object({
      email: s.text,
      email_verified: s.constant(true),
    }),
    errors: ['invalid_token', 'unauthenticated'],
  },
  resend_verification: {
    rest: 'POST /api/v1/auth/verify-email/resend',
    status: 202,
    access: 'viewer',
    integrators: true,
    summary: 'Mails the link that confirms the address anew',
    params: {},
    result: s.object({
      email: s.text,
      email_verified: s.boolean,
    }),
    errors: ['forbidden', 'provider_not_configured'],
  },
});
