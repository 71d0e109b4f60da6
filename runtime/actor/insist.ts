import type { Clock } from '../../lib/clock';
import { ClaimLost } from './journal';

/** First pause before a store that failed is asked again, and the longest. */
const FIRST_MS = 20;
const LONGEST_MS = 1_000;

/** Asks until there is an answer; null when the asker may not ask any more. @throws ClaimLost */
export async function insist<T>(
  ask: () => Promise<T>,
  asker: { readonly clock: Clock; mayAsk(): boolean; onFault(fault: unknown): void },
): Promise<T | null> {
  for (let pauseMs = FIRST_MS; asker.mayAsk(); pauseMs = Math.min(pauseMs * 3, LONGEST_MS)) {
    try {
      return await ask();
    } catch (fault) {
      if (fault instanceof ClaimLost) throw fault;
      asker.onFault(fault);
      await new Promise<void>((resolve) => asker.clock.after(pauseMs, resolve));
    }
  }
  return null;
}
