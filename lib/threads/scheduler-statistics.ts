import { readFileSync, readlinkSync } from 'node:fs';

/** Times of a thread, in milliseconds. */
interface ThreadTimes {
  /** On a processor. */
  readonly usedMs: number;
  /** Ready to run, without a processor. */
  readonly waitedMs: number;
}

/** Path of the calling thread's scheduler statistics, for `threadTimes` in another thread; null where the system has none. */
export function ownStatistics(): string | null {
  try {
    // proc(5): the link is PID/task/TID.
    return `/proc/${readlinkSync('/proc/thread-self')}/schedstat`;
  } catch {
    return null;
  }
}

/** Times of a thread of this process; null where they are not known. */
export function threadTimes(statistics: string | null): ThreadTimes | null {
  if (statistics === null) return null;
  try {
    // In nanoseconds, followed by the number of time slices (Documentation/scheduler/sched-stats.rst).
    const [used, waited] = readFileSync(statistics, 'latin1').split(' ', 2).map(Number) as [number, number];
    return { usedMs: used / 1e6, waitedMs: waited / 1e6 };
  } catch {
    return null;
  }
}
