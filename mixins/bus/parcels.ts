import type { Connection } from 'mongoose';
import { randomId } from '../../lib/ids';

/** Documents of MongoDB end at 16 MiB. */
const PIECE_BYTES = 8 * 1024 ** 2;
const MAX_PIECES = 8;
/** Whoever has not fetched it by then is gone. */
const KEPT_SECONDS = 600;

interface Piece {
  _id: string;
  at: Date;
  bytes: Uint8Array;
}

/** Where to find what was too big for the bus. The id is random: knowing it is the right to read. */
export interface Parcel {
  readonly id: string;
  readonly pieces: number;
}

/** Largest content of a parcel, in bytes. */
export const MAX_PARCEL_BYTES = PIECE_BYTES * MAX_PIECES;

/** Messages too big for the bus, in a collection that all processes reach; each is read once, then removed. */
export class ParcelOffice {
  readonly #pieces;

  constructor(db: Connection) {
    this.#pieces = db.collection<Piece>('parcels');
  }

  async open(): Promise<void> {
    await this.#pieces.createIndex({ at: 1 }, { expireAfterSeconds: KEPT_SECONDS });
  }

  async leave(content: Buffer): Promise<Parcel> {
    const parcel = { id: randomId(), pieces: Math.ceil(content.length / PIECE_BYTES) };
    const at = new Date();
    const parts = pieceIds(parcel).map((_id, n) => {
      return { _id, at, bytes: content.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES) };
    });
    // One by one: together they would be more than one command may hold. Lost with a primary, it is sent again or fails.
    for (const part of parts) await this.#pieces.insertOne(part, { writeConcern: { w: 1, j: false } });
    return parcel;
  }

  /** Null when there is no such parcel, or not all of it. */
  async fetch(parcel: Parcel): Promise<Buffer | null> {
    const ids = pieceIds(parcel);
    const found = await this.#pieces.find({ _id: { $in: ids } }, { promoteBuffers: true }).toArray();
    const byId = new Map(found.map((piece) => [piece._id, piece.bytes]));
    const parts = ids.map((id) => byId.get(id));
    return parts.every((part) => part !== undefined) ? Buffer.concat(parts) : null;
  }

  async remove(parcel: Parcel): Promise<void> {
    await this.#pieces.deleteMany({ _id: { $in: pieceIds(parcel) } }, { writeConcern: { w: 1, j: false } });
  }
}

/** The parcel that a text of somebody on the bus names; null when it cannot be one. */
export function parcelOf(id: unknown, pieces: unknown): Parcel | null {
  const named = typeof id === 'string' && /^[\da-f-]{36}$/.test(id);
  const counted = typeof pieces === 'number' && Number.isInteger(pieces) && pieces > 0 && pieces <= MAX_PIECES;
  return named && counted ? { id, pieces } : null;
}

const pieceIds = ({ id, pieces }: Parcel): string[] => Array.from({ length: pieces }, (_, n) => `${id}:${n}`);
