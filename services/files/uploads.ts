/**
 * Uploads of files. Each step is one write:
 *
 *  W1  A content is complete and has its digest before a record references it.
 *  W2  A replaced content becomes open before the record drops it, so that the sweep finds it after a crash.
 *  W3  The record changes by compare-and-swap on its content. Concurrent writers succeed one after the other.
 *  W4  A share ends when its content is replaced.
 *  W5  An upload reserves the growth of the workspace when it begins. The write that commits or abandons the upload ends the
 *      reservation.
 */
import type { Clock } from '../../lib/clock';
import { nullOnDuplicate } from '../../lib/duplicate-key';
import { AppError, errorCode } from '../../lib/errors';
import { filePath } from '../../lib/file-path';
import { KeyedMutex } from '../../lib/keyed-mutex';
import { assertMayBeginUpload, type StorageQuota } from '../../lib/storage-quota';
import { ofTenant } from '../../lib/tenant';
import type { BlobDocument, Blobs, NewBlob } from './blobs';
import type { FileView } from '../../contracts/files';
import { type FileModel, type FileRecord, fileId } from './models';
import { fileView } from './views';

const MAX_FILES_PER_RUN = 1_000;
const MAX_TRIES = 8;

interface UploadDeps {
  readonly files: FileModel;
  readonly blobs: Blobs;
  readonly quota: StorageQuota;
  readonly clock: Clock;
  /** Storage limit of the tenant's plan in mebibytes; null for no limit. */
  readonly limit: (tenantId: string) => Promise<number | null>;
}

export class Uploads {
  /** By tenant, so that concurrent uploads do not reserve the same space. */
  readonly #mutex = new KeyedMutex();

  constructor(private readonly deps: UploadDeps) {}

  /**
   * Begins an upload and reserves its space. Idempotent.
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
      const concurrent = await blobs.unfinishedAt(tenantId, executionId, path);
      // Only one of several uploads to a path gets the space of the file that it replaces.
      const growth = Math.max(0, size - (before?.size ?? 0));
      let reserved = concurrent.length > 0 ? size : growth;
      try {
        await this.#assertFits(tenantId, executionId, { before, grow: reserved, limit });
      } catch (fault) {
        if (concurrent.length === 0 || errorCode(fault) !== 'quota_exceeded') throw fault;
        // Failed attempts, or uploads that this one would replace: their reservations are released.
        for (const upload of concurrent) await this.#abandon(tenantId, upload);
        reserved = growth;
        await this.#assertFits(tenantId, executionId, { before, grow: reserved, limit });
      }
      await blobs.begin({ ...given, tenantId, reserved }, new Date(clock.now()));
      quota.recordGrowth(tenantId, reserved);
    });
  }

  /** @throws AppError quota_exceeded; conflict when parts are missing or the upload was abandoned */
  async commit(tenantId: string, blobId: string): Promise<FileView> {
    const { blobs } = this.deps;
    const blob = await blobs.get(tenantId, blobId);
    if (blob === null || blob.metadata.state === 'doomed') throw abandoned(blobId);
    // A repeated commit whose first response was lost.
    if (blob.metadata.state === 'kept') return fileView(recordOf(blob, blob.metadata.sha256 as string));
    const sha256 = await blobs.digest(blob);
    const limit = await this.deps.limit(tenantId);
    return this.#mutex
      .run(tenantId, () => this.#commit(tenantId, blob, { next: recordOf(blob, sha256), limit }))
      .catch(async (fault) => {
        if (['quota_exceeded', 'invalid_request'].includes(errorCode(fault) ?? ''))
          await this.abandon(tenantId, blobId);
        throw fault;
      });
  }

  /** Releases the reservation of an upload and deletes its parts. */
  async abandon(tenantId: string, blobId: string): Promise<void> {
    await this.#mutex.run(tenantId, async () => {
      const blob = await this.deps.blobs.get(tenantId, blobId);
      if (blob !== null) await this.#abandon(tenantId, blob);
    });
  }

  async #abandon(tenantId: string, { _id, metadata }: BlobDocument): Promise<void> {
    const { blobs, quota } = this.deps;
    if (!(await blobs.abandon(_id))) return;
    quota.recordGrowth(tenantId, -reservedOf(metadata));
    await blobs.clear([_id]);
  }

  async #commit(
    tenantId: string,
    { metadata }: BlobDocument,
    { next, limit }: { next: Omit<FileRecord, 'tenant_id'>; limit: number | null },
  ): Promise<FileView> {
    const { blobs, files, quota, clock } = this.deps;
    const own = ofTenant(files, tenantId);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const before = await own.findOne({ _id: next._id });
      if (before?.blob_id === next.blob_id) {
        await blobs.keep(next.blob_id);
        return fileView(before);
      }
      const grow = next.size - (before?.size ?? 0) - reservedOf(metadata);
      await this.#assertFits(tenantId, next.execution_id, { before, grow, limit });
      if (!(await blobs.seal(next.blob_id, next.sha256, new Date(clock.now())))) throw abandoned(next.blob_id);
      if (before !== null) await blobs.release([before.blob_id], new Date(clock.now()));
      if (!(await this.#replace(tenantId, before, next))) continue;
      quota.recordGrowth(tenantId, grow);
      await blobs.keep(next.blob_id);
      if (before !== null) await blobs.remove([before.blob_id]);
      return fileView(next);
    }
    throw new AppError('unavailable', `Too many concurrent writes of ${next.path}; try again`, { retry_after: 1 });
  }

  async #assertFits(
    tenantId: string,
    executionId: string,
    { before, grow, limit }: { before: FileRecord | null; grow: number; limit: number | null },
  ): Promise<void> {
    await this.deps.quota.assertRoom(tenantId, grow, limit);
    if (before !== null) return;
    if ((await ofTenant(this.deps.files, tenantId).count({ execution_id: executionId })) < MAX_FILES_PER_RUN) return;
    throw new AppError('invalid_request', `A run may have at most ${MAX_FILES_PER_RUN} files`);
  }

  /** False after a write conflict. */
  async #replace(tenantId: string, before: FileRecord | null, next: Omit<FileRecord, 'tenant_id'>): Promise<boolean> {
    const own = ofTenant(this.deps.files, tenantId);
    const { _id, ...rest } = next;
    if (before !== null) return (await own.update({ _id, blob_id: before.blob_id }, { $set: rest })) !== null;
    return (await nullOnDuplicate(own.insert(next))) !== null;
  }
}

/** Uploads of earlier versions have no reservation. */
const reservedOf = ({ reserved }: Partial<BlobDocument['metadata']>): number => reserved ?? 0;

const abandoned = (blobId: string): AppError =>
  new AppError('conflict', `The upload ${blobId} was abandoned; write the file again`);

/** The record of a file with this content; not shared. */
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
