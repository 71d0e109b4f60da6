/**
 * Contents of documents, stored in parts of PART_BYTES.
 *
 *  C1  A content is complete before a document references it, and immutable; a new content has a new id.
 *  C2  An upload record exists before the first part, so that the sweep finds uncommitted uploads. It is removed when a
 *      document references the content.
 *  C3  An upload reserves storage for its announced bytes when it starts, and for more when a part exceeds them.
 */
import { createHash } from 'node:crypto';
import { bytesOf } from '../../../lib/binary';
import type { Clock } from '../../../lib/clock';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import { assertMayBeginUpload } from '../../../lib/storage-quota';
import { ofTenant, type TenantScope } from '../../../lib/tenant';
import { PART_BYTES, partsOf } from '../../../contracts/files';
import {
  contentId,
  FIRST_REVISION,
  type KnowledgeModels,
  type PartRecord,
  partId,
  type UploadRecord,
  idsUnder,
} from '../models';
import type { KnowledgeQuota } from '../quota';

type Models = Pick<KnowledgeModels, 'uploads' | 'contentParts'>;

/** `id` is the id of the document that the upload becomes. */
interface NewUpload {
  readonly id: string;
  readonly baseId: string;
  readonly filename: string;
  readonly contentType: string;
  /** Announced size; 0 if unknown. */
  readonly bytes: number;
}

export class ContentStore {
  constructor(
    private readonly models: Models,
    private readonly clock: Clock,
    private readonly quota: KnowledgeQuota,
  ) {}

  /** Starts an upload and reserves its bytes. Idempotent. @throws AppError conflict, quota_exceeded, rate_limited */
  async beginUpload(tenantId: string, { id, baseId, filename, contentType, bytes }: NewUpload): Promise<void> {
    if ((await this.findOpenUpload(tenantId, id)) !== null) return;
    const uploads = this.#uploads(tenantId);
    const upload = { _id: id, base_id: baseId, filename, content_type: contentType, state: 'open' as const, bytes };
    try {
      await this.quota.storeWithin(tenantId, bytes, async () => {
        assertMayBeginUpload(await uploads.count({}));
        await uploads.insert({ ...upload, created_at: new Date(this.clock.now()) });
      });
    } catch (fault) {
      if (!isDuplicateKey(fault)) throw fault;
      if ((await this.findOpenUpload(tenantId, id)) === null) throw uploadNotOpen();
    }
  }

  /** Returns the upload if it still accepts parts. */
  findOpenUpload(tenantId: string, id: string): Promise<UploadRecord | null> {
    return this.#uploads(tenantId).findOne({ _id: id, state: 'open' });
  }

  /** Stores one part. @throws AppError conflict if the upload is not open; quota_exceeded */
  async putUploadPart(tenantId: string, id: string, n: number, data: Buffer): Promise<void> {
    await this.#reserve(tenantId, id, n * PART_BYTES + data.length);
    const content = contentId(id, FIRST_REVISION);
    await this.#insertPart(tenantId, content, n, data);
    if ((await this.findOpenUpload(tenantId, id)) !== null) return;
    // The upload was abandoned meanwhile. The sweep does not find this part, so it is removed here.
    await this.#parts(tenantId).remove({ _id: partId(content, n) });
    throw uploadNotOpen();
  }

  /** Stores a complete content in parts. */
  async write(tenantId: string, content: string, bytes: Buffer): Promise<void> {
    for (let n = 0; n < partsOf(bytes.length); n++)
      await this.#insertPart(tenantId, content, n, bytes.subarray(n * PART_BYTES, (n + 1) * PART_BYTES));
  }

  /** Returns the SHA-256 of a content. @throws AppError conflict if a part is missing, or more parts exist than `size` needs */
  async digest(tenantId: string, content: string, size: number): Promise<string> {
    if ((await this.#parts(tenantId).count({ _id: idsUnder(content) })) > partsOf(size))
      throw new AppError('conflict', `The upload has more parts than ${size} bytes need; send the file again`);
    const hash = createHash('sha256');
    for (let n = 0; n < partsOf(size); n++) hash.update(await this.#readPart(tenantId, content, n, size));
    return hash.digest('hex');
  }

  /** Returns a complete content. @throws AppError conflict if a part is missing */
  async read(tenantId: string, content: string, size: number): Promise<Buffer> {
    const whole = Buffer.alloc(size);
    for (let n = 0; n < partsOf(size); n++)
      (await this.#readPart(tenantId, content, n, size)).copy(whole, n * PART_BYTES);
    return whole;
  }

  /** Removes the upload record after a document references the content. */
  async removeUpload(tenantId: string, id: string): Promise<void> {
    await this.#uploads(tenantId).remove({ _id: id });
  }

  /** Marks an upload as abandoned, then removes its parts and the record. No effect on a committed upload. */
  async abandonUpload(tenantId: string, id: string): Promise<void> {
    const doomed = await this.#uploads(tenantId).update({ _id: id }, { $set: { state: 'doomed' } });
    if (doomed === null) return;
    await this.removeContents(tenantId, id);
    await this.#uploads(tenantId).remove({ _id: id });
    this.quota.invalidate(tenantId);
  }

  /** Removes all contents of a document. */
  async removeContents(tenantId: string, documentId: string): Promise<void> {
    await this.#parts(tenantId).remove({ _id: idsUnder(documentId) });
  }

  /** Uploads of all tenants that started before `before`, oldest first. */
  uploadsBefore(before: Date, limit: number): Promise<UploadRecord[]> {
    return this.models.uploads
      .find({ created_at: { $lt: before } })
      .sort({ created_at: 1 })
      .limit(limit)
      .lean()
      .exec();
  }

  async #reserve(tenantId: string, id: string, bytes: number): Promise<void> {
    const upload = await this.findOpenUpload(tenantId, id);
    if (upload === null) throw uploadNotOpen();
    const growth = bytes - (upload.bytes ?? 0);
    if (growth <= 0) return;
    const grow = { $max: { bytes } };
    await this.quota.storeWithin(tenantId, growth, () => this.#uploads(tenantId).update({ _id: id }, grow));
  }

  async #insertPart(tenantId: string, content: string, n: number, data: Buffer): Promise<void> {
    const _id = partId(content, n);
    try {
      await this.#parts(tenantId).insert({ _id, data });
    } catch (fault) {
      // A retry of the same part: parts are immutable.
      if (!isDuplicateKey(fault)) throw fault;
      if ((await this.#parts(tenantId).findOne({ _id })) === null) throw uploadNotOpen();
    }
  }

  async #readPart(tenantId: string, content: string, n: number, size: number): Promise<Buffer> {
    const part = await this.#parts(tenantId).findOne({ _id: partId(content, n) });
    const bytes = part === null ? null : bytesOf(part.data);
    if (bytes?.length === Math.min(PART_BYTES, size - n * PART_BYTES)) return bytes;
    throw new AppError('conflict', `Part ${n} of the content is missing`);
  }

  #uploads(tenantId: string): TenantScope<UploadRecord> {
    return ofTenant(this.models.uploads, tenantId);
  }

  #parts(tenantId: string): TenantScope<PartRecord> {
    return ofTenant(this.models.contentParts, tenantId);
  }
}

const uploadNotOpen = (): AppError =>
  new AppError('conflict', 'The upload does not exist or accepts no more parts; start a new upload');
