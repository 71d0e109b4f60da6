const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** What may pass is tried again after as long as the source is left alone otherwise, within these bounds. */
const [LEAST_MS, FIRST_MS] = [10 * SECOND_MS, 60 * SECOND_MS];
/** What somebody has to mend is looked at less often. */
const MENDED_MS = 10 * 60 * SECOND_MS;
const JITTER = 0.2;

/** What went wrong with a source. */
export interface Failing {
  /** In a row, this one counted. */
  readonly failures: number;
  /** False: somebody has to mend something. */
  readonly retryable: boolean;
  /** How long the source wants to be left alone. */
  readonly retryAfterMs: number | null;
  readonly everyMs: number;
}

/**
 * How long to leave a source alone that has failed, in milliseconds: twice as long each time, up to an hour, and as long
 * as it wants. `random` is from 0 to 1. Pure.
 */
export function backOffMs({ failures, retryable, retryAfterMs, everyMs }: Failing, random: number): number {
  const first = retryable ? Math.min(FIRST_MS, Math.max(LEAST_MS, everyMs)) : Math.max(MENDED_MS, everyMs);
  const delay = Math.min(Math.max(HOUR_MS, retryable ? 0 : everyMs), first * 2 ** Math.min(failures - 1, 20));
  const varied = delay * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.max(Math.min(varied, Math.max(HOUR_MS, delay)), retryAfterMs ?? 0));
}
