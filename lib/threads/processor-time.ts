import { readFileSync, readlinkSync } from 'node:fs';

/** Path of the calling thread's scheduler statistics, for `processorMs` in another thread; null where the system has none. */
export function ownStatistics(): string | null {
  try {
    // proc(5): the link is PID/task/TID.
    return `/proc/${readlinkSync('/proc/thread-self')}/schedstat`;
  } catch {
    return null;
  }
}

/** Processor time in milliseconds that a thread of this process has used; null where it is not known. */
export function processorMs(statistics: string | null): number | null {
  if (statistics === null) return null;
  try {
    // Nanoseconds on a processor come first (Documentation/scheduler/sched-stats.rst).
    return Number(readFileSync(statistics, 'latin1').split(' ', 1)[0]) / 1e6;
  } catch {
    return null;
  }
}
