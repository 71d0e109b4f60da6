import type { Connection } from 'mongoose';
import { randomId } from '../ids';

/** MongoDB limits documents to 16 MiB. */
const CHUNK_BYTES = 8 * 1024 ** 2;
const MAX_CHUNKS = 8;
/** Stored messages that were not fetched expire after this time. */
const TTL_SECONDS = 600;

interface StoredChunk {
  _id: string;
  at: Date;
  bytes: Uint8Array;
}

/** Identifies a stored message. The id is random, so knowing it grants access. */
export interface OffloadedMessage {
  readonly id: string;
  readonly pieces: number;
}

/** Maximum size of a stored message. */
export const MAX_OFFLOADED_BYTES = CHUNK_BYTES * MAX_CHUNKS;

/** Stores messages that are too large for NATS in a shared collection. Each is read once, then removed. */
export class OffloadStore {
  readonly #chunks;

  constructor(db: Connection) {
    this.#chunks = db.collection<StoredChunk>('parcels');
  }

  async open(): Promise<void> {
    await this.#chunks.createIndex({ at: 1 }, { expireAfterSeconds: TTL_SECONDS });
  }

  async put(content: Buffer): Promise<OffloadedMessage> {
    const message = { id: randomId(), pieces: Math.ceil(content.length / CHUNK_BYTES) };
    const at = new Date();
    const parts = chunkIds(message).map((_id, n) => {
      return { _id, at, bytes: content.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES) };
    });
    // One insert per chunk: a single command could exceed 48 MiB. A message lost in a failover is retried or fails.
    for (const part of parts) await this.#chunks.insertOne(part, { writeConcern: { w: 1, j: false } });
    return message;
  }

  /** Null when the message or one of its chunks is missing. */
  async fetch(message: OffloadedMessage): Promise<Buffer | null> {
    const ids = chunkIds(message);
    const found = await this.#chunks.find({ _id: { $in: ids } }, { promoteBuffers: true }).toArray();
    const byId = new Map(found.map((piece) => [piece._id, piece.bytes]));
    const parts = ids.map((id) => byId.get(id));
    return parts.every((part) => part !== undefined) ? Buffer.concat(parts) : null;
  }

  async remove(message: OffloadedMessage): Promise<void> {
    await this.#chunks.deleteMany({ _id: { $in: chunkIds(message) } }, { writeConcern: { w: 1, j: false } });
  }
}

/** Validates a reference received from the bus; null when it is invalid. */
export function parseOffloaded(id: unknown, pieces: unknown): OffloadedMessage | null {
  const isId = typeof id === 'string' && /^[\da-f-]{36}$/.test(id);
  const isCount = typeof pieces === 'number' && Number.isInteger(pieces) && pieces > 0 && pieces <= MAX_CHUNKS;
  return isId && isCount ? { id, pieces } : null;
}

const chunkIds = ({ id, pieces }: OffloadedMessage): string[] => Array.from({ length: pieces }, (_, n) => `${id}:${n}`);
