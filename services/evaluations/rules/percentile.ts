/**
 * The smallest of the values that at least a share `p` (above 0, up to 1) of them does not exceed: the nearest-rank method,
 * as for the latencies of workflows. Null without values. Pure.
 */
export function percentile(sorted: readonly number[], p: number): number | null {
  if (sorted.length === 0) return null;
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] as number;
}
