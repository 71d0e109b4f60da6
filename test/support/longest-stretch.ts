import { setTimeout as sleep } from 'node:timers/promises';
import { threadTimes } from '../../lib/threads/scheduler-statistics';

const SETTLE_MS = 20;

/**
 * The longest time in milliseconds that some work blocked the main thread. Measured in
 * time on a processor where the system tells it (Linux), so that other processes of the machine do not show.
 */
export async function longestStretchMs(work: () => unknown): Promise<number> {
  let longest = 0;
  let isOn = true;
  let last = threadMs();
  const tick = (): void => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (isOn) setImmediate(tick);
  };
  setImmediate(tick);
  // Work that was started before, such as garbage collection, does not count.
  await sleep(SETTLE_MS);
  longest = 0;
  try {
    await work();
    await sleep(1);
  } finally {
    isOn = false;
  }
  return longest;
}

/** Processor time of the calling thread; wall-clock time where the system does not tell it. */
const threadMs = (): number => threadTimes('/proc/thread-self/schedstat')?.usedMs ?? performance.now();
