import type { Middleware, ServiceBroker } from 'moleculer';
import { AppError, errorMessage } from '../../lib/errors';
import { isObject } from '../../lib/json';
import { type BusPacket, middleware } from './hooks';
import { isNodeName } from './packets';
import { MAX_PARCEL_BYTES, type Parcel, parcelOf, type ParcelOffice } from './parcels';

/** A message that stands for one too big to be sent: who sent what kind of it, and where it lies. */
interface Slip {
  readonly parcel: Parcel;
  readonly sender: string;
  /** Of the request, also in its answer. */
  readonly id: string;
}

/** How a slip begins. No message of Moleculer does, and what users write stands further inside, so neither is mistaken. */
const MARK = Buffer.from('{"parcel":');

/** The slip that a message is; null for any other message. `undefined`: it says so, but is malformed. */
export function readSlip(data: Buffer): Slip | null | undefined {
  if (data.length < MARK.length || data.compare(MARK, 0, MARK.length, 0, MARK.length) !== 0) return null;
  try {
    const given: unknown = JSON.parse(data.toString());
    if (!isObject(given) || !isNodeName(given.sender) || typeof given.id !== 'string') return undefined;
    const parcel = parcelOf(given.parcel, given.pieces);
    return parcel === null ? undefined : { parcel, sender: given.sender, id: given.id };
  } catch {
    return undefined;
  }
}

const writeSlip = ({ parcel, sender, id }: Slip): Buffer =>
  Buffer.from(JSON.stringify({ parcel: parcel.id, pieces: parcel.pieces, sender, id }));

/** What nodes tell each other in their metadata, so that nobody gets a slip who cannot fetch what it stands for. */
export const PARCELS_METADATA = { parcels: 1 } as const;

/**
 * Requests and answers beyond `limit()` bytes go through the parcel office; a slip goes over the bus. It works on
 * messages as they are sent, so that small ones cost the comparison of two numbers, and big ones are not written twice.
 */
export function parcelPost(office: ParcelOffice, limit: () => number): Middleware {
  let broker: ServiceBroker;
  const post = {
    async send(data: Buffer, { type, target, payload }: BusPacket): Promise<Buffer> {
      const size = `${Math.ceil(data.length / 1024)} KiB`;
      if (type !== 'REQ' && type !== 'RES') throw new AppError('payload_too_large', `A ${type} of ${size} is too big`);
      const metadata: unknown = target === null ? null : broker.registry.nodes.get(target)?.metadata;
      if (data.length > MAX_PARCEL_BYTES || !isObject(metadata) || metadata.parcels !== PARCELS_METADATA.parcels)
        throw new AppError('payload_too_large', `${size} are too many for the bus`);
      const parcel = await office.leave(data).catch((cause: unknown) => {
        throw new AppError(
          'unavailable',
          'What is too big for the bus cannot be stored now',
          { retry_after: 1 },
          { cause },
        );
      });
      return writeSlip({ parcel, sender: broker.nodeID, id: String(payload.id) });
    },
    /** @throws AppError when there is nothing to be had */
    async fetch({ parcel }: Slip): Promise<Buffer> {
      const content = await office.fetch(parcel).catch((cause: unknown) => {
        throw new AppError(
          'unavailable',
          'What is too big for the bus cannot be read now',
          { retry_after: 1 },
          { cause },
        );
      });
      if (content === null) throw new AppError('unavailable', 'What was too big for the bus is not there any more');
      office
        .remove(parcel)
        .catch((fault: unknown) => broker.logger.debug(`A parcel is left to its time: ${errorMessage(fault)}`));
      return content;
    },
    /** An answer that says what went wrong, in the form in which answers travel. */
    failure(id: string, sender: string, error: unknown): Buffer {
      const told = broker.errorRegenerator?.extractPlainError(error as Error);
      return Buffer.from(
        JSON.stringify({ id, meta: {}, success: false, data: null, error: told, ver: broker.PROTOCOL_VERSION, sender }),
      );
    },
  };
  return middleware({
    name: 'ParcelPost',
    created: (made) => void (broker = made),
    starting: () => office.open(),
    transporterSend: (next) => async (topic, data, meta) => {
      if (data.length <= limit()) return next(topic, data, meta);
      try {
        return await next(topic, await post.send(data, meta.packet), meta);
      } catch (error) {
        // Nobody would tell the caller otherwise, and he would wait until his time is over.
        if (meta.packet.type !== 'RES') throw error;
        return next(topic, post.failure(String(meta.packet.payload.id), broker.nodeID, error), meta);
      }
    },
    transporterReceive:
      (next) =>
      (kind, data, ...rest) => {
        const slip = readSlip(data);
        if (slip === null) return next(kind, data, ...rest);
        if (slip === undefined || (kind !== 'REQ' && kind !== 'RES')) {
          broker.logger.debug(`A malformed slip for a parcel is dropped (${kind})`);
          return undefined;
        }
        return post.fetch(slip).then(
          (content) => next(kind, content, ...rest),
          (error: Error) =>
            kind === 'RES'
              ? next(kind, post.failure(slip.id, slip.sender, error), ...rest)
              : broker.transit?.sendResponse(slip.sender, slip.id, {}, {}, {}, error),
        );
      },
  });
}
