import type { Admitted, Reach, StartRate } from '../core/decide/throttle';

/** The starts that a window remembers, the oldest first, and whether runs wait for one. */
export interface StartWindow {
  readonly starts: readonly Admitted[];
  readonly queued: boolean;
  /** Of a window that several rates share; absent: the rate of the run that is admitted. */
  readonly reach?: Reach;
  /** Changes with each write; null: the window is not stored. */
  readonly revision: string | null;
}

/** A run that waits for a start; `wakeAt`: when it is due, null while a host has it. */
export interface WindowWaiter {
  readonly id: string;
  readonly wakeAt: number | null;
  readonly rate: StartRate;
}

/** The windows of throttles and rate limits. */
export interface WindowStore {
  read(window: string): Promise<StartWindow>;
  /**
   * Replaces a window that has not changed since it was read; false when it has. The last start is that of the run that the
   * write admits. `keepMs`: how long its starts count.
   */
  admit(
    window: string,
    before: StartWindow,
    after: Pick<StartWindow, 'starts' | 'queued' | 'reach'>,
    keepMs: number,
  ): Promise<boolean>;
  /** Records that a stored run waits. */
  markQueued(window: string, executionId: string, now: number): Promise<void>;
  /** Up to `limit` runs that have not ended and were not admitted, in the order in which they start. */
  waiters(window: string, limit: number): Promise<WindowWaiter[]>;
  /** Records in the run's own document that it was admitted. */
  pass(executionId: string): Promise<void>;
  /** Makes a waiting run due at a time, if it is not due before. */
  wakeAt(executionId: string, at: number): Promise<void>;
}
