import type { Middleware, ServiceBroker } from 'moleculer';
import { errorMessage } from '../errors';
import type { Keys } from '../keys';
import { type BusPacket, middleware } from './hooks';
import { nodeOf, sendInfoTo } from './internals';
import { PacketAuth } from './packet-auth';
import { packetFault } from './packets';

/** Packets are signed with the newest key and accepted with any of them. */
export type BusKeys = Pick<Keys, 'principal' | 'previous'>;

/** Packet types that nodes sign. Calls carry a signed principal instead. */
const SIGNED: ReadonlySet<string> = new Set(['INFO', 'EVENT', 'DISCONNECT']);

/** Bounds the log when one client uses many node ids. */
const MAX_LOGGED_SENDERS = 100;

/** Whether a node with a signed INFO packet is known: unsigned packets must not change its entry. */
const hasSignedActions = (broker: ServiceBroker, nodeId: string): boolean => {
  const node = nodeId === broker.nodeID ? undefined : nodeOf(broker, nodeId);
  return node?.available === true && node.services.some(({ name }) => !String(name).startsWith('$'));
};

/**
 * Validates packets before Moleculer handles them:
 *
 * - malformed packets are dropped;
 * - only nodes with the cluster key may offer actions. Any other sender is treated as a client: it gets no calls and
 *   cannot change an authenticated node's entry;
 * - events and DISCONNECT packets are accepted from authenticated nodes only;
 * - `meta` is removed from responses in both directions: Moleculer would merge a service's rights into its caller's
 *   context;
 * - a duplicate node id is fatal only while the second process starts. Later it would let one message end a running
 *   process.
 */
export function validatePackets(keys: BusKeys, onDuplicateNode: (fault: Error) => void): Middleware {
  let broker: ServiceBroker;
  let started = false;
  const onDuplicateNodeId = (): void => {
    const message = `Another process on the bus uses the node id ${broker.nodeID}; give each process its own NODE_ID`;
    if (started) broker.logger.error(message);
    else onDuplicateNode(new Error(message));
  };
  const auth = new PacketAuth(
    [keys.principal, ...keys.previous.principal],
    () => ({ nodeId: broker.nodeID, instanceId: broker.instanceID }),
    Date.now,
  );
  const loggedSenders = new Set<string>();
  const removeServices = (payload: BusPacket['payload']): void => {
    const offered = (payload.services as { name: string }[]).filter(({ name }) => !name.startsWith('$'));
    // No instance id, so that the first signed INFO of this node id is accepted whatever id was given here.
    Object.assign(payload, { services: [], metadata: {}, instanceID: '' });
    if (offered.length === 0 || loggedSenders.size >= MAX_LOGGED_SENDERS || loggedSenders.has(payload.sender)) return;
    loggedSenders.add(payload.sender);
    broker.logger.warn(
      `Node ${payload.sender} offers actions, but is signed with another PRINCIPAL_KEY; it gets no calls`,
    );
  };
  return middleware({
    name: 'PacketValidation',
    created(made) {
      broker = made;
    },
    transitPublish: (next) => (packet) => {
      if (packet.type === 'RES') packet.payload.meta = {};
      if (SIGNED.has(packet.type)) auth.sign(packet);
      return next(packet);
    },
    started: async () => void (started = true),
    transitMessageHandler: (next) => async (kind, packet) => {
      const fault = packetFault(kind, packet.payload);
      if (fault !== null) {
        broker.logger.debug(`Dropped a ${kind} packet: ${fault}`);
        return false;
      }
      const { payload } = packet;
      if (kind === 'RES') payload.meta = {};
      if (SIGNED.has(kind) && !auth.accepts(kind, payload)) {
        if (kind !== 'INFO' || hasSignedActions(broker, payload.sender)) {
          broker.logger.debug(
            `Dropped a ${kind} packet of ${payload.sender}: no valid signature for this node and time`,
          );
          return false;
        }
        if (payload.sender !== broker.nodeID) removeServices(payload);
      }
      if (payload.sender === broker.nodeID && payload.instanceID !== broker.instanceID) {
        if (kind === 'INFO') onDuplicateNodeId();
        // The connection echoes nothing, so another process starts under this node id: send it our INFO.
        if (kind === 'DISCOVER' && started) await sendInfoTo(broker, broker.nodeID);
        if (kind === 'INFO' || kind === 'DISCOVER') return false;
      }
      try {
        return await next(kind, packet);
      } catch (error) {
        broker.logger.warn(`Handling a ${kind} packet of ${payload.sender} failed: ${errorMessage(error)}`);
        return false;
      }
    },
  });
}
