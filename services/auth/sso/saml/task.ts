import { type Compute, ComputeError, defineTask } from '../../../../lib/compute';
import { AppError, type ErrorCode, errorCode } from '../../../../lib/errors';
import { verifyAssertion } from './verify';
import type { Assertion, Expected } from './response';

/** The largest message takes about a second per certificate. */
const VERIFY_TIMEOUT_MS = 5_000;

interface SamlMessage {
  /** The field `SAMLResponse`: XML in base64. */
  readonly message: string;
  readonly certificate: string;
  readonly expected: Expected;
}

type VerifyResult =
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string };

export const verifyTask = defineTask(
  'services/auth/sso/saml/task',
  'verifyTask',
  ({ message, certificate, expected }: SamlMessage): VerifyResult => {
    try {
      return { kind: 'assertion', assertion: verifyAssertion(message, certificate, expected) };
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      return { kind: 'refused', code, message: (error as AppError).message };
    }
  },
);

/**
 * Runs `verifyAssertion` on a compute thread: unauthenticated clients can post messages, and the search for signatures in
 * a few kilobytes can take a second. @throws AppError sign_in_failed, unavailable
 */
export async function verifyOnThread(compute: Compute, message: SamlMessage): Promise<Assertion> {
  const result = await compute.run(verifyTask, message, { timeoutMs: VERIFY_TIMEOUT_MS }).catch(throwComputeError);
  if (result.kind === 'assertion') return result.assertion;
  throw new AppError(result.code, result.message);
}

function throwComputeError(fault: unknown): never {
  if (!(fault instanceof ComputeError)) throw fault;
  if (fault.retryable) throw new AppError('unavailable', fault.message, {}, { cause: fault });
  const message = 'Invalid response of the identity provider: it is too complex to verify';
  throw new AppError('sign_in_failed', message, {}, { cause: fault });
}
