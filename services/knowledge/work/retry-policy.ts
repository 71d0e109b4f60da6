import { backoffCeilingMs } from '../../../lib/backoff';

/** How work goes on after a failure. */
type AfterFailure = { readonly kind: 'again'; readonly afterMs: number } | { readonly kind: 'over' };

/** What is known of a failure. */
export interface Failure {
  readonly retryable: boolean;
  /** As the other side has asked, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** About an hour altogether. */
const MAX_ATTEMPTS = 12;
const RETRY = { firstMs: 2_000, maxMs: 10 * 60_000 };

/** `attempts`: claims since something last went forward, this one included. Pure. */
export function afterFailure({ retryable, retryAfterMs = 0 }: Failure, attempts: number): AfterFailure {
  if (!retryable || attempts >= MAX_ATTEMPTS) return { kind: 'over' };
  const pause = backoffCeilingMs(RETRY, attempts);
  return { kind: 'again', afterMs: Math.max(pause, Math.min(retryAfterMs, RETRY.maxMs)) };
}

/** True for poison work: its process has ended more than 12 times while it ran. */
export const isPoison = (attempts: number): boolean => attempts > MAX_ATTEMPTS;
