import type { Clock } from '../lib/clock';
import { isUnreachable } from '../mixins/database';

const PATIENCE_MS = 30_000;
const AGAIN_MS = 500;

/**
 * Begins something that needs the database, and begins it anew where the way to one that has answered is cut: on a
 * machine that is short of time while everything loads, a start would else end in a process that dies. Any other fault
 * is thrown, and so is that of a database that never answered, or does not for half a minute.
 */
export async function beginPatiently<T>(
  begin: (answered: () => void) => Promise<T>,
  clock: Pick<Clock, 'now' | 'after'>,
): Promise<T> {
  const until = clock.now() + PATIENCE_MS;
  for (;;) {
    let hasAnswered = false;
    try {
      return await begin(() => {
        hasAnswered = true;
      });
    } catch (fault) {
      if (!hasAnswered || !isUnreachable(fault) || clock.now() > until) throw fault;
      await new Promise<void>((resolve) => clock.after(AGAIN_MS, resolve));
    }
  }
}
