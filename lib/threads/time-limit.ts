/** Time in which a thread waits for a processor is not counted up to so many times the limit. */
const MAX_CLOCK_TIMES = 10;

/** How long a job may take. */
export interface TimeLimit {
  readonly ms: number;
  /** Begin of the job, on a monotonic clock. */
  readonly since: number;
  /** For how long its thread had waited for a processor by then; null where that is not known. */
  readonly waitedMs: number | null;
}

/** Milliseconds that the job has left, not above zero when it is over. `waitedMs`: as in the limit, in waits that have ended. */
export function leftMs({ ms, since, waitedMs: before }: TimeLimit, now: number, waitedMs: number | null): number {
  const tookMs = now - since;
  if (tookMs >= ms * MAX_CLOCK_TIMES) return 0;
  return ms - tookMs + (waitedMs === null || before === null ? 0 : waitedMs - before);
}
