import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Middleware, ServiceBroker } from 'moleculer';

const LOOK_MS = 10;

/**
 * A broker that stops first ends the calls that others sent it and that may not be repeated elsewhere. The others are
 * cut off, and their callers ask another node: a wait for the end of a run would hold up the stop for a minute.
 */
export function draining(repeatable: ReadonlySet<string>, graceMs: number): Middleware {
  let underWay = 0;
  const hooks = {
    name: 'Draining',
    localAction: (next: (ctx: Context) => Promise<unknown>, action: { name: string }) =>
      repeatable.has(action.name)
        ? next
        : (ctx: Context) => {
            underWay++;
            return next(ctx).finally(() => underWay--);
          },
    async stopping(broker: ServiceBroker): Promise<void> {
      const until = performance.now() + graceMs;
      while (underWay > 0 && performance.now() < until) await sleep(LOOK_MS);
      if (underWay > 0) broker.logger.warn(`${underWay} calls are cut off by the stop`);
    },
  };
  return hooks as unknown as Middleware;
}
