/**
 * How a content becomes the file at its path. Each step is one write:
 *
 *  W1  The new content is whole and known by its digest before anything points to it.
 *  W2  What it replaces becomes open before the record lets go of it, so that a sweep finds it after a crash.
 *  W3  The record changes in one write, which names the content that it saw: of two who write at once both succeed,
 *      one after the other.
 *  W4  A share is of a content. What takes its place is not shared.
 *  W5  From its beginning on an upload has reserved the bytes by which it will make the workspace grow. The reservation ends
 *      in the write that commits it or gives it up.
 */
import type { Clock } from '../../lib/clock';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError, errorCode } from '../../lib/errors';
import { filePath } from '../../lib/file-path';
import { KeyedMutex } from '../../lib/keyed-mutex';
import { assertMayBeginUpload, type StorageQuota } from '../../lib/storage-quota';
import { ofTenant } from '../../lib/tenant';
import type { BlobDocument, Blobs, NewBlob } from './blobs';
import type { FileView } from '../../contracts/files';
import { type FileModel, type FileRecord, fileId } from './models';
import { fileView } from './views';

/** Of one run. */
const MAX_FILES = 1_000;
const MAX_TRIES = 8;

interface WritingDeps {
  readonly files: FileModel;
  readonly blobs: Blobs;
  readonly quota: StorageQuota;
  readonly clock: Clock;
  /** Mebibytes that the tenant's plan lets him keep; null for any number. */
  readonly limit: (tenantId: string) => Promise<number | null>;
}

export class Writing {
  /** Of a tenant: so that what one file has taken is known to the next. */
  readonly #mutex = new KeyedMutex();

  constructor(private readonly deps: WritingDeps) {}

  /**
   * Begins an upload and reserves room for it; beginning it again changes nothing.
   * @throws AppError quota_exceeded, invalid_request, rate_limited, conflict
   */
  async begin(tenantId: string, given: Omit<NewBlob, 'tenantId' | 'reserved'>): Promise<void> {
    const { blobs, files, quota, clock } = this.deps;
    const { id, executionId, path, size } = given;
    const limit = await this.deps.limit(tenantId);
    await this.#mutex.run(tenantId, async () => {
      if ((await blobs.get(tenantId, id)) !== null) return;
      assertMayBeginUpload(await blobs.countUnfinished(tenantId));
      const before = await ofTenant(files, tenantId).findOne({ _id: fileId(tenantId, executionId, path) });
      const rivals = await blobs.unfinishedAt(tenantId, executionId, path);
      // Only one of those who replace a file has the room that it leaves.
      const growth = Math.max(0, size - (before?.size ?? 0));
      let reserved = rivals.length > 0 ? size : growth;
      try {
        await this.#assertFits(tenantId, executionId, { before, grow: reserved, limit });
      } catch (fault) {
        if (rivals.length === 0 || errorCode(fault) !== 'quota_exceeded') throw fault;
        // Attempts that were lost, or files that this one would replace: their room is its own.
        for (const rival of rivals) await this.#release(tenantId, rival);
        reserved = growth;
        await this.#assertFits(tenantId, executionId, { before, grow: reserved, limit });
      }
      await blobs.begin({ ...given, tenantId, reserved }, new Date(clock.now()));
      quota.grown(tenantId, reserved);
    });
  }

  /** @throws AppError quota_exceeded, conflict where parts are missing or it was given up */
  async commit(tenantId: string, blobId: string): Promise<FileView> {
    const { blobs } = this.deps;
    const blob = await blobs.get(tenantId, blobId);
    if (blob === null || blob.metadata.state === 'doomed') throw gone(blobId);
    // Of a try whose answer was lost.
    if (blob.metadata.state === 'kept') return fileView(recordOf(blob, blob.metadata.sha256 as string));
    const sha256 = await blobs.digest(blob);
    const limit = await this.deps.limit(tenantId);
    return this.#mutex
      .run(tenantId, () => this.#place(tenantId, blob, { wanted: recordOf(blob, sha256), limit }))
      .catch(async (fault) => {
        if (isRefused(fault)) await this.giveUp(tenantId, blobId);
        throw fault;
      });
  }

  /** Releases what an upload has reserved, and removes what has come of it. */
  async giveUp(tenantId: string, blobId: string): Promise<void> {
    await this.#mutex.run(tenantId, async () => {
      const blob = await this.deps.blobs.get(tenantId, blobId);
      if (blob !== null) await this.#release(tenantId, blob);
    });
  }

  async #release(tenantId: string, { _id, metadata }: BlobDocument): Promise<void> {
    const { blobs, quota } = this.deps;
    if (!(await blobs.giveUp(_id))) return;
    quota.grown(tenantId, -reservedOf(metadata));
    await blobs.clear([_id]);
  }

  async #place(
    tenantId: string,
    { metadata }: BlobDocument,
    { wanted, limit }: { wanted: Omit<FileRecord, 'tenant_id'>; limit: number | null },
  ): Promise<FileView> {
    const { blobs, files, quota, clock } = this.deps;
    const own = ofTenant(files, tenantId);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const before = await own.findOne({ _id: wanted._id });
      if (before?.blob_id === wanted.blob_id) {
        await blobs.keep(wanted.blob_id);
        return fileView(before);
      }
      const grow = wanted.size - (before?.size ?? 0) - reservedOf(metadata);
      await this.#assertFits(tenantId, wanted.execution_id, { before, grow, limit });
      if (!(await blobs.seal(wanted.blob_id, wanted.sha256, new Date(clock.now())))) throw gone(wanted.blob_id);
      if (before !== null) await blobs.release([before.blob_id], new Date(clock.now()));
      if (!(await this.#switch(tenantId, before, wanted))) continue;
      quota.grown(tenantId, grow);
      await blobs.keep(wanted.blob_id);
      if (before !== null) await blobs.remove([before.blob_id]);
      return fileView(wanted);
    }
    throw new AppError('unavailable', `${wanted.path} is written by too many at once; try again`, { retry_after: 1 });
  }

  async #assertFits(
    tenantId: string,
    executionId: string,
    { before, grow, limit }: { before: FileRecord | null; grow: number; limit: number | null },
  ): Promise<void> {
    await this.deps.quota.assertRoom(tenantId, grow, limit);
    if (before === null) await this.#assertPlace(tenantId, executionId);
  }

  async #assertPlace(tenantId: string, executionId: string): Promise<void> {
    if ((await ofTenant(this.deps.files, tenantId).count({ execution_id: executionId })) < MAX_FILES) return;
    throw new AppError('invalid_request', `The run has ${MAX_FILES} files, and cannot have more`);
  }

  async #switch(tenantId: string, before: FileRecord | null, wanted: Omit<FileRecord, 'tenant_id'>): Promise<boolean> {
    const own = ofTenant(this.deps.files, tenantId);
    const { _id, ...rest } = wanted;
    if (before !== null) return (await own.update({ _id, blob_id: before.blob_id }, { $set: rest })) !== null;
    try {
      await own.insert(wanted);
      return true;
    } catch (fault) {
      if (isDuplicateKey(fault)) return false;
      throw fault;
    }
  }
}

/** Uploads that an earlier release has begun have reserved nothing. */
const reservedOf = ({ reserved }: Partial<BlobDocument['metadata']>): number => reserved ?? 0;

const isRefused = (fault: unknown): boolean => ['quota_exceeded', 'invalid_request'].includes(errorCode(fault) ?? '');

const gone = (blobId: string): AppError =>
  new AppError('conflict', `The content ${blobId} was given up; write the file again`);

/** What a file with this content is recorded as; not shared. */
function recordOf({ _id, length, uploadDate, filename, metadata }: BlobDocument, sha256: string) {
  const path = filePath(filename);
  return {
    _id: fileId(metadata.tenant_id, metadata.execution_id, filename),
    execution_id: metadata.execution_id,
    workflow_id: metadata.workflow_id,
    path: filename,
    name: path.kind === 'path' ? path.name : filename,
    size: length,
    content_type: metadata.content_type,
    sha256,
    blob_id: _id,
    share_id: null,
    share_until: null,
    created_at: uploadDate,
  };
}
