/**
 * Contents of files, in the layout of GridFS (mongodb/specifications, gridfs-spec): a document in `files.files`, and its
 * chunks in `files.chunks`. Parts arrive one by one, possibly at different processes, so each part is written as one chunk.
 *
 *  B1  An `open` content is being uploaded or replaced (`pending`), or deleted (`doomed`). The sweep reads only open
 *      contents.
 *  B2  `doomed` is final. Chunks are deleted before their document, so that the sweep can resume after a crash.
 *  B3  Writers change `since` with every state, so that the sweep does not act on an outdated state.
 */
import { DURABLE } from '../../lib/write-concern';
import { createHash } from 'node:crypto';
import type { Binary, Collection, Db, ObjectId } from 'mongodb';
import { AppError } from '../../lib/errors';
import { nullOnDuplicate } from '../../lib/duplicate-key';
import { PART_BYTES, partsOf } from '../../contracts/files';

interface Metadata {
  tenant_id: string;
  execution_id: string;
  workflow_id: string;
  content_type: string;
  state: 'pending' | 'kept' | 'doomed';
  open: boolean;
  since: Date;
  /** Bytes that count against the tenant's storage until the upload is committed or abandoned. */
  reserved: number;
  /** Null until the upload is complete. */
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

/** A new upload. */
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
      // The first of each are required by the GridFS specification.
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

  /** A content of the tenant; null for an unknown id and for other tenants' contents. */
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

  /** Bytes reserved by unfinished uploads of the tenant. */
  async reserved(tenantId: string): Promise<number> {
    const [sum] = await this.#files
      .aggregate<{ bytes: number }>([
        { $match: { 'metadata.tenant_id': tenantId, 'metadata.open': true } },
        { $group: { _id: null, bytes: { $sum: '$metadata.reserved' } } },
      ])
      .toArray();
    return sum?.bytes ?? 0;
  }

  /** Idempotent. @throws AppError conflict */
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
    if ((await nullOnDuplicate(this.#files.insertOne(document))) === null && (await this.get(tenantId, id)) === null)
      throw new AppError('conflict', `There is already an upload ${id}`);
  }

  /** Stores a part of an upload. @throws AppError conflict, invalid_request */
  async put(tenantId: string, id: string, n: number, data: Buffer): Promise<void> {
    const blob = await this.#unfinished(tenantId, id);
    if (n >= partsOf(blob.length) || data.length !== lengthOfPart(blob.length, n))
      throw new AppError('invalid_request', `Part ${n} of ${id} has an unexpected length of ${data.length} bytes`);
    await this.#chunks.updateOne({ files_id: id, n }, { $set: { data } }, { upsert: true });
    try {
      await this.#unfinished(tenantId, id);
    } catch (fault) {
      // The upload was abandoned in the meantime, and no sweep finds this part.
      await this.#chunks.deleteOne({ files_id: id, n });
      throw fault;
    }
  }

  /** The SHA-256 of a complete upload. @throws AppError conflict when a part is missing */
  async digest({ _id, length }: BlobDocument): Promise<string> {
    const hash = createHash('sha256');
    for (let n = 0; n < partsOf(length); n++) {
      const part = await this.read(_id, n);
      if (part?.length !== lengthOfPart(length, n)) throw new AppError('conflict', `Part ${n} of ${_id} is missing`);
      hash.update(part);
    }
    return hash.digest('hex');
  }

  /** The bytes of a part; null when it does not exist. */
  async read(id: string, n: number): Promise<Buffer | null> {
    const chunk = await this.#chunks.findOne({ files_id: id, n });
    if (chunk === null) return null;
    return Buffer.isBuffer(chunk.data) ? chunk.data : Buffer.from(chunk.data.buffer).subarray(0, chunk.data.position);
  }

  /** Stores the digest of a complete upload, which is not kept yet. False when it was abandoned. */
  seal(id: string, sha256: string, now: Date): Promise<boolean> {
    return this.#change(id, ['pending'], { 'metadata.sha256': sha256, 'metadata.since': now });
  }

  /** Marks a content that a file references. */
  keep(id: string, since?: Date): Promise<boolean> {
    return this.#change(id, ['pending'], KEPT, since);
  }

  /** Marks contents whose files are about to drop them. */
  async release(ids: readonly string[], now: Date): Promise<void> {
    await this.#files.updateMany(
      { _id: { $in: [...ids] }, 'metadata.state': { $in: ['kept', 'pending'] } },
      { $set: { 'metadata.state': 'pending', 'metadata.open': true, 'metadata.since': now } },
    );
  }

  /** Deletes contents that no file references. */
  async remove(ids: readonly string[]): Promise<void> {
    await this.#files.updateMany({ _id: { $in: [...ids] } }, { $set: DOOMED });
    await this.clear(ids);
  }

  /** Marks a content for deletion unless it has changed after `since`; then false. */
  doom(id: string, since: Date): Promise<boolean> {
    return this.#change(id, ['pending'], DOOMED, since);
  }

  /** Marks an unfinished upload for deletion. Returns false if the upload is complete. */
  async abandon(id: string): Promise<boolean> {
    const unsealed = { _id: id, 'metadata.state': 'pending', 'metadata.sha256': null } as const;
    return (await this.#files.updateOne(unsealed, { $set: DOOMED })).matchedCount === 1;
  }

  /** Deletes the chunks and documents of doomed contents. */
  async clear(ids: readonly string[]): Promise<void> {
    await this.#chunks.deleteMany({ files_id: { $in: [...ids] } });
    await this.#files.deleteMany({ _id: { $in: [...ids] }, 'metadata.state': 'doomed' });
  }

  /** Contents that have been open since before a time, oldest first. */
  open(before: Date, limit: number): Promise<BlobDocument[]> {
    return this.#files
      .find({ 'metadata.open': true, 'metadata.since': { $lt: before } })
      .sort({ 'metadata.since': 1 })
      .limit(limit)
      .toArray();
  }

  async #unfinished(tenantId: string, id: string): Promise<BlobDocument> {
    const blob = await this.get(tenantId, id);
    if (blob?.metadata.state === 'pending' && blob.metadata.sha256 === null) return blob;
    throw new AppError('conflict', `The upload ${id} was not begun, is complete, or was abandoned`);
  }

  async #change(id: string, from: readonly Metadata['state'][], $set: object, since?: Date): Promise<boolean> {
    const filter = { _id: id, 'metadata.state': { $in: [...from] } };
    const seen = since === undefined ? {} : { 'metadata.since': since };
    return (await this.#files.updateOne({ ...filter, ...seen }, { $set })).matchedCount === 1;
  }
}

const lengthOfPart = (size: number, n: number): number => Math.max(0, Math.min(PART_BYTES, size - n * PART_BYTES));
