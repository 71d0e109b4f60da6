import { Session } from './accounts';
import { address, loginText, text, userAgent } from './params';
import { assertion, attestation } from './passkey-credential';
import { actions } from '../contract';
import { pageParams } from '../../lib/page';
import { id } from '../rules';
import * as s from '../../lib/schema';

export const MAX_PASSKEYS_PER_USER = 20;

export const PasskeyView = s.named(
  'PasskeyView',
  s.object({
    id: s.text,
    name: s.text,
    backup_eligible: s.boolean.about('Whether copies of it may be on several devices of its user.'),
    backed_up: s.boolean.about('Whether it is backed up, as its last use has shown.'),
    created_at: s.text,
    last_used_at: s.text.nullable(),
  }),
  'A passkey of the caller.',
);
export type PasskeyView = s.Infer<typeof PasskeyView>;

const CredentialDescriptor = s.object({
  id: s.text,
  type: s.constant('public-key'),
  transports: s.array(s.text),
});

const PasskeyRequest = s.named(
  'PasskeyRequest',
  s.object({
    challenge: s.text.about('To be sent with the answer of the authenticator, once.'),
    options: s
      .object({
        challenge: s.text,
        rpId: s.text,
        timeout: s.number.about('In milliseconds.'),
        userVerification: s.words('required', 'preferred'),
        allowCredentials: s.array(CredentialDescriptor),
      })
      .about('For `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`.'),
    expires_at: s.text,
  }),
  'What a browser needs to ask for a passkey.',
);
export type PasskeyRequest = s.Infer<typeof PasskeyRequest>;

const PasskeyCreation = s.named(
  'PasskeyCreation',
  s.object({
    enrolment: s.text.about('To be sent with the answer of the authenticator, once.'),
    options: s
      .object({
        challenge: s.text,
        rp: s.object({ id: s.text, name: s.text }),
        user: s.object({ id: s.text, name: s.text, displayName: s.text }),
        pubKeyCredParams: s.array(s.object({ type: s.constant('public-key'), alg: s.number })),
        timeout: s.number.about('In milliseconds.'),
        excludeCredentials: s.array(CredentialDescriptor),
        authenticatorSelection: s.object({
          residentKey: s.constant('required'),
          requireResidentKey: s.constant(true),
          userVerification: s.constant('required'),
        }),
        attestation: s.constant('none'),
      })
      .about('For `PublicKeyCredential.parseCreationOptionsFromJSON` and `navigator.credentials.create`.'),
    expires_at: s.text,
  }),
  'What a browser needs to make a passkey.',
);
export type PasskeyCreation = s.Infer<typeof PasskeyCreation>;

export const challengeText = { type: 'string', min: 1, max: 4_096 } as const;
const name = text(100);

export const passkeyActions = actions({
  begin_passkey_sign_in: {
    rest: 'POST /api/v1/auth/passkey/challenge',
    access: 'gateway',
    summary: 'Makes a challenge for a sign-in with a passkey alone',
    description:
      'Valid for five minutes, once. With `tenant_slug` or `email`, passkeys of other accounts are refused; the answer is the same whether or not there is such an account.',
    params: {
      tenant_slug: { ...loginText(200), optional: true },
      email: { ...loginText(254), optional: true },
    },
    result: PasskeyRequest,
    errors: ['provider_not_configured'],
  },
  passkey_sign_in: {
    rest: 'POST /api/v1/auth/passkey',
    access: 'gateway',
    given: ['address', 'user_agent'],
    summary: 'Signs in with a passkey alone; returns an access token',
    description:
      'The passkey says whose account it is, and counts as second factor: its authenticator has verified the user by a PIN or biometrics.',
    params: { challenge: challengeText, passkey: assertion, address, user_agent: userAgent },
    result: Session,
    errors: ['invalid_passkey', 'sign_in_failed', 'sso_required', 'forbidden', 'provider_not_configured'],
  },
  begin_passkey_factor: {
    rest: 'POST /api/v1/auth/second-factor/passkey',
    access: 'gateway',
    summary: 'What a browser needs to complete a sign-in with a passkey as second factor',
    description:
      'Takes the `challenge` of an answer with the code `second_factor_challenge`, and returns it; `POST /api/v1/auth/second-factor` takes it with the `passkey`.',
    params: { challenge: challengeText },
    result: PasskeyRequest,
    errors: ['sign_in_failed', 'not_found', 'provider_not_configured'],
  },
  begin_passkey_confirmation: {
    rest: 'POST /api/v1/auth/confirm/passkey',
    access: 'viewer',
    integrators: true,
    withoutSecondFactor: true,
    summary: 'Makes a challenge to confirm with a passkey who is at the session',
    description: '`POST /api/v1/auth/confirm` takes it with the `passkey`, in five minutes, once.',
    params: {},
    result: PasskeyRequest,
    errors: ['forbidden', 'not_found', 'provider_not_configured'],
  },
  begin_passkey: {
    rest: 'POST /api/v1/auth/passkeys/enrolment',
    access: 'viewer',
    integrators: true,
    withoutSecondFactor: true,
    summary: 'What a browser needs to make a passkey',
    description: '`POST /api/v1/auth/passkeys` takes the answer of the authenticator, in 15 minutes, once.',
    params: {},
    result: PasskeyCreation,
    errors: ['forbidden', 'conflict', 'reauthentication_required', 'provider_not_configured'],
  },
  add_passkey: {
    rest: 'POST /api/v1/auth/passkeys',
    status: 201,
    access: 'viewer',
    given: ['user_agent'],
    integrators: true,
    withoutSecondFactor: true,
    summary: 'Adds a passkey; with the first second factor, the other sessions end',
    description: `An account has at most ${MAX_PASSKEYS_PER_USER}. Without a \`name\`, it is named after the browser. Recovery codes come with the first second factor.`,
    params: {
      enrolment: challengeText,
      passkey: attestation,
      name: { ...name, optional: true },
      user_agent: userAgent,
    },
    result: s.object({
      passkey: PasskeyView,
      recovery_codes: s.array(s.text).nullable().about('Ten codes, shown by this answer alone.'),
    }),
    errors: [
      'forbidden',
      'conflict',
      'invalid_passkey',
      'sign_in_failed',
      'reauthentication_required',
      'provider_not_configured',
    ],
  },
  list_passkeys: {
    rest: 'GET /api/v1/auth/passkeys',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    withoutSecondFactor: true,
    summary: "The caller's passkeys, oldest first",
    params: pageParams,
    result: s.listed(PasskeyView),
    errors: ['forbidden'],
  },
  rename_passkey: {
    rest: 'PUT /api/v1/auth/passkeys/:id',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Renames a passkey',
    params: { id, name },
    result: PasskeyView,
    errors: ['forbidden', 'not_found'],
  },
  remove_passkey: {
    rest: 'DELETE /api/v1/auth/passkeys/:id',
    status: 204,
    access: 'viewer',
    integrators: true,
    summary: 'Removes a passkey; the recovery codes go with the last second factor',
    params: { id },
    result: s.nothing,
    errors: ['forbidden', 'not_found', 'conflict', 'reauthentication_required'],
  },
});
