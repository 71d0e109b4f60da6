import { longestStretchMs } from './longest-stretch';

/** Maximum time in milliseconds that work may block the main thread, on a machine that counts to BUSY in BUSY_MS. */
export const STALL_MS = 50;
const BUSY = 3_000_000;
const BUSY_MS = 4;
const ATTEMPTS = 4;

/**
 * The time that work blocks the main thread, in milliseconds of the reference machine (BUSY_MS): a slower one is allowed
 * more. Takes the shortest of several attempts, because the first ones run code that is not compiled yet.
 */
export async function stallMs(work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && best >= STALL_MS; attempt += 1) {
    const slowness = Math.max(1, (await longestStretchMs(count)) / BUSY_MS);
    best = Math.min(best, (await longestStretchMs(work)) / slowness);
  }
  return best;
}

let sum = 0;

function count(): void {
  for (let n = 0; n < BUSY; n++) sum = (sum + n * 7) % 1_000_003;
}
