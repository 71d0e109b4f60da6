import type { Model } from 'mongoose';
import { decodeBase64 } from '../../lib/base64';
import type { Clock } from '../../lib/clock';
import type { ComputePool } from '../../lib/compute';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { KeyedMutex } from '../../lib/keyed-mutex';
import { ofTenant } from '../../lib/tenant';
import { PART_BYTES } from '../../contracts/files';
import type { SkillDraft } from '../../contracts/skills/views';
import { bytesIn, type SkillModels, type UploadRecord } from './models';
import { draftIn } from './rules/draft';
import { MAX_BUNDLE_BYTES } from './rules/limits';

/** What the form around a bundle may have. */
const AROUND_BYTES = 256 * 1024;
const MAX_PARTS = Math.ceil(MAX_BUNDLE_BYTES / PART_BYTES);
/** Bundles of a tenant that are on their way in at once. */
const MAX_CONCURRENT_UPLOADS = 20;

/** Bundles on their way in: parts that may come by different processes. The sweep removes uncommitted parts. */
export class Uploads {
  readonly #model: Model<UploadRecord>;
  /** Of a tenant: so that each part is counted before the next one. */
  readonly #mutex = new KeyedMutex();

  constructor(
    models: Pick<SkillModels, 'uploads'>,
    private readonly clock: Clock,
    private readonly compute: ComputePool,
  ) {
    this.#model = models.uploads;
  }

  /** @throws AppError payload_too_large for what is too large by its own word */
  begin(announced: number | null): void {
    if ((announced ?? 0) > MAX_BUNDLE_BYTES + AROUND_BYTES) throw tooLarge();
  }

  /**
   * The part `n` (from 0), in base64; a second time it changes nothing.
   * @throws AppError payload_too_large, invalid_request, rate_limited
   */
  async put(tenantId: string, { upload_id, n, data }: { upload_id: string; n: number; data: string }): Promise<void> {
    if (n >= MAX_PARTS) throw tooLarge();
    const bytes = decodeBase64(data);
    if (bytes === null || bytes.length > PART_BYTES)
      throw new AppError('invalid_request', 'The part is no base64, or too large');
    await this.#mutex.run(tenantId, () => this.#keep(tenantId, { upload_id, n, data: bytes }));
  }

  async #keep(tenantId: string, part: Pick<UploadRecord, 'upload_id' | 'n'> & { data: Buffer }): Promise<void> {
    const own = ofTenant(this.#model, tenantId);
    if ((await own.count({})) >= MAX_CONCURRENT_UPLOADS * MAX_PARTS)
      throw new AppError('rate_limited', 'Too many bundles are on their way in; try again in a while', {
        retry_after: 60,
      });
    await own
      .insert({ _id: `${part.upload_id}:${part.n}`, ...part, created_at: new Date(this.clock.now()) })
      .catch((fault: unknown) => {
        if (!isDuplicateKey(fault)) throw fault;
      });
  }

  /** The skill in the bundle, of which nothing is kept. @throws AppError invalid_request with every fault, payload_too_large, conflict, unavailable */
  async commit(tenantId: string, uploadId: string, size: number): Promise<SkillDraft> {
    const parts = await ofTenant(this.#model, tenantId).find({ upload_id: uploadId }, { sort: { n: 1 } });
    await this.giveUp(tenantId, uploadId);
    const bytes = Buffer.concat(parts.map(({ data }) => bytesIn(data)));
    if (bytes.length !== size) throw new AppError('conflict', 'Parts of the bundle are missing; send it again');
    if (size > MAX_BUNDLE_BYTES) throw tooLarge();
    return draftIn(this.compute.lane(tenantId), bytes);
  }

  async giveUp(tenantId: string, uploadId: string): Promise<void> {
    await ofTenant(this.#model, tenantId).remove({ upload_id: uploadId });
  }
}

const tooLarge = (): AppError =>
  new AppError('payload_too_large', `A bundle may have ${MAX_BUNDLE_BYTES} bytes at most`);
