import { ERRORS, errorCode, errorMessage } from '../../lib/errors';
import type { PlatformResult } from '../../nodes/contract';

/** Returns a refusal of a service as a value for the step; `missing` replaces the code `not_found`. */
export async function toServiceAnswer<T>(missing: string, work: () => Promise<T>): Promise<PlatformResult<T>> {
  try {
    return { kind: 'done', value: await work() };
  } catch (fault) {
    const code = errorCode(fault);
    if (code === undefined) throw fault;
    const error = { code: code === 'not_found' ? missing : code, message: errorMessage(fault) };
    return { kind: 'refused', error, retryable: ERRORS[code].retryable };
  }
}
