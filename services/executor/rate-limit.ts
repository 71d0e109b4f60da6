import { AppError } from '../../lib/errors';
import { mayStart, nextStart, reachOf, withStart } from '../../runtime/core/decide/throttle';
import type { WindowStore } from '../../runtime/ports/window-store';
import type { KeyedRate } from './flow-control';

/** Tries against other hosts that start runs of the same window. */
const MAX_TRIES = 10;

/**
 * Counts a start, once for each run. @throws AppError start_limited with the seconds after which one more is allowed,
 * unavailable when many hosts compete
 */
export async function countedStart(
  windows: Pick<WindowStore, 'read' | 'admit'>,
  rate: KeyedRate,
  executionId: string,
  now: number,
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const window = await windows.read(rate.window);
    const { starts } = window;
    if (starts.some(({ id }) => id === executionId)) return;
    if (!mayStart(starts, rate, now, [])) throw refused(rate, nextStart(starts, rate, now) - now);
    const isShared = rate.name !== undefined;
    const reach = reachOf([rate, ...(isShared && window.reach !== undefined ? [window.reach] : [])]);
    const after = {
      starts: withStart(starts, reach, { id: executionId, at: now }),
      queued: false,
      ...(isShared ? { reach } : {}),
    };
    if (await windows.admit(rate.window, window, after, reach.periodMs)) return;
  }
  const message = 'Too many starts of this workflow compete for its rate limit. Try again';
  throw new AppError('unavailable', message, { retry_after: 1 });
}

function refused({ limit, periodMs, key }: KeyedRate, waitMs: number): AppError {
  const of = key === '' ? '' : ` with the key "${key}"`;
  const message = `This workflow starts at most ${limit} times in ${periodMs / 1_000} s${of}`;
  return new AppError('start_limited', message, { retry_after: Math.max(1, Math.ceil(waitMs / 1_000)) });
}
