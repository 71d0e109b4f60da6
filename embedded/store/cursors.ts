import { randomBytes } from 'node:crypto';
import { ServerError } from '../bson/error';
import { MAX_DOCUMENT_BYTES } from './records';
import type { ResultStream } from './result-stream';
import type { Reader } from './scan';
import type { Task } from './task';

/** An open result: its position and its owner. */
interface Cursor {
  readonly id: bigint;
  readonly namespace: string;
  readonly stream: ResultStream;
  readonly noTimeout: boolean;
  /** A document that exceeded the last batch. */
  held?: Uint8Array;
  lastUsedAt: number;
  inUse: boolean;
}

/** Documents of one reply: at most `limit`, and (after the first) at most the maximum document size in total. */
export class Batch {
  readonly documents: Uint8Array[] = [];
  private size = 0;
  held: Uint8Array | undefined;

  constructor(private readonly limit: number) {}

  /** Adds a document; false when the batch is full. */
  add(bytes: Uint8Array): boolean {
    if (this.documents.length > 0 && this.size + bytes.length > MAX_DOCUMENT_BYTES) {
      this.held = bytes;
      return false;
    }
    this.documents.push(bytes);
    this.size += bytes.length;
    return this.documents.length < this.limit;
  }

  get full(): boolean {
    return this.documents.length >= this.limit;
  }
}

/** Fills a batch from a stream; an excess document stays in `held`. */
export function* fill(reader: Reader, stream: ResultStream, batch: Batch, held?: Uint8Array): Task<void> {
  if (batch.full) {
    batch.held = held;
    return;
  }
  if (held !== undefined && !batch.add(held)) return;
  if (!stream.done) yield* stream.run(reader, (bytes) => batch.add(bytes));
}

/** Open cursors by id. A cursor that is not read for `idleMs` is closed. */
export class CursorTable {
  private readonly cursors = new Map<bigint, Cursor>();

  constructor(private readonly idleMs: number) {}

  get size(): number {
    return this.cursors.size;
  }

  open(
    namespace: string,
    stream: ResultStream,
    noTimeout: boolean,
    held: Uint8Array | undefined,
    nowMs: number,
  ): Cursor {
    const cursor: Cursor = { id: this.newId(), namespace, stream, noTimeout, held, lastUsedAt: nowMs, inUse: false };
    this.cursors.set(cursor.id, cursor);
    return cursor;
  }

  /** @throws ServerError 43 when it is closed or unknown, 20 for another namespace */
  get(id: bigint, namespace: string): Cursor {
    const cursor = this.cursors.get(id);
    if (cursor === undefined) throw new ServerError('CursorNotFound', `cursor id ${id} not found`);
    if (cursor.namespace !== namespace)
      throw new ServerError(
        'Unauthorized',
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    if (cursor.inUse) throw new ServerError(12051, `cursor id ${id} is already in use`);
    return cursor;
  }

  has(id: bigint): boolean {
    return this.cursors.has(id);
  }

  close(id: bigint): boolean {
    return this.cursors.delete(id);
  }

  isReading(namespace: string): boolean {
    return [...this.cursors.values()].some((cursor) => cursor.namespace === namespace);
  }

  /** Closes the cursors of a dropped or renamed collection. */
  closeNamespace(namespace: string): void {
    for (const cursor of this.cursors.values()) if (cursor.namespace === namespace) this.cursors.delete(cursor.id);
  }

  closeIdle(nowMs: number): void {
    for (const cursor of this.cursors.values())
      if (!cursor.noTimeout && !cursor.inUse && nowMs - cursor.lastUsedAt > this.idleMs) this.cursors.delete(cursor.id);
  }

  private newId(): bigint {
    for (;;) {
      const id = randomBytes(8).readBigInt64LE() & 0x7fff_ffff_ffff_ffffn;
      if (id !== 0n && !this.cursors.has(id)) return id;
    }
  }
}
