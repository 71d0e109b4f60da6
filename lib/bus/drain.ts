import { setTimeout as sleep } from 'node:timers/promises';
import type { Middleware } from 'moleculer';
import { middleware } from './hooks';

const POLL_INTERVAL_MS = 10;

/**
 * Before the broker stops, waits for calls that must not be retried on another node. Retryable calls are cut off, and
 * their callers retry elsewhere: waiting for the end of a run could delay the stop by a minute.
 */
export function draining(idempotent: ReadonlySet<string>, graceMs: number): Middleware {
  let pending = 0;
  return middleware({
    name: 'Draining',
    localAction: (next, action) =>
      idempotent.has(action.name)
        ? next
        : (ctx) => {
            pending++;
            return next(ctx).finally(() => pending--);
          },
    async stopping(broker) {
      const until = performance.now() + graceMs;
      while (pending > 0 && performance.now() < until) await sleep(POLL_INTERVAL_MS);
      if (pending > 0) broker.logger.warn(`The stop cuts off ${pending} calls that are still running`);
    },
  });
}
