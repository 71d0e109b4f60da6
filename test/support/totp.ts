import { Secret, TOTP } from 'otpauth';
import type { Api } from './server';

const STEP_MS = 30_000;

/** An authenticator app that a test has added to an account. */
export interface TestFactor {
  readonly recoveryCodes: readonly string[];
  /** A code that was not used yet: that of the next step, which servers accept. */
  nextCode(): string;
}

/** Adds an authenticator app to the account of a client whose session began a moment ago. */
export async function enrolTotp(api: Api): Promise<TestFactor> {
  const { secret, enrolment } = await api.call<{ secret: string; enrolment: string }>('POST', '/api/v1/auth/totp', {});
  const codeAt = (timestamp: number): string => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
  const confirmed = await api.call<{ recovery_codes: string[] }>('POST', '/api/v1/auth/totp/confirm', {
    enrolment,
    code: codeAt(Date.now()),
  });
  return { recoveryCodes: confirmed.recovery_codes, nextCode: () => codeAt(Date.now() + STEP_MS) };
}
