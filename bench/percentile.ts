import { performance } from 'node:perf_hooks';

/** The value at a share of a list, by nearest rank; NaN of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The middle one; of an even number the lower. */
export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Milliseconds of each call, one after the other. */
export async function timings(count: number, call: (n: number) => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < count; n++) {
    const began = performance.now();
    await call(n);
    took.push(performance.now() - began);
  }
  return took;
}
