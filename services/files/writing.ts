/**
 * How a content becomes the file at its path. Each step is one write:
 *
 *  W1  The new content is whole and known by its digest before anything points to it.
 *  W2  What it replaces becomes open before the record lets go of it, so that a sweep finds it whoever dies.
 *  W3  The record changes in one write, which names the content that it saw: of two who write at once both succeed,
 *      one after the other.
 *  W4  A share is of a content. What takes its place is not shared.
 */
import type { Clock } from '../../lib/clock';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError, errorCode } from '../../lib/errors';
import { filePath } from '../../lib/file-path';
import { Lanes } from '../../lib/lanes';
import type { StorageQuota } from '../../mixins/storage-quota';
import { ofTenant } from '../../mixins/tenant';
import type { BlobDocument, Blobs } from './blobs';
import type { FileView } from './contract';
import { type FileModel, type FileRecord, fileId } from './models';
import { fileView } from './views';

/** Of one run. */
const MOST_FILES = 1_000;
const MOST_TRIES = 8;

export interface WritingDeps {
  readonly files: FileModel;
  readonly blobs: Blobs;
  readonly quota: StorageQuota;
  readonly clock: Clock;
  /** Mebibytes that the tenant's plan lets him keep; null for any number. */
  readonly limit: (tenantId: string) => Promise<number | null>;
}

/** A file whose content is about to come. */
interface Coming {
  readonly executionId: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

export class Writing {
  /** Of a tenant: so that what one file has taken is known to the next. */
  readonly #lanes = new Lanes();

  constructor(private readonly deps: WritingDeps) {}

  /** Refuses a file for which there is no room or place now, before its content comes. @throws AppError quota_exceeded, invalid_request */
  async assertMayCome(tenantId: string, { executionId, path, size }: Coming): Promise<void> {
    const limit = await this.deps.limit(tenantId);
    await this.#lanes.run(tenantId, async () => {
      const before = await ofTenant(this.deps.files, tenantId).findOne({ _id: fileId(tenantId, executionId, path) });
      await this.#assertFits(tenantId, executionId, { before, size, limit });
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
    return this.#lanes
      .run(tenantId, () => this.#place(tenantId, recordOf(blob, sha256), limit))
      .catch(async (fault) => {
        if (isRefused(fault)) await this.giveUp(tenantId, blobId);
        throw fault;
      });
  }

  /** Nothing counts what lies there, so what nobody will commit goes at once. */
  async giveUp(tenantId: string, blobId: string): Promise<void> {
    const { blobs } = this.deps;
    if ((await blobs.get(tenantId, blobId)) !== null && (await blobs.giveUp(blobId))) await blobs.clear([blobId]);
  }

  async #place(tenantId: string, wanted: Omit<FileRecord, 'tenant_id'>, limit: number | null): Promise<FileView> {
    const { blobs, files, quota, clock } = this.deps;
    const own = ofTenant(files, tenantId);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const before = await own.findOne({ _id: wanted._id });
      if (before?.blob_id === wanted.blob_id) {
        await blobs.keep(wanted.blob_id);
        return fileView(before);
      }
      const grow = wanted.size - (before?.size ?? 0);
      await this.#assertFits(tenantId, wanted.execution_id, { before, size: wanted.size, limit });
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
    { before, size, limit }: { before: FileRecord | null; size: number; limit: number | null },
  ): Promise<void> {
    await this.deps.quota.assertRoom(tenantId, size - (before?.size ?? 0), limit);
    if (before === null) await this.#assertPlace(tenantId, executionId);
  }

  async #assertPlace(tenantId: string, executionId: string): Promise<void> {
    if ((await ofTenant(this.deps.files, tenantId).count({ execution_id: executionId })) < MOST_FILES) return;
    throw new AppError('invalid_request', `The run has ${MOST_FILES} files, and cannot have more`);
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
