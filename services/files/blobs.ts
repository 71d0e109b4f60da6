/**
 * Contents of files, in the layout of GridFS (mongodb/specifications, gridfs-spec): a document in `files.files`, and its
 * chunks in `files.chunks`. Parts come one by one, maybe by different processes, so each is a chunk, written by itself.
 *
 *  B1  `open` contents are not yet known to stay: on their way in (`pending`), about to be
 *      replaced (`pending` again), or on their way out (`doomed`). A sweep finds them, and only them.
 *  B2  What is `doomed` never comes back, and its document goes after its chunks: who dies in between is followed.
 *  B3  `since` changes with every change of state made by a writer, so a sweep that decides by what it has seen a while
 *      ago changes nothing.
 */
import { DURABLE } from '../../lib/write-concern';
import { createHash } from 'node:crypto';
import type { Binary, Collection, Db, ObjectId } from 'mongodb';
import { AppError } from '../../lib/errors';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { PART_BYTES, partsOf } from '../../contracts/files';

interface Metadata {
  tenant_id: string;
  execution_id: string;
  workflow_id: string;
  content_type: string;
  state: 'pending' | 'kept' | 'doomed';
  open: boolean;
  since: Date;
  /** Bytes that count against the tenant's storage until the upload is committed or given up. */
  reserved: number;
  /** Null until all of it is there. */
  sha256: string | null;
}

/** A document of `files.files`. */
export interface BlobDocument {
  _id: string;
  length: number;
  chunkSize: number;
  uploadDate: Date;
  filename: string;
  metadata: Metadata;
}

interface ChunkDocument {
  _id: ObjectId;
  files_id: string;
  n: number;
  data: Buffer | Binary;
}

/** What a content is begun with. */
export interface NewBlob {
  readonly id: string;
  readonly tenantId: string;
  readonly executionId: string;
  readonly workflowId: string;
  readonly path: string;
  readonly size: number;
  readonly contentType: string;
  /** See Metadata. */
  readonly reserved: number;
}

const DOOMED = { 'metadata.state': 'doomed', 'metadata.open': true, 'metadata.reserved': 0 } as const;
const KEPT = { 'metadata.state': 'kept', 'metadata.open': false, 'metadata.reserved': 0 } as const;
const UNFINISHED = { 'metadata.open': true, 'metadata.state': 'pending', 'metadata.sha256': null } as const;

export class Blobs {
  readonly #files: Collection<BlobDocument>;
  readonly #chunks: Collection<ChunkDocument>;

  constructor(db: Db) {
    this.#files = db.collection('files.files', DURABLE);
    this.#chunks = db.collection('files.chunks', DURABLE);
  }

  async createIndexes(): Promise<void> {
    await Promise.all([
      // The first of each are the two that GridFS demands, by its names.
      this.#chunks.createIndex({ files_id: 1, n: 1 }, { unique: true }),
      this.#files.createIndexes([
        { key: { filename: 1, uploadDate: 1 } },
        { name: 'open_since', key: { 'metadata.since': 1 }, partialFilterExpression: { 'metadata.open': true } },
        {
          name: 'open_reserved',
          key: { 'metadata.tenant_id': 1, 'metadata.reserved': 1 },
          partialFilterExpression: { 'metadata.open': true },
        },
      ]),
    ]);
  }

  /** The tenant's content of an id; null for another's as for none. */
  get(tenantId: string, id: string): Promise<BlobDocument | null> {
    return this.#files.findOne({ _id: id, 'metadata.tenant_id': tenantId });
  }

  /** How many uploads of the tenant are unfinished. */
  countUnfinished(tenantId: string): Promise<number> {
    return this.#files.countDocuments({ 'metadata.tenant_id': tenantId, ...UNFINISHED });
  }

  /** Unfinished uploads to a path of a run. */
  unfinishedAt(tenantId: string, executionId: string, path: string): Promise<BlobDocument[]> {
    const place = { 'metadata.tenant_id': tenantId, 'metadata.execution_id': executionId, filename: path };
    return this.#files.find({ ...place, ...UNFINISHED }).toArray();
  }

  /** Bytes that unfinished uploads of the tenant have reserved. */
  async reserved(tenantId: string): Promise<number> {
    const [sum] = await this.#files
      .aggregate<{ bytes: number }>([
        { $match: { 'metadata.tenant_id': tenantId, 'metadata.open': true } },
        { $group: { _id: null, bytes: { $sum: '$metadata.reserved' } } },
      ])
      .toArray();
    return sum?.bytes ?? 0;
  }

  /** Beginning again what the tenant has begun changes nothing. @throws AppError conflict */
  async begin(blob: NewBlob, now: Date): Promise<void> {
    const { id, tenantId, executionId, workflowId, path, size, contentType, reserved } = blob;
    const document: BlobDocument = {
      _id: id,
      length: size,
      chunkSize: PART_BYTES,
      uploadDate: now,
      filename: path,
      metadata: {
        tenant_id: tenantId,
        execution_id: executionId,
        workflow_id: workflowId,
        content_type: contentType,
        state: 'pending',
        open: true,
        since: now,
        reserved,
        sha256: null,
      },
    };
    try {
      await this.#files.insertOne(document);
    } catch (fault) {
      if (!isDuplicateKey(fault)) throw fault;
      if ((await this.get(tenantId, id)) === null) throw new AppError('conflict', 'A content of this id was begun');
    }
  }

  /** Stores a part of what is coming in. @throws AppError conflict, invalid_request */
  async put(tenantId: string, id: string, n: number, data: Buffer): Promise<void> {
    const blob = await this.#comingIn(tenantId, id);
    if (n >= partsOf(blob.length) || data.length !== lengthOfPart(blob.length, n))
      throw new AppError('invalid_request', `Part ${n} of ${id} has ${data.length} bytes`);
    await this.#chunks.updateOne({ files_id: id, n }, { $set: { data } }, { upsert: true });
    try {
      await this.#comingIn(tenantId, id);
    } catch (fault) {
      // The upload was abandoned in the meantime, and no sweep finds this part.
      await this.#chunks.deleteOne({ files_id: id, n });
      throw fault;
    }
  }

  /** The digest of what has come in. @throws AppError conflict where a part is missing */
  async digest({ _id, length }: BlobDocument): Promise<string> {
    const hash = createHash('sha256');
    for (let n = 0; n < partsOf(length); n++) {
      const part = await this.read(_id, n);
      if (part?.length !== lengthOfPart(length, n)) throw new AppError('conflict', `Part ${n} of ${_id} has not come`);
      hash.update(part);
    }
    return hash.digest('hex');
  }

  /** The bytes of a part; null when there is none. */
  async read(id: string, n: number): Promise<Buffer | null> {
    const chunk = await this.#chunks.findOne({ files_id: id, n });
    if (chunk === null) return null;
    return Buffer.isBuffer(chunk.data) ? chunk.data : Buffer.from(chunk.data.buffer).subarray(0, chunk.data.position);
  }

  /** All of it is there; it still is not kept. False when it was given up. */
  seal(id: string, sha256: string, now: Date): Promise<boolean> {
    return this.#change(id, ['pending'], { 'metadata.sha256': sha256, 'metadata.since': now });
  }

  /** A file holds it. */
  keep(id: string, since?: Date): Promise<boolean> {
    return this.#change(id, ['pending'], KEPT, since);
  }

  /** Their files are about to let go of them. */
  async release(ids: readonly string[], now: Date): Promise<void> {
    await this.#files.updateMany(
      { _id: { $in: [...ids] }, 'metadata.state': { $in: ['kept', 'pending'] } },
      { $set: { 'metadata.state': 'pending', 'metadata.open': true, 'metadata.since': now } },
    );
  }

  /** Removes contents that no file holds any more. */
  async remove(ids: readonly string[]): Promise<void> {
    await this.#files.updateMany({ _id: { $in: [...ids] } }, { $set: DOOMED });
    await this.clear(ids);
  }

  /** As `remove`, but only where nothing has happened since; false when it has. */
  doom(id: string, since: Date): Promise<boolean> {
    return this.#change(id, ['pending'], DOOMED, since);
  }

  /** Marks an unfinished upload for deletion. Returns false if the upload is complete. */
  async giveUp(id: string): Promise<boolean> {
    const unsealed = { _id: id, 'metadata.state': 'pending', 'metadata.sha256': null } as const;
    return (await this.#files.updateOne(unsealed, { $set: DOOMED })).matchedCount === 1;
  }

  /** What is left of doomed contents. */
  async clear(ids: readonly string[]): Promise<void> {
    await this.#chunks.deleteMany({ files_id: { $in: [...ids] } });
    await this.#files.deleteMany({ _id: { $in: [...ids] }, 'metadata.state': 'doomed' });
  }

  /** Contents that have been open since before an instant, the oldest first. */
  open(before: Date, limit: number): Promise<BlobDocument[]> {
    return this.#files
      .find({ 'metadata.open': true, 'metadata.since': { $lt: before } })
      .sort({ 'metadata.since': 1 })
      .limit(limit)
      .toArray();
  }

  async #comingIn(tenantId: string, id: string): Promise<BlobDocument> {
    const blob = await this.get(tenantId, id);
    if (blob?.metadata.state === 'pending' && blob.metadata.sha256 === null) return blob;
    throw new AppError('conflict', `The content ${id} was not begun, or takes no more parts`);
  }

  async #change(id: string, from: readonly Metadata['state'][], $set: object, since?: Date): Promise<boolean> {
    const filter = { _id: id, 'metadata.state': { $in: [...from] } };
    const seen = since === undefined ? {} : { 'metadata.since': since };
    return (await this.#files.updateOne({ ...filter, ...seen }, { $set })).matchedCount === 1;
  }
}

const lengthOfPart = (size: number, n: number): number => Math.max(0, Math.min(PART_BYTES, size - n * PART_BYTES));
