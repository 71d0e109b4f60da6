import type { Clock } from '../lib/clock';
import { isUnreachable } from '../lib/database';

const MAX_STARTUP_RETRY_MS = 30_000;
const RETRY_INTERVAL_MS = 500;

/**
 * Runs a startup that needs the database. Retries it for 30 s when a database that has answered becomes unreachable, as
 * on a machine that is overloaded while everything loads. Throws any other fault, and that of a database that never
 * answered.
 */
export async function retryStartup<T>(
  begin: (answered: () => void) => Promise<T>,
  clock: Pick<Clock, 'now' | 'after'>,
): Promise<T> {
  const until = clock.now() + MAX_STARTUP_RETRY_MS;
  for (;;) {
    let hasAnswered = false;
    try {
      return await begin(() => {
        hasAnswered = true;
      });
    } catch (fault) {
      if (!hasAnswered || !isUnreachable(fault) || clock.now() > until) throw fault;
      await new Promise<void>((resolve) => clock.after(RETRY_INTERVAL_MS, resolve));
    }
  }
}
