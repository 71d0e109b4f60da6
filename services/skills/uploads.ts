import type { Model } from 'mongoose';
import { decodeBase64 } from '../../lib/base64';
import { bytesOf } from '../../lib/binary';
import type { Clock } from '../../lib/clock';
import type { ComputePool } from '../../lib/compute';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { KeyedMutex } from '../../lib/keyed-mutex';
import { ofTenant } from '../../lib/tenant';
import { PART_BYTES } from '../../contracts/files';
import type { SkillDraft } from '../../contracts/skills/views';
import { type SkillModels, type UploadRecord } from './models';
import { draftIn } from './rules/draft';
import { MAX_BUNDLE_BYTES } from './rules/limits';

/** Limit of the multipart form around a bundle. */
const FORM_OVERHEAD_BYTES = 256 * 1024;
const MAX_PARTS = Math.ceil(MAX_BUNDLE_BYTES / PART_BYTES);
/** Per tenant. */
const MAX_CONCURRENT_UPLOADS = 20;

/** Uploads of bundles in parts, which different processes may receive. The sweep removes uncommitted parts. */
export class Uploads {
  readonly #model: Model<UploadRecord>;
  /** Per tenant, so that the count includes the previous part. */
  readonly #mutex = new KeyedMutex();

  constructor(
    models: Pick<SkillModels, 'uploads'>,
    private readonly clock: Clock,
    private readonly compute: ComputePool,
  ) {
    this.#model = models.uploads;
  }

  /** Rejects an upload whose announced size is too large. @throws AppError payload_too_large */
  assertSize(announced: number | null): void {
    if ((announced ?? 0) > MAX_BUNDLE_BYTES + FORM_OVERHEAD_BYTES) throw tooLarge();
  }

  /**
   * Stores part `n` (from 0), given in base64. Idempotent.
   * @throws AppError payload_too_large, invalid_request, rate_limited
   */
  async put(tenantId: string, { upload_id, n, data }: { upload_id: string; n: number; data: string }): Promise<void> {
    if (n >= MAX_PARTS) throw tooLarge();
    const bytes = decodeBase64(data);
    if (bytes === null || bytes.length > PART_BYTES)
      throw new AppError('invalid_request', `The part must be valid base64 of at most ${PART_BYTES} bytes`);
    await this.#mutex.run(tenantId, () => this.#insertPart(tenantId, { upload_id, n, data: bytes }));
  }

  async #insertPart(tenantId: string, part: Pick<UploadRecord, 'upload_id' | 'n'> & { data: Buffer }): Promise<void> {
    const own = ofTenant(this.#model, tenantId);
    if ((await own.count({})) >= MAX_CONCURRENT_UPLOADS * MAX_PARTS)
      throw new AppError('rate_limited', 'Too many bundles are being uploaded; try again later', {
        retry_after: 60,
      });
    await own
      .insert({ _id: `${part.upload_id}:${part.n}`, ...part, created_at: new Date(this.clock.now()) })
      .catch((fault: unknown) => {
        if (!isDuplicateKey(fault)) throw fault;
      });
  }

  /** Removes the parts and returns the parsed skill. @throws AppError invalid_request with every error, payload_too_large, conflict, unavailable */
  async commit(tenantId: string, uploadId: string, size: number): Promise<SkillDraft> {
    const parts = await ofTenant(this.#model, tenantId).find({ upload_id: uploadId }, { sort: { n: 1 } });
    await this.abandon(tenantId, uploadId);
    const bytes = Buffer.concat(parts.map(({ data }) => bytesOf(data)));
    if (bytes.length !== size) throw new AppError('conflict', 'Parts of the bundle are missing; send it again');
    if (size > MAX_BUNDLE_BYTES) throw tooLarge();
    return draftIn(this.compute.lane(tenantId), bytes);
  }

  async abandon(tenantId: string, uploadId: string): Promise<void> {
    await ofTenant(this.#model, tenantId).remove({ upload_id: uploadId });
  }
}

const tooLarge = (): AppError =>
  new AppError('payload_too_large', `A bundle may have ${MAX_BUNDLE_BYTES} bytes at most`);
