import { setTimeout as sleep } from 'node:timers/promises';
import type { Middleware } from 'moleculer';
import { middleware } from './hooks';

const LOOK_MS = 10;

/**
 * A broker that stops first ends the calls that others sent it and that may not be repeated elsewhere. The others are
 * cut off, and their callers ask another node: a wait for the end of a run would hold up the stop for a minute.
 */
export function draining(repeatable: ReadonlySet<string>, graceMs: number): Middleware {
  let underWay = 0;
  return middleware({
    name: 'Draining',
    localAction: (next, action) =>
      repeatable.has(action.name)
        ? next
        : (ctx) => {
            underWay++;
            return next(ctx).finally(() => underWay--);
          },
    async stopping(broker) {
      const until = performance.now() + graceMs;
      while (underWay > 0 && performance.now() < until) await sleep(LOOK_MS);
      if (underWay > 0) broker.logger.warn(`${underWay} calls are cut off by the stop`);
    },
  });
}
