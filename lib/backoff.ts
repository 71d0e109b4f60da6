interface BackoffPolicy {
  /** Ceiling after the first failure, in milliseconds. */
  readonly firstMs: number;
  /** Highest ceiling, in milliseconds. */
  readonly maxMs: number;
  /** How much the ceiling grows with each failure. Default: 2. */
  readonly factor?: number;
}

/** The maximum pause after `failures` (1 or more) consecutive failures: exponential, up to the ceiling. Pure. */
export const backoffCeilingMs = ({ firstMs, maxMs, factor = 2 }: BackoffPolicy, failures: number): number =>
  // The power overflows after many failures.
  Math.min(maxMs, firstMs * Math.min(factor ** Math.max(0, failures - 1), Number.MAX_VALUE));

/**
 * The pause after `failures` consecutive failures, with full jitter: a random value up to the ceiling, so that callers
 * that failed together do not retry together. `random` is in [0, 1). Pure.
 */
export const backoffMs = (policy: BackoffPolicy, failures: number, random: number): number =>
  Math.max(1, Math.round(backoffCeilingMs(policy, failures) * random));
