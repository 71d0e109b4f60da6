import type { Execution, OutMail } from './port';

/** An ended run that has still something to tell. */
export interface Sender {
  readonly id: string;
  readonly outbox: readonly OutMail[];
}

/** What runs tell each other at their ends. */
export interface OutboxStore {
  /** Up to `limit` runs that ended before an instant and have still something to tell, the first to end first. */
  senders(before: number, limit: number): Promise<Sender[]>;
  /** All that the run had to tell is stored where it belongs. */
  sent(executionId: string): Promise<void>;
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
  /** Makes runs due now that nobody owns. */
  wake(executionIds: readonly string[], now: number): Promise<void>;
}
