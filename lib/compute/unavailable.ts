import { AppError } from '../errors';
import { ComputeError } from './pool';

/** @throws AppError unavailable for a computation whose retry may succeed */
export function assertNotRetryable(fault: unknown): void {
  if (!(fault instanceof ComputeError) || !fault.retryable) return;
  throw new AppError('unavailable', fault.message, { retry_after: 1 }, { cause: fault });
}
