import { readdirSync } from 'node:fs';
import { threadTimes } from '../../lib/threads/scheduler-statistics';

const TASKS = '/proc/self/task';
const LOOK_MS = 50;

/**
 * Samples the threads of this process, except the main one, from now on. The returned function ends that, and returns the
 * longest time in milliseconds that one of them has waited for a processor; 0 where the system has no statistics.
 */
export function watchWaiting(): () => number {
  const before = waitsOfThreads();
  let longest = 0;
  // Repeatedly, because the statistics of a thread end with it.
  const look = (): void => {
    for (const [thread, waitedMs] of waitsOfThreads())
      longest = Math.max(longest, waitedMs - (before.get(thread) ?? 0));
  };
  const timer = setInterval(look, LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}

function waitsOfThreads(): Map<string, number> {
  try {
    // The task of the main thread has the id of the process.
    const threads = readdirSync(TASKS).filter((thread) => thread !== String(process.pid));
    return new Map(threads.map((thread) => [thread, threadTimes(`${TASKS}/${thread}/schedstat`)?.waitedMs ?? 0]));
  } catch {
    return new Map();
  }
}
