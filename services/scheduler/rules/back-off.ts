import { backoffCeilingMs } from '../../../lib/backoff';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** Retryable faults: the first delay is the poll interval, within these bounds. */
const [MIN_MS, FIRST_MS] = [10 * SECOND_MS, 60 * SECOND_MS];
/** A fault that a user has to fix is retried less often. */
const MENDED_MS = 10 * 60 * SECOND_MS;
const JITTER = 0.2;

/** A fault of a source. */
interface Failing {
  /** Consecutive failures, including this one. */
  readonly failures: number;
  /** False when a user has to fix the cause. */
  readonly retryable: boolean;
  /** The `Retry-After` of the source. */
  readonly retryAfterMs: number | null;
  readonly everyMs: number;
}

/**
 * The delay in milliseconds until a failed source is polled again: exponential up to an hour, and at least the source's
 * `Retry-After`. `random` is from 0 to 1. Pure.
 */
export function backOffMs({ failures, retryable, retryAfterMs, everyMs }: Failing, random: number): number {
  const firstMs = retryable ? Math.min(FIRST_MS, Math.max(MIN_MS, everyMs)) : Math.max(MENDED_MS, everyMs);
  const delay = backoffCeilingMs({ firstMs, maxMs: Math.max(HOUR_MS, retryable ? 0 : everyMs) }, failures);
  const varied = delay * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.max(Math.min(varied, Math.max(HOUR_MS, delay)), retryAfterMs ?? 0));
}
