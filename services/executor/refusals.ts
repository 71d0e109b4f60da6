import { ERRORS, errorCode, errorMessage } from '../../lib/errors';
import type { Answered } from '../../nodes/contract';

/** What a service refuses in words is told to the step; `missing` is the step's code for what is not there. */
export async function told<T>(missing: string, work: () => Promise<T>): Promise<Answered<T>> {
  try {
    return { kind: 'done', value: await work() };
  } catch (fault) {
    const code = errorCode(fault);
    if (code === undefined) throw fault;
    const error = { code: code === 'not_found' ? missing : code, message: errorMessage(fault) };
    return { kind: 'refused', error, retryable: ERRORS[code].retryable };
  }
}
