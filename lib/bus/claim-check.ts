import type { Middleware, ServiceBroker } from 'moleculer';
import { AppError, errorMessage } from '../errors';
import { isObject } from '../json';
import { type BusPacket, middleware } from './hooks';
import { nodeOf } from './internals';
import { isNodeName } from './packets';
import { MAX_OFFLOADED_BYTES, type OffloadedMessage, parseOffloaded, type OffloadStore } from './offload-store';

/** Sent in place of a message that is too large for NATS; names the stored content (claim-check pattern). */
interface MessageReference {
  readonly message: OffloadedMessage;
  readonly sender: string;
  /** Id of the request, also in the reference to its response. */
  readonly id: string;
}

/** The first bytes of a reference. No Moleculer message begins with it, because user data is nested deeper. */
const PREFIX = Buffer.from('{"parcel":');

/** Parses a reference. Null: another kind of message. `undefined`: a malformed reference. */
export function readReference(data: Buffer): MessageReference | null | undefined {
  if (data.length < PREFIX.length || data.compare(PREFIX, 0, PREFIX.length, 0, PREFIX.length) !== 0) return null;
  try {
    const given: unknown = JSON.parse(data.toString());
    if (!isObject(given) || !isNodeName(given.sender) || typeof given.id !== 'string') return undefined;
    const message = parseOffloaded(given.parcel, given.pieces);
    return message === null ? undefined : { message, sender: given.sender, id: given.id };
  } catch {
    return undefined;
  }
}

const writeReference = ({ message, sender, id }: MessageReference): Buffer =>
  Buffer.from(JSON.stringify({ parcel: message.id, pieces: message.pieces, sender, id }));

/** Announced in each node's metadata: only nodes that have it can read a reference. */
export const OFFLOAD_METADATA = { parcels: 1 } as const;

/**
 * Stores requests and responses larger than `limit()` bytes in the database and sends a reference instead. Works on
 * serialized messages: small ones cost one comparison, and large ones are not serialized twice.
 */
export function claimCheck(store: OffloadStore, limit: () => number): Middleware {
  let broker: ServiceBroker;
  const offload = {
    async send(data: Buffer, { type, target, payload }: BusPacket): Promise<Buffer> {
      const size = `${Math.ceil(data.length / 1024)} KiB`;
      if (type !== 'REQ' && type !== 'RES')
        throw new AppError('payload_too_large', `A ${type} packet of ${size} is too large for the bus`);
      const metadata: unknown = target === null || target === undefined ? null : nodeOf(broker, target)?.metadata;
      if (data.length > MAX_OFFLOADED_BYTES || !isObject(metadata) || metadata.parcels !== OFFLOAD_METADATA.parcels)
        throw new AppError('payload_too_large', `The message of ${size} is too large for the bus`);
      const message = await store.put(data).catch((cause: unknown) => {
        throw new AppError(
          'unavailable',
          'A message too large for the bus cannot be stored now; try again',
          { retry_after: 1 },
          { cause },
        );
      });
      return writeReference({ message, sender: broker.nodeID, id: String(payload.id) });
    },
    /** @throws AppError when the content cannot be read */
    async fetch({ message }: MessageReference): Promise<Buffer> {
      const content = await store.fetch(message).catch((cause: unknown) => {
        throw new AppError(
          'unavailable',
          'A message too large for the bus cannot be read now; try again',
          { retry_after: 1 },
          { cause },
        );
      });
      if (content === null)
        throw new AppError('unavailable', 'The stored content of a large message has expired; try again');
      store
        .remove(message)
        .catch((fault: unknown) =>
          broker.logger.debug(`An offloaded message was not removed; it expires later: ${errorMessage(fault)}`),
        );
      return content;
    },
    /** An error response in the format of Moleculer. */
    failure(id: string, sender: string, error: unknown): Buffer {
      const plain = broker.errorRegenerator?.extractPlainError(error as Error);
      return Buffer.from(
        JSON.stringify({
          id,
          meta: {},
          success: false,
          data: null,
          error: plain,
          ver: broker.PROTOCOL_VERSION,
          sender,
        }),
      );
    },
  };
  return middleware({
    name: 'ClaimCheck',
    created: (made) => void (broker = made),
    starting: () => store.open(),
    transporterSend: (next) => async (topic, data, meta) => {
      if (data.length <= limit()) return next(topic, data, meta);
      try {
        return await next(topic, await offload.send(data, meta.packet), meta);
      } catch (error) {
        // Without this error response the caller would wait until its timeout.
        if (meta.packet.type !== 'RES') throw error;
        return next(topic, offload.failure(String(meta.packet.payload.id), broker.nodeID, error), meta);
      }
    },
    transporterReceive:
      (next) =>
      (kind, data, ...rest) => {
        const reference = readReference(data);
        if (reference === null) return next(kind, data, ...rest);
        if (reference === undefined || (kind !== 'REQ' && kind !== 'RES')) {
          broker.logger.debug(`Dropped a malformed reference to a large message (${kind})`);
          return undefined;
        }
        return offload.fetch(reference).then(
          (content) => next(kind, content, ...rest),
          (error: Error) =>
            kind === 'RES'
              ? next(kind, offload.failure(reference.id, reference.sender, error), ...rest)
              : broker.transit?.sendResponse(reference.sender, reference.id, {}, {}, {}, error),
        );
      },
  });
}
