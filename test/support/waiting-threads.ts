import { readdirSync } from 'node:fs';
import { threadTimes } from '../../lib/threads/scheduler-statistics';

const TASKS = '/proc/self/task';
const LOOK_MS = 50;

/**
 * Looks at the threads of this process from now on. The returned function ends that, and returns for how long one of them
 * has waited for a processor, at most, in milliseconds; 0 where the system does not tell.
 */
export function watchWaiting(): () => number {
  const before = waitsOfThreads();
  let longest = 0;
  // A thread that has ended tells nothing.
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
    const threads = readdirSync(TASKS);
    return new Map(threads.map((thread) => [thread, threadTimes(`${TASKS}/${thread}/schedstat`)?.waitedMs ?? 0]));
  } catch {
    return new Map();
  }
}
