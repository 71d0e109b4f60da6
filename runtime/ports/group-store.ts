import type { PermitHolder, Waiter } from '../core/decide/permits';

/** The permits of concurrency groups. */
export interface GroupStore {
  /** Acquires a permit unless `limit` are held; true also when the run has one. One write. */
  acquire(group: string, executionId: string, limit: number, now: number): Promise<boolean>;
  /** Releases permits. Repeating it is harmless. */
  release(group: string, executionIds: readonly string[]): Promise<void>;
  holders(group: string): Promise<PermitHolder[]>;
  /** Up to `limit` runs of the group that have not ended, in the order of their starts. */
  waiters(group: string, limit: number): Promise<Waiter[]>;
  /** Which of the runs have ended, and which do not exist. */
  endedOrAbsent(executionIds: readonly string[]): Promise<{ ended: string[]; absent: string[] }>;
  /**
   * Makes runs due now and increments their message count: a release in progress then fails, so that the wake-up is not
   * lost.
   */
  wake(executionIds: readonly string[], now: number): Promise<void>;
}
