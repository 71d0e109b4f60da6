import { timingSafeEqual } from 'node:crypto';
import type { Middleware, ServiceBroker } from 'moleculer';
import { hmac } from '../../lib/crypto';
import { errorMessage } from '../../lib/errors';
import { isObject } from '../../lib/json';
import type { Keys } from '../../lib/keys';
import { type BusPacket, middleware } from './hooks';
import { packetFault } from './packets';

/** Nodes show what only the newest key makes, and believe those who show what any of them makes. */
export type BusKeys = Pick<Keys, 'principal' | 'previous'>;

/** What a node shows to prove that it has the key of the cluster: a MAC of its name and of this life of it. */
const proofOf = (key: Buffer, nodeId: string, instanceId: string): string =>
  hmac(key, `everstep bus node:${nodeId}:${instanceId}`).toString('base64url');

/** A stranger who takes many names must not fill the log. */
const MAX_DOUBTED = 100;

/**
 * Stands between the bus and Moleculer:
 *
 * - packets that no node of ours would send are dropped;
 * - only nodes that have the key of the cluster are believed to offer actions. Whoever else says so is a client, and
 *   gets no calls;
 * - answers carry no meta, either way: in it Moleculer would hand the rights of one service to its caller;
 * - two nodes of one name are the operator's fault only while the second one starts. Later it would be a way to end a
 *   running process with one message.
 */
export function packetGuard(keys: BusKeys, onNameTaken: (fault: Error) => void): Middleware {
  let broker: ServiceBroker;
  let started = false;
  const namesake = (): void => {
    const words = `Another process on the bus is named ${broker.nodeID} too; give each a NODE_ID of its own`;
    if (started) broker.logger.error(words);
    else onNameTaken(new Error(words));
  };
  const proven = ({ sender, instanceID, metadata }: BusPacket['payload']): boolean => {
    const shown =
      isObject(metadata) && typeof metadata.proof === 'string' ? Buffer.from(metadata.proof) : Buffer.alloc(0);
    return [keys.principal, ...keys.previous.principal].some((key) => {
      const wanted = Buffer.from(proofOf(key, sender, String(instanceID)));
      return shown.length === wanted.length && timingSafeEqual(shown, wanted);
    });
  };
  const doubted = new Set<string>();
  const disbelieve = (payload: BusPacket['payload']): void => {
    const offered = (payload.services as { name: string }[]).filter(({ name }) => !name.startsWith('$'));
    payload.services = [];
    payload.metadata = {};
    if (offered.length === 0 || doubted.size >= MAX_DOUBTED || doubted.has(payload.sender)) return;
    doubted.add(payload.sender);
    broker.logger.warn(`${payload.sender} offers actions, but has another PRINCIPAL_KEY than we; it gets no calls`);
  };
  return middleware({
    name: 'PacketGuard',
    created(made) {
      broker = made;
      broker.metadata.proof = proofOf(keys.principal, broker.nodeID, broker.instanceID);
    },
    transitPublish: (next) => (packet) => {
      if (packet.type === 'RES') packet.payload.meta = {};
      return next(packet);
    },
    started: async () => void (started = true),
    transitMessageHandler: (next) => async (kind, packet) => {
      const fault = packetFault(kind, packet.payload);
      if (fault !== null) {
        broker.logger.debug(`A ${kind} packet is dropped: ${fault}`);
        return false;
      }
      const { payload } = packet;
      if (kind === 'RES') payload.meta = {};
      if (kind === 'INFO' && !proven(payload)) disbelieve(payload);
      if (payload.sender === broker.nodeID && payload.instanceID !== broker.instanceID) {
        if (kind === 'INFO') namesake();
        // The connection gives us nothing back of our own, so this is one that starts under our name: tell it.
        if (kind === 'DISCOVER' && started) await broker.registry.discoverer.sendLocalNodeInfo(broker.nodeID);
        if (kind === 'INFO' || kind === 'DISCOVER') return false;
      }
      try {
        return await next(kind, packet);
      } catch (error) {
        broker.logger.warn(`A ${kind} packet of ${payload.sender} was not handled: ${errorMessage(error)}`);
        return false;
      }
    },
  });
}
