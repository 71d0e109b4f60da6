import type { Execution } from '../model';

/** Priorities of runs, the most urgent last. */
export const MIN_PRIORITY = 1;
export const MAX_PRIORITY = 5;
export const DEFAULT_PRIORITY = 3;

/** How much earlier a run seems to have been started for each step of its priority. */
const PRIORITY_STEP_MS = 600_000;

/**
 * The place of a run among those of its tenant that wait for the same thing: the time of its start, moved by its priority. So
 * a run overtakes only those started shortly before it, and each gets its turn in the end.
 */
export const rankOf = (startedAt: number, priority: number): number =>
  startedAt - (priority - DEFAULT_PRIORITY) * PRIORITY_STEP_MS;

/** How much earlier a run seems to have become due. */
export const headStartMs = ({ startedAt, rank }: Pick<Execution, 'startedAt' | 'rank'>): number =>
  rank === undefined ? 0 : startedAt - rank;
