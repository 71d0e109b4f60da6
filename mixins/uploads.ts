import type { Binary } from 'mongodb';
import { type Model, Schema } from 'mongoose';
import { PART_BYTES } from '../contracts/files';
import { decodeBase64 } from '../lib/base64';
import { bytesOf } from '../lib/binary';
import type { Clock } from '../lib/clock';
import { isDuplicateKey } from '../lib/duplicate-key';
import { AppError } from '../lib/errors';
import { KeyedMutex } from '../lib/keyed-mutex';
import {
  durableOptions,
  type Owned,
  ofTenant,
  ownedFields,
  requiredDate,
  requiredNumber,
  requiredText,
} from '../lib/tenant';

/** A part of an uncommitted upload. */
export interface UploadPart extends Owned {
  upload_id: string;
  n: number;
  data: Buffer | Binary;
  created_at: Date;
}

export const uploadPartSchema = (collection: string): Schema<UploadPart> =>
  new Schema<UploadPart>(
    {
      ...ownedFields,
      upload_id: requiredText,
      n: requiredNumber,
      data: { type: Buffer, required: true },
      created_at: requiredDate,
    },
    { ...durableOptions, collection },
  )
    .index({ tenant_id: 1, upload_id: 1, n: 1 })
    .index({ created_at: 1 });

/** Limits of the uploads of a service. `noun`: what is uploaded, for messages: `bundle`. */
interface UploadRules {
  readonly noun: string;
  readonly maxBytes: number;
}

/** Limit of the multipart form around a file. */
const FORM_OVERHEAD_BYTES = 256 * 1024;
/** Per tenant. */
const MAX_CONCURRENT_UPLOADS = 20;
/** Parts of older uploads are removed. */
const MAX_AGE_MS = 3_600_000;

/** Removes the parts of uploads of all tenants that were neither committed nor given up. */
export async function removeOldUploads(model: Model<UploadPart>, now: number): Promise<void> {
  await model.deleteMany({ created_at: { $lt: new Date(now - MAX_AGE_MS) } }).exec();
}

/** Uploads in parts, which different processes may receive. A sweep removes uncommitted parts. */
export class Uploads {
  /** Per tenant, so that the count includes the previous part. */
  readonly #mutex = new KeyedMutex();
  readonly #maxParts: number;

  constructor(
    private readonly model: Model<UploadPart>,
    private readonly clock: Clock,
    private readonly rules: UploadRules,
  ) {
    this.#maxParts = Math.ceil(rules.maxBytes / PART_BYTES);
  }

  /** Rejects an upload whose announced size is too large. @throws AppError payload_too_large */
  assertSize(announced: number | null | undefined): void {
    if ((announced ?? 0) > this.rules.maxBytes + FORM_OVERHEAD_BYTES) throw this.#tooLarge();
  }

  /**
   * Stores part `n` (from 0), given in base64. Idempotent.
   * @throws AppError payload_too_large, invalid_request, rate_limited
   */
  async put(tenantId: string, { upload_id, n, data }: { upload_id: string; n: number; data: string }): Promise<void> {
    if (n >= this.#maxParts) throw this.#tooLarge();
    const bytes = decodeBase64(data);
    if (bytes === null || bytes.length > PART_BYTES)
      throw new AppError('invalid_request', `The part must be valid base64 of at most ${PART_BYTES} bytes`);
    await this.#mutex.run(tenantId, () => this.#insertPart(tenantId, { upload_id, n, data: bytes }));
  }

  async #insertPart(tenantId: string, part: Pick<UploadPart, 'upload_id' | 'n'> & { data: Buffer }): Promise<void> {
    const own = ofTenant(this.model, tenantId);
    if ((await own.count({})) >= MAX_CONCURRENT_UPLOADS * this.#maxParts)
      throw new AppError('rate_limited', `Too many ${this.rules.noun}s are being uploaded; try again later`, {
        retry_after: 60,
      });
    await own
      .insert({ _id: `${part.upload_id}:${part.n}`, ...part, created_at: new Date(this.clock.now()) })
      .catch((fault: unknown) => {
        if (!isDuplicateKey(fault)) throw fault;
      });
  }

  /** Removes the parts and returns their bytes. @throws AppError payload_too_large, conflict */
  async take(tenantId: string, uploadId: string, size: number): Promise<Buffer> {
    const parts = await ofTenant(this.model, tenantId).find({ upload_id: uploadId }, { sort: { n: 1 } });
    await this.abandon(tenantId, uploadId);
    const bytes = Buffer.concat(parts.map(({ data }) => bytesOf(data)));
    if (bytes.length !== size)
      throw new AppError('conflict', `Parts of the ${this.rules.noun} are missing; send it again`);
    if (size > this.rules.maxBytes) throw this.#tooLarge();
    return bytes;
  }

  async abandon(tenantId: string, uploadId: string): Promise<void> {
    await ofTenant(this.model, tenantId).remove({ upload_id: uploadId });
  }

  #tooLarge(): AppError {
    return new AppError('payload_too_large', `A ${this.rules.noun} may have ${this.rules.maxBytes} bytes at most`);
  }
}
