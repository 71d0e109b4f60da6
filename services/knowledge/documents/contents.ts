/**
 * What documents are read from, in parts of PART_BYTES.
 *
 *  C1  A content is whole before a document names it, and is never changed: another one gets another id.
 *  C2  What comes in has an upload on record first, so that the sweep finds what nobody commits; the upload goes when
 *      a document has the content.
 */
import { createHash } from 'node:crypto';
import type { Binary } from 'mongodb';
import type { Clock } from '../../../lib/clock';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import { ofTenant, type TenantScope } from '../../../mixins/tenant';
import { PART_BYTES, partsOf } from '../../files/contract';
import { contentId, type KnowledgeModels, type PartRecord, partId, type UploadRecord, under } from '../models';

type Models = Pick<KnowledgeModels, 'uploads' | 'parts'>;

/** What an upload is begun with; `id` is that of the document that it will make. */
export interface NewUpload {
  readonly id: string;
  readonly baseId: string;
  readonly filename: string;
  readonly contentType: string;
}

/** Of the content that a document is made with. */
const FIRST = 1;

export class Contents {
  constructor(
    private readonly models: Models,
    private readonly clock: Clock,
  ) {}

  /** Beginning again what the tenant has begun changes nothing. @throws AppError conflict */
  async begin(tenantId: string, { id, baseId, filename, contentType }: NewUpload): Promise<void> {
    const upload = { _id: id, base_id: baseId, filename, content_type: contentType, state: 'open' as const };
    try {
      await this.#uploads(tenantId).insert({ ...upload, created_at: new Date(this.clock.now()) });
    } catch (fault) {
      if (!isDuplicateKey(fault)) throw fault;
      if ((await this.upload(tenantId, id)) === null) throw gone();
    }
  }

  /** The tenant's upload that still takes parts. */
  upload(tenantId: string, id: string): Promise<UploadRecord | null> {
    return this.#uploads(tenantId).findOne({ _id: id, state: 'open' });
  }

  /** @throws AppError conflict when it was not begun, or takes no more */
  async putUpload(tenantId: string, id: string, n: number, data: Buffer): Promise<void> {
    if ((await this.upload(tenantId, id)) === null) throw gone();
    const content = contentId(id, FIRST);
    await this.#put(tenantId, content, n, data);
    if ((await this.upload(tenantId, id)) !== null) return;
    // It was given up meanwhile, and nobody looks for this part again.
    await this.#parts(tenantId).remove({ _id: partId(content, n) });
    throw gone();
  }

  /** A content whole. */
  async write(tenantId: string, content: string, bytes: Buffer): Promise<void> {
    for (let n = 0; n < partsOf(bytes.length); n++)
      await this.#put(tenantId, content, n, bytes.subarray(n * PART_BYTES, (n + 1) * PART_BYTES));
  }

  /** SHA-256 of what has come in. @throws AppError conflict where a part is missing */
  async digest(tenantId: string, content: string, size: number): Promise<string> {
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

  /** Nobody will commit it, so all that has come of it goes. Of what is committed nothing changes. */
  async giveUp(tenantId: string, id: string): Promise<void> {
    const doomed = await this.#uploads(tenantId).update({ _id: id }, { $set: { state: 'doomed' } });
    if (doomed === null) return;
    await this.removeAll(tenantId, id);
    await this.#uploads(tenantId).remove({ _id: id });
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

  async #put(tenantId: string, content: string, n: number, data: Buffer): Promise<void> {
    const _id = partId(content, n);
    try {
      await this.#parts(tenantId).insert({ _id, data });
    } catch (fault) {
      // Of a try whose answer was lost; a part is never another one.
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
