import type { EverstepError } from './error.ts';

/** How often what may be repeated is tried, and how long is waited in between. */
export interface RetryPolicy {
  /** Attempts in all; 1 for no retry. */
  readonly attempts: number;
  /** Before the second attempt; doubled before each further one. */
  readonly firstMs: number;
  /** A server that asks for more than this is not waited for. */
  readonly longestMs: number;
}

/** Refusals of which the server says that the same request may succeed later. */
const PASSING = new Set(['rate_limited', 'unavailable', 'idempotency_in_progress']);

/** Whether another attempt is right. A request that may have been carried out is repeated only where that is harmless. */
export function wantsRetry({ code, status }: EverstepError, repeatable: boolean): boolean {
  // Refused before anything was executed.
  if (code === 'rate_limited') return true;
  return repeatable && (PASSING.has(code) || code === 'unreachable' || status === 502 || status === 504);
}

/** Milliseconds until the next attempt: what the server asks for, else twice as long each time. @throws the fault when that is too long */
export function pauseBefore(attempt: number, fault: EverstepError, { firstMs, longestMs }: RetryPolicy): number {
  if (fault.retryAfterMs === null) return pauseMs(attempt, { firstMs, longestMs });
  if (fault.retryAfterMs > longestMs) throw fault;
  return fault.retryAfterMs;
}

/** Milliseconds to wait after so many failures in a row. */
export const pauseMs = (failures: number, { firstMs, longestMs }: Pick<RetryPolicy, 'firstMs' | 'longestMs'>): number =>
  Math.min(longestMs, firstMs * 2 ** (failures - 1));

/** @throws the signal's reason when it is aborted meanwhile */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
