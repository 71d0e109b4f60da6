import { randomUUID } from 'node:crypto';
import type { ServiceBroker } from 'moleculer';

/** Sends an event to one node whose services are not registered: integrators cannot sign INFO packets. At most once. */
export function sendEvent(broker: ServiceBroker, nodeId: string, event: string, data: object): void {
  const { transit } = broker;
  if (!transit) return;
  const payload = { id: randomUUID(), event, data, groups: null, broadcast: true, meta: {}, headers: {}, level: 1 };
  transit
    .publish({ type: 'EVENT', target: nodeId, payload })
    .catch((fault: unknown) => broker.logger.debug(`Sending the event ${event} to ${nodeId} failed`, fault));
}
