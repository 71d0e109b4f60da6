import type { PermitHolder, Waiter } from '../core/decide/permits';

/**
 * Whether runs of a group wait for a permit: false, or which run was the last to begin to wait, and when. Null: unknown,
 * as versions without this field have written the group.
 */
export type Queued = string | false | null;

/** The permits of a group, and whether runs wait for one. */
export interface GroupState {
  readonly holders: readonly PermitHolder[];
  readonly queued: Queued;
}

/** Of some permit holders, those that may be gone. */
export interface GoneHolders {
  /** Ids of runs that have ended. */
  readonly ended: readonly string[];
  /** Ids of runs that are not stored. */
  readonly absent: readonly string[];
  /** Ids of hosts that act no more. */
  readonly deadHosts: readonly string[];
}

/** The permits of concurrency groups. Each method that writes is one write to the group. */
export interface GroupStore {
  /**
   * Acquires a permit for a run that `host` is about to store, unless `limit` are held, the run has one, or a run
   * waits.
   */
  acquireUnlessQueued(
    group: string,
    holder: { readonly id: string; readonly host: string },
    limit: number,
    now: number,
  ): Promise<boolean>;
  /** Acquires a permit for a stored run unless `limit` are held; true also when the run has one. */
  acquire(group: string, executionId: string, limit: number, now: number): Promise<boolean>;
  /**
   * Releases the only permit of a group in which no run waits. True when the group has no permits then; false, with
   * nothing changed, otherwise.
   */
  releaseOnly(group: string, executionId: string): Promise<boolean>;
  /** Releases permits; returns what is left. Repeating it is harmless. */
  release(group: string, executionIds: readonly string[]): Promise<GroupState>;
  /** Records that a stored run waits. */
  markQueued(group: string, executionId: string, now: number): Promise<void>;
  /** Records that no run waits, unless one has begun to since `queued` was read. Removes a group without permits. */
  clearQueued(group: string, queued: Queued): Promise<void>;
  holders(group: string): Promise<PermitHolder[]>;
  /** Up to `limit` runs of the group that have not ended, in the order of their starts. */
  waiters(group: string, limit: number): Promise<Waiter[]>;
  /** Hosts are read before runs: what a host that is dead then has not stored, it will not execute. */
  gone(holders: readonly PermitHolder[]): Promise<GoneHolders>;
  /**
   * Makes runs due now and increments their message count: a release in progress then fails, so that the wake-up is not
   * lost.
   */
  wake(executionIds: readonly string[], now: number): Promise<void>;
}
