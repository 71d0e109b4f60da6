/**
 * What documents are read from, in parts of PART_BYTES.
 *
 *  C1  A content is whole before a document names it, and is never changed: another one gets another id.
 *  C2  What comes in has an upload on record first, so that the sweep finds uncommitted uploads; the upload goes when
 *      a document has the content.
 *  C3  An upload has reserved room for its bytes from its beginning, or from the part on with which it grows.
 */
import { createHash } from 'node:crypto';
import type { Binary } from 'mongodb';
import type { Clock } from '../../../lib/clock';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import { assertMayBeginUpload } from '../../../lib/storage-quota';
import { ofTenant, type TenantScope } from '../../../lib/tenant';
import { PART_BYTES, partsOf } from '../../../contracts/files';
import { contentId, type KnowledgeModels, type PartRecord, partId, type UploadRecord, under } from '../models';
import type { KnowledgeQuota } from '../quota';

type Models = Pick<KnowledgeModels, 'uploads' | 'parts'>;

/** A new upload. `id` is the one of the document that it becomes. */
interface NewUpload {
  readonly id: string;
  readonly baseId: string;
  readonly filename: string;
  readonly contentType: string;
  /** Announced size in bytes; 0 if unknown. */
  readonly bytes: number;
}

/** Of the content that a document is made with. */
const FIRST = 1;

export class Contents {
  constructor(
    private readonly models: Models,
    private readonly clock: Clock,
    private readonly quota: KnowledgeQuota,
  ) {}

  /** Begins an upload. Repeating it changes nothing. @throws AppError conflict, quota_exceeded, rate_limited */
  async begin(tenantId: string, { id, baseId, filename, contentType, bytes }: NewUpload): Promise<void> {
    if ((await this.upload(tenantId, id)) !== null) return;
    const uploads = this.#uploads(tenantId);
    const upload = { _id: id, base_id: baseId, filename, content_type: contentType, state: 'open' as const, bytes };
    try {
      await this.quota.keep(tenantId, bytes, async () => {
        assertMayBeginUpload(await uploads.count({}));
        await uploads.insert({ ...upload, created_at: new Date(this.clock.now()) });
      });
    } catch (fault) {
      if (!isDuplicateKey(fault)) throw fault;
      if ((await this.upload(tenantId, id)) === null) throw gone();
    }
  }

  /** The tenant's upload that still takes parts. */
  upload(tenantId: string, id: string): Promise<UploadRecord | null> {
    return this.#uploads(tenantId).findOne({ _id: id, state: 'open' });
  }

  /** @throws AppError conflict when it was not begun, or takes no more; quota_exceeded */
  async putUpload(tenantId: string, id: string, n: number, data: Buffer): Promise<void> {
    await this.#reserve(tenantId, id, n * PART_BYTES + data.length);
    const content = contentId(id, FIRST);
    await this.#put(tenantId, content, n, data);
    if ((await this.upload(tenantId, id)) !== null) return;
    // The upload was abandoned in the meantime, and no sweep finds this part.
    await this.#parts(tenantId).remove({ _id: partId(content, n) });
    throw gone();
  }

  /** A content whole. */
  async write(tenantId: string, content: string, bytes: Buffer): Promise<void> {
    for (let n = 0; n < partsOf(bytes.length); n++)
      await this.#put(tenantId, content, n, bytes.subarray(n * PART_BYTES, (n + 1) * PART_BYTES));
  }

  /** SHA-256 of the uploaded parts. @throws AppError conflict if a part is missing, or the parts exceed the size */
  async digest(tenantId: string, content: string, size: number): Promise<string> {
    if ((await this.#parts(tenantId).count({ _id: under(content) })) > partsOf(size))
      throw new AppError('conflict', `More parts have come than ${size} bytes have; send the file again`);
    const hash = createHash('sha256');
    for (let n = 0; n < partsOf(size); n++) hash.update(await this.#part(tenantId, content, n, size));
    return hash.digest('hex');
  }

  /** All of it. @throws AppError conflict where a part is missing */
  async read(tenantId: string, content: string, size: number): Promise<Buffer> {
    const whole = Buffer.alloc(size);
    for (let n = 0; n < partsOf(size); n++) (await this.#part(tenantId, content, n, size)).copy(whole, n * PART_BYTES);
    return whole;
  }

  /** A document has the content. */
  async taken(tenantId: string, id: string): Promise<void> {
    await this.#uploads(tenantId).remove({ _id: id });
  }

  /** Abandons an upload and removes its parts. A committed upload does not change. */
  async giveUp(tenantId: string, id: string): Promise<void> {
    const doomed = await this.#uploads(tenantId).update({ _id: id }, { $set: { state: 'doomed' } });
    if (doomed === null) return;
    await this.removeAll(tenantId, id);
    await this.#uploads(tenantId).remove({ _id: id });
    this.quota.forget(tenantId);
  }

  /** All contents of a document. */
  async removeAll(tenantId: string, documentId: string): Promise<void> {
    await this.#parts(tenantId).remove({ _id: under(documentId) });
  }

  /** Uploads of all tenants that were begun before an instant, the oldest first. */
  old(before: Date, limit: number): Promise<UploadRecord[]> {
    return this.models.uploads
      .find({ created_at: { $lt: before } })
      .sort({ created_at: 1 })
      .limit(limit)
      .lean()
      .exec();
  }

  async #reserve(tenantId: string, id: string, bytes: number): Promise<void> {
    const upload = await this.upload(tenantId, id);
    if (upload === null) throw gone();
    const growth = bytes - (upload.bytes ?? 0);
    if (growth <= 0) return;
    const grow = { $max: { bytes } };
    await this.quota.keep(tenantId, growth, () => this.#uploads(tenantId).update({ _id: id }, grow));
  }

  async #put(tenantId: string, content: string, n: number, data: Buffer): Promise<void> {
    const _id = partId(content, n);
    try {
      await this.#parts(tenantId).insert({ _id, data });
    } catch (fault) {
      // Stored by an attempt whose response was lost; the content of a part never changes.
      if (!isDuplicateKey(fault)) throw fault;
      if ((await this.#parts(tenantId).findOne({ _id })) === null) throw gone();
    }
  }

  async #part(tenantId: string, content: string, n: number, size: number): Promise<Buffer> {
    const part = await this.#parts(tenantId).findOne({ _id: partId(content, n) });
    const bytes = part === null ? null : bytesOf(part.data);
    if (bytes?.length === Math.min(PART_BYTES, size - n * PART_BYTES)) return bytes;
    throw new AppError('conflict', `Part ${n} of the content has not come`);
  }

  #uploads(tenantId: string): TenantScope<UploadRecord> {
    return ofTenant(this.models.uploads, tenantId);
  }

  #parts(tenantId: string): TenantScope<PartRecord> {
    return ofTenant(this.models.parts, tenantId);
  }
}

/** The bytes of a field as the driver gives them. */
export const bytesOf = (data: Buffer | Binary): Buffer =>
  Buffer.isBuffer(data) ? data : Buffer.from(data.buffer).subarray(0, data.position);

const gone = (): AppError => new AppError('conflict', 'The upload was not begun, or takes no more parts');
