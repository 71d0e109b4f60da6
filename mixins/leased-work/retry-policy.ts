import { backoffCeilingMs } from '../../lib/backoff';

type RetryDecision = { readonly kind: 'retry'; readonly afterMs: number } | { readonly kind: 'give_up' };

export interface Failure {
  readonly retryable: boolean;
  /** The server's `Retry-After`, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** About an hour in total. */
const MAX_ATTEMPTS = 12;
const RETRY = { firstMs: 2_000, maxMs: 10 * 60_000 };

/** `attempts`: claims since the work last made progress, including this one. Pure. */
export function retryDecision({ retryable, retryAfterMs = 0 }: Failure, attempts: number): RetryDecision {
  if (!retryable || attempts >= MAX_ATTEMPTS) return { kind: 'give_up' };
  const pause = backoffCeilingMs(RETRY, attempts);
  return { kind: 'retry', afterMs: Math.max(pause, Math.min(retryAfterMs, RETRY.maxMs)) };
}

/** True if the work has crashed its process more than 12 times. */
export const isPoison = (attempts: number): boolean => attempts > MAX_ATTEMPTS;
