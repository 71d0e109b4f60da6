import { type Compute, ComputeError, defineTask } from '../../../../lib/compute';
import { AppError, type ErrorCode, errorCode } from '../../../../lib/errors';
import { checkedAssertion } from './check';
import type { Assertion, Expected } from './response';

/** Even a message of the largest size is checked in about a second per certificate. */
const CHECK_TIMEOUT_MS = 5_000;

interface Message {
  /** The field `SAMLResponse`: XML in base64. */
  readonly message: string;
  readonly certificate: string;
  readonly expected: Expected;
}

type Checked =
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string };

export const checkTask = defineTask(
  'services/auth/sso/saml/task',
  'checkTask',
  ({ message, certificate, expected }: Message): Checked => {
    try {
      return { kind: 'assertion', assertion: checkedAssertion(message, certificate, expected) };
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      return { kind: 'refused', code, message: (error as AppError).message };
    }
  },
);

/**
 * `checkedAssertion` on a compute thread: anybody may post a message, and looking for a signature in one of some
 * kilobytes can take a second. @throws AppError sign_in_failed, unavailable
 */
export async function checkOnThread(compute: Compute, message: Message): Promise<Assertion> {
  const checked = await compute.run(checkTask, message, { timeoutMs: CHECK_TIMEOUT_MS }).catch(notChecked);
  if (checked.kind === 'assertion') return checked.assertion;
  throw new AppError(checked.code, checked.message);
}

function notChecked(fault: unknown): never {
  if (!(fault instanceof ComputeError)) throw fault;
  if (fault.retryable) throw new AppError('unavailable', fault.message, {}, { cause: fault });
  const message = "The identity provider's answer is refused: it takes too much work to check";
  throw new AppError('sign_in_failed', message, {}, { cause: fault });
}
