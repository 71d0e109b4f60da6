import { Session } from './accounts';
import { assertion } from './passkey-credential';
import { challengeText } from './passkeys';
import { address, secretText, userAgent } from './params';
import { actions } from '../contract';
import { id } from '../rules';
import * as s from '../../lib/schema';

/** The usual one of a user first. */
export const SECOND_FACTOR_METHODS = ['passkey', 'totp', 'recovery_code'] as const;
export type SecondFactorMethod = (typeof SECOND_FACTOR_METHODS)[number];

/** A code of an authenticator app or of recovery, as people type it. */
const codeText = { type: 'string', min: 1, max: 100, optional: true } as const;

const passkey = { ...assertion, optional: true } as const;

const RecoveryCodes = s
  .array(s.text)
  .about('Ten codes, each of which replaces the second factor once. Shown by this answer alone.');

export const secondFactorActions = actions({
  complete_sign_in: {
    rest: 'POST /api/v1/auth/second-factor',
    access: 'gateway',
    given: ['address', 'user_agent'],
    summary: 'Completes a sign-in with the second factor of its user',
    description:
      'Takes the `challenge` of an answer with the code `second_factor_challenge`, and the `code` of the authenticator app, a `recovery_code`, or a `passkey` that has answered `POST /api/v1/auth/second-factor/passkey`.',
    params: {
      challenge: challengeText,
      code: codeText,
      recovery_code: codeText,
      passkey,
      address,
      user_agent: userAgent,
    },
    result: Session,
    errors: ['invalid_code', 'invalid_passkey', 'sign_in_failed', 'sso_required', 'provider_not_configured'],
  },
  confirm_identity: {
    rest: 'POST /api/v1/auth/confirm',
    status: 204,
    access: 'viewer',
    given: ['address'],
    integrators: true,
    withoutSecondFactor: true,
    summary: 'Confirms who is at the session, for changes of second factors in the next ten minutes',
    description:
      'Takes the `password`, a `code`, a `recovery_code`, or a `passkey` with the `challenge` that it has answered. A sign-in confirms it as well.',
    params: {
      password: { ...secretText, optional: true },
      code: codeText,
      recovery_code: codeText,
      passkey,
      challenge: { ...challengeText, optional: true },
      address,
    },
    result: s.nothing,
    errors: ['forbidden', 'invalid_code', 'invalid_passkey', 'sign_in_failed', 'provider_not_configured'],
  },
  begin_totp: {
    rest: 'POST /api/v1/auth/totp',
    access: 'viewer',
    integrators: true,
    withoutSecondFactor: true,
    summary: 'Makes a secret for an authenticator app',
    description: 'The secret counts once `POST /api/v1/auth/totp/confirm` has got its first code, in 15 minutes.',
    params: {},
    result: s.object({
      secret: s.text.about('In base32.'),
      uri: s.text.about('`otpauth://totp/...`, to be shown as a QR code.'),
      enrolment: s.text,
      expires_at: s.text,
    }),
    errors: ['forbidden', 'conflict', 'reauthentication_required'],
  },
  confirm_totp: {
    rest: 'POST /api/v1/auth/totp/confirm',
    access: 'viewer',
    given: ['address'],
    integrators: true,
    withoutSecondFactor: true,
    summary: 'Adds the authenticator app as second factor; the other sessions end',
    params: {
      enrolment: { type: 'string', min: 1, max: 4_096 },
      code: { ...codeText, optional: false },
      address,
    },
    result: s.object({ recovery_codes: RecoveryCodes.nullable() }),
    errors: ['forbidden', 'conflict', 'invalid_code', 'sign_in_failed', 'reauthentication_required'],
  },
  remove_totp: {
    rest: 'DELETE /api/v1/auth/totp',
    status: 204,
    access: 'viewer',
    integrators: true,
    summary: 'Removes the authenticator app; the recovery codes go with the last second factor',
    params: {},
    result: s.nothing,
    errors: ['forbidden', 'not_found', 'conflict', 'reauthentication_required'],
  },
  renew_recovery_codes: {
    rest: 'POST /api/v1/auth/recovery-codes',
    access: 'viewer',
    integrators: true,
    summary: 'Replaces the recovery codes',
    params: {},
    result: s.object({ recovery_codes: RecoveryCodes }),
    errors: ['forbidden', 'conflict', 'reauthentication_required'],
  },
  reset_member_factor: {
    rest: 'DELETE /api/v1/team/members/:id/second-factor',
    status: 204,
    access: 'owner',
    whileSuspended: true,
    integrators: true,
    summary: 'Removes the second factors of a member who has lost them, and ends the sessions of the member',
    params: { id },
    result: s.nothing,
    errors: ['not_found'],
  },
});
