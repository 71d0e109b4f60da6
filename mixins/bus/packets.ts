import { timingSafeEqual } from 'node:crypto';
import type { Middleware, ServiceBroker } from 'moleculer';
import { hmac } from '../../lib/crypto';
import { isObject } from '../../lib/json';
import { errorMessage } from '../../lib/errors';

/** A name becomes part of a subject: a blank or a line end in it would let a stranger write commands in our name. */
const NODE_NAME = /^[\w:@-]{1,128}(\.[\w:@-]{1,128}){0,16}$/;
const MAX_ID = 256;

/** Whether a text may be the name of a node, and so be answered. */
export const isNodeName = (value: unknown): value is string => typeof value === 'string' && NODE_NAME.test(value);

type Shape = Readonly<Record<string, (value: unknown) => boolean>>;

const isText = (value: unknown): boolean => typeof value === 'string' && value.length > 0 && value.length <= MAX_ID;
const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const optional = (is: (value: unknown) => boolean) => (value: unknown) => isAbsent(value) || is(value);
const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0;
const isFalse = (value: unknown): boolean => value === false;
const isListOf = (is: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(is);
const isMapOf = (is: (value: unknown) => boolean) => (value: unknown) =>
  isObject(value) && !Object.hasOwn(value, '__proto__') && Object.values(value).every(is);
const isNamed = (value: unknown): boolean => isObject(value) && isText(value.name);

const ROUTED: Shape = {
  id: optional(isText),
  meta: optional(isObject),
  headers: optional(isObject),
  level: optional(isCount),
  parentID: optional(isText),
  requestID: optional(isText),
  // Streams are bounded by nobody, and none of our actions takes or gives one.
  stream: optional(isFalse),
  seq: isAbsent,
};

/** What each kind of packet must look like beside its sender, for Moleculer to make sense of it. */
const SHAPES: Readonly<Record<string, Shape>> = {
  REQ: { ...ROUTED, id: isText, action: isText, timeout: optional(isCount) },
  RES: { ...ROUTED, id: isText, error: optional(isObject) },
  EVENT: { ...ROUTED, event: isText, groups: optional(isListOf(isText)) },
  INFO: {
    instanceID: isText,
    metadata: optional(isObject),
    seq: optional(isCount),
    services: isListOf(
      (service) =>
        isNamed(service) &&
        optional(isMapOf(isNamed))((service as { actions?: unknown }).actions) &&
        optional(isMapOf(isNamed))((service as { events?: unknown }).events),
    ),
  },
};

/** What is wrong with a packet; null when it may be handled. Anybody on the bus may have sent it. */
export function packetFault(kind: string, payload: unknown): string | null {
  if (!isObject(payload)) return 'no object';
  if (!isNodeName(payload.sender)) return 'its sender has no name';
  const wrong = Object.entries(SHAPES[kind] ?? {}).find(([member, is]) => !is(payload[member]));
  return wrong === undefined ? null : `its ${wrong[0]} is malformed`;
}

/** What a node shows to prove that it has the key of the cluster: a MAC of its name and of this life of it. */
const proofOf = (key: Buffer, nodeId: string, instanceId: string): string =>
  hmac(key, `everstep bus node:${nodeId}:${instanceId}`).toString('base64url');

/** A stranger who takes many names must not fill the log. */
const MAX_DOUBTED = 100;

interface Payload {
  sender: string;
  instanceID?: string;
  metadata?: unknown;
  services?: unknown;
  meta?: unknown;
}

interface GuardedPacket {
  readonly type: string;
  readonly payload: Payload;
}

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
export function packetGuard(key: Buffer, onNameTaken: (fault: Error) => void): Middleware {
  let broker: ServiceBroker;
  let started = false;
  const namesake = (): void => {
    const words = `Another process on the bus is named ${broker.nodeID} too; give each a NODE_ID of its own`;
    if (started) broker.logger.error(words);
    else onNameTaken(new Error(words));
  };
  const proven = ({ sender, instanceID, metadata }: Payload): boolean => {
    const shown =
      isObject(metadata) && typeof metadata.proof === 'string' ? Buffer.from(metadata.proof) : Buffer.alloc(0);
    const wanted = Buffer.from(proofOf(key, sender, String(instanceID)));
    return shown.length === wanted.length && timingSafeEqual(shown, wanted);
  };
  const doubted = new Set<string>();
  const disbelieve = (payload: Payload): void => {
    const offered = (payload.services as { name: string }[]).filter(({ name }) => !name.startsWith('$'));
    payload.services = [];
    if (offered.length === 0 || doubted.size >= MAX_DOUBTED || doubted.has(payload.sender)) return;
    doubted.add(payload.sender);
    broker.logger.warn(`${payload.sender} offers actions, but has another PRINCIPAL_KEY than we; it gets no calls`);
  };
  const hooks = {
    name: 'PacketGuard',
    created(made: ServiceBroker) {
      broker = made;
      broker.metadata.proof = proofOf(key, broker.nodeID, broker.instanceID);
    },
    transitPublish: (next: (packet: GuardedPacket) => Promise<unknown>) => (packet: GuardedPacket) => {
      if (packet.type === 'RES') packet.payload.meta = {};
      return next(packet);
    },
    started: async () => void (started = true),
    transitMessageHandler:
      (next: (kind: string, packet: GuardedPacket) => Promise<unknown>) =>
      async (kind: string, packet: GuardedPacket): Promise<unknown> => {
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
  };
  // Moleculer's types name what these hooks return wrongly: the result of the wrapped function, not a function.
  return hooks as unknown as Middleware;
}
