import { backoffCeilingMs } from '../lib/backoff';
import { parseDuration } from '../lib/duration';
import type { RetryDocument } from './document';
import type { RetryPolicy } from './plan';

/** Default retry policy. */
const DEFAULTS: RetryPolicy = {
  maxAttempts: 1,
  backoff: 'exponential',
  initialMs: 1_000,
  maxMs: 300_000,
  factor: 2,
  jitter: 0.2,
};

/**
 * The policy of a step: its own block, over the document's, over the defaults, member by member. An initial interval
 * above the default maximum raises the maximum, unless that was given.
 */
export function resolveRetry(document: RetryDocument = {}, step: RetryDocument = {}): RetryPolicy {
  const written = { ...document, ...step };
  const initialMs = parseDuration(written.initial_interval) ?? DEFAULTS.initialMs;
  return {
    maxAttempts: written.max_attempts ?? DEFAULTS.maxAttempts,
    backoff: written.backoff ?? DEFAULTS.backoff,
    initialMs,
    maxMs: parseDuration(written.max_interval) ?? Math.max(DEFAULTS.maxMs, initialMs),
    factor: written.factor ?? DEFAULTS.factor,
    jitter: written.jitter ?? DEFAULTS.jitter,
  };
}

/**
 * The delay after `failedAttempts` (1 or more), in milliseconds. `random` is from 0 up to 1 and spreads the delay by
 * the policy's jitter to both sides. A `retryAfterMs` of the server is respected even when it exceeds the policy's
 * maximum, as an earlier attempt would only fail again.
 */
export function retryDelayMs(
  policy: RetryPolicy,
  failedAttempts: number,
  random: number,
  retryAfterMs?: number,
): number {
  const base = Math.min(growth(policy, Math.max(1, failedAttempts)), policy.maxMs);
  const spread = base * policy.jitter * (2 * random - 1);
  return Math.round(Math.max(Math.min(base + spread, policy.maxMs), retryAfterMs ?? 0));
}

function growth({ backoff, initialMs, maxMs, factor }: RetryPolicy, failedAttempts: number): number {
  switch (backoff) {
    case 'fixed':
      return initialMs;
    case 'linear':
      return initialMs * failedAttempts;
    case 'exponential':
      return backoffCeilingMs({ firstMs: initialMs, maxMs, factor }, failedAttempts);
  }
}
