import type { Errand, Execution } from './port';

/** An ended run, because of which something is still to be done. */
export interface Outbox {
  readonly id: string;
  readonly outbox: readonly Errand[];
}

/** What follows from ends. */
export interface OutboxStore {
  /** Up to `limit` outboxes of runs that ended before an instant, the first to end first; empty ones left out. */
  outboxes(before: number, limit: number): Promise<Outbox[]>;
  /** All that was to be done is done. */
  settle(executionId: string): Promise<void>;
}

/** A run that has its place in a group. */
export interface Holder {
  readonly id: string;
  /** When it took the place, in epoch milliseconds. */
  readonly at: number;
}

/** An unended run of a group. */
export type Member = Pick<Execution, 'id' | 'startedAt'>;

/** Which runs of a group go on. */
export interface GroupStore {
  /** Takes a place unless `limit` are taken; true also when the run has one already. One write. */
  enter(group: string, executionId: string, limit: number, now: number): Promise<boolean>;
  /** Gives places back. Repeating it is harmless. */
  leave(group: string, executionIds: readonly string[]): Promise<void>;
  holders(group: string): Promise<Holder[]>;
  /** Up to `limit` runs of the group that have not ended, in the order of their starts. */
  members(group: string, limit: number): Promise<Member[]>;
  /** Which of the runs have ended, and which are not there at all. */
  gone(executionIds: readonly string[]): Promise<{ ended: string[]; absent: string[] }>;
  /**
   * Makes runs due now, and counts as a message: one that is just being given up until later is not, or it would miss
   * the call.
   */
  wake(executionIds: readonly string[], now: number): Promise<void>;
}
