import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';

const LOOK_MS = 5;

/**
 * Answers when the other services of this process have started, or when `given up` says that they never will. A gateway
 * that listened before would answer 503 for their routes, and an EventSource of a browser does not reconnect after
 * that.
 */
export async function localServicesStarted(broker: ServiceBroker, self: string, givenUp: () => boolean): Promise<void> {
  const waiting = new Set(broker.services.map(({ name }) => name));
  waiting.delete(self);
  for (;;) {
    for (const name of waiting) if (broker.registry.hasService(name, broker.nodeID)) waiting.delete(name);
    if (waiting.size === 0 || givenUp()) return;
    await sleep(LOOK_MS);
  }
}
