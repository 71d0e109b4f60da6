/**
 * Undocumented members of Moleculer that lib/bus uses, each with the defect it works around. Written for 0.15.2; check
 * them when the version changes.
 */
import type { ServiceBroker } from 'moleculer';

/**
 * Whether the bus is connected; null without a bus. Moleculer lets calls wait for their whole timeout when it is not.
 */
export const isConnected = ({ transit }: ServiceBroker): boolean | null => transit?.tx.connected ?? null;

/** The registry's entry for a node. */
export const nodeOf = ({ registry }: ServiceBroker, nodeId: string) => registry.nodes.get(nodeId);

/** Rejects pending calls to a node: Moleculer leaves them pending when a lost connection took the response with it. */
export const failCallsTo = ({ transit }: ServiceBroker, nodeId: string): void =>
  transit?.removePendingRequestByNodeID(nodeId);

/** Rejects pending calls to all other nodes. */
export function failRemoteCalls(broker: ServiceBroker): void {
  for (const { id, local } of broker.registry.nodes.toArray()) if (!local) failCallsTo(broker, id);
}

/** Removes and returns a pending call that NATS reported as undeliverable. */
export function removePendingCall({ transit }: ServiceBroker, id: string) {
  const request = transit?.pendingRequests.get(id);
  if (request !== undefined) transit?.removePendingRequest(id);
  return request;
}

/** Marks a node as disconnected at once; Moleculer would wait for missed heartbeats, in whole seconds. */
export const disconnectNode = ({ registry }: ServiceBroker, nodeId: string): void =>
  registry.discoverer.remoteNodeDisconnected(nodeId, true);

/** Sends this node's INFO packet to one other node. */
export const sendInfoTo = ({ registry }: ServiceBroker, nodeId: string): Promise<void> =>
  registry.discoverer.sendLocalNodeInfo(nodeId);

/** Changes this node's metadata. Without the second step Moleculer keeps sending the INFO packet made at the start. */
export function changeMetadata({ metadata, registry }: ServiceBroker, changes: object): void {
  Object.assign(metadata, changes);
  registry.regenerateLocalRawInfo(true);
}
