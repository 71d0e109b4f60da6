/** How work goes on after a failure. */
export type AfterFailure = { readonly kind: 'again'; readonly afterMs: number } | { readonly kind: 'over' };

/** What is known of a failure. */
export interface Failure {
  readonly retryable: boolean;
  /** As the other side has asked, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** About an hour altogether. */
const MOST_ATTEMPTS = 12;
const FIRST_MS = 2_000;
const LONGEST_MS = 10 * 60_000;

/** `attempts`: claims since something last went forward, this one included. Pure. */
export function afterFailure({ retryable, retryAfterMs = 0 }: Failure, attempts: number): AfterFailure {
  if (!retryable || attempts >= MOST_ATTEMPTS) return { kind: 'over' };
  const pause = Math.min(FIRST_MS * 2 ** (attempts - 1), LONGEST_MS);
  return { kind: 'again', afterMs: Math.max(pause, Math.min(retryAfterMs, LONGEST_MS)) };
}

/** Whether work was begun so often, and never ended, that it must be what ends its process. */
export const isDeadly = (attempts: number): boolean => attempts > MOST_ATTEMPTS;
