/**
 * Contents of skills by tenant and hash. A content is immutable.
 *
 *  C1  A content is stored before a record references it, and `needed_at` is updated before a reference is removed.
 *  C2  An unreferenced content is kept for RETENTION_MS, because running executions may have pinned it.
 */
import type { Collection } from 'mongodb';
import type { Model } from 'mongoose';
import { bytesOf as binaryBytes } from '../../lib/binary';
import type { Clock } from '../../lib/clock';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { createCache } from '../../lib/cache';
import { durableOptions, ofTenant } from '../../lib/tenant';
import { type ContentRecord, type SkillModels } from './models';
import { bytesOf, hashOf, type SkillContent } from './rules/content';

const MIB = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;

export const RETENTION_MS = 30 * DAY_MS;
/** Limit for all contents of a tenant, including unreferenced ones. */
const MAX_TENANT_BYTES = 512 * MIB;
const MAX_CACHE_BYTES = 32 * MIB;
/** Approximate overhead of a record and its index entries. */
const RECORD_OVERHEAD_BYTES = 1024;

export class ContentStore {
  readonly #cache = createCache<SkillContent>({ maxSize: MAX_CACHE_BYTES });
  readonly #model: Model<ContentRecord>;

  constructor(
    models: Pick<SkillModels, 'contents'>,
    private readonly clock: Clock,
  ) {
    this.#model = models.contents;
  }

  /** Stores a content and returns its hash. @throws AppError conflict if the tenant exceeds its storage limit */
  async save(tenantId: string, content: SkillContent): Promise<string> {
    const hash = hashOf(content);
    if (await this.touch(tenantId, hash)) return hash;
    const bytes = storedBytes(content);
    await this.#assertRoom(tenantId, bytes);
    const { head, instructions, files } = content;
    await this.#insert({
      _id: contentId(tenantId, hash),
      tenant_id: tenantId,
      hash,
      text: JSON.stringify({ head, instructions }),
      files: files.map(({ path, bytes: data }) => ({ path, data: Buffer.from(data) })),
      bytes,
      needed_at: new Date(this.clock.now()),
    }).catch(async (fault: unknown) => {
      // A concurrent request has stored the same content.
      if (!isDuplicateKey(fault) || !(await this.touch(tenantId, hash))) throw fault;
    });
    return hash;
  }

  /** Uses the driver: mongoose would treat each byte of the files as a path and block for seconds. */
  async #insert(record: ContentRecord): Promise<void> {
    const { collection } = this.#model;
    const { writeConcern } = durableOptions;
    await (collection as unknown as Collection<ContentRecord>).insertOne(record, { writeConcern });
  }

  /** Restarts the retention period of a content. Returns false if the content does not exist. */
  async touch(tenantId: string, hash: string): Promise<boolean> {
    const now = new Date(this.clock.now());
    const touched = await this.#model
      .updateOne({ _id: contentId(tenantId, hash), tenant_id: tenantId }, { $set: { needed_at: now } })
      .exec();
    return touched.matchedCount > 0;
  }

  /** Restarts the retention period of several contents. */
  async touchAll(tenantId: string, hashes: readonly string[]): Promise<void> {
    const ids = hashes.map((hash) => contentId(tenantId, hash));
    const now = new Date(this.clock.now());
    await this.#model.updateMany({ _id: { $in: ids }, tenant_id: tenantId }, { $set: { needed_at: now } }).exec();
  }

  /** Returns null if the tenant has no content with this hash. */
  async find(tenantId: string, hash: string): Promise<SkillContent | null> {
    const id = contentId(tenantId, hash);
    const known = this.#cache.get(id);
    if (known !== undefined) return known;
    const record = await ofTenant(this.#model, tenantId).findOne({ _id: id });
    if (record === null) return null;
    const content = parseContent(record);
    this.#cache.set(id, content, { size: Math.max(1, record.bytes) });
    return content;
  }

  /** Like `find`, for a content that a record references. @throws AppError internal if it is missing */
  async get(tenantId: string, hash: string): Promise<SkillContent> {
    const content = await this.find(tenantId, hash);
    if (content !== null) return content;
    throw new AppError('internal', 'The content of the skill is missing from the database');
  }

  async #assertRoom(tenantId: string, grow: number): Promise<void> {
    const [sum] = await this.#model
      .aggregate<{ bytes: number }>([
        { $match: { tenant_id: tenantId } },
        { $group: { _id: null, bytes: { $sum: '$bytes' } } },
      ])
      .exec();
    if ((sum?.bytes ?? 0) + grow <= MAX_TENANT_BYTES) return;
    throw new AppError(
      'conflict',
      `The skills of a tenant are limited to ${MAX_TENANT_BYTES / MIB} MiB, including versions and the states of the last 30 days; delete skills first`,
    );
  }
}

/** Storage used by a content, including its head, paths and record overhead. */
const storedBytes = (content: SkillContent): number =>
  RECORD_OVERHEAD_BYTES +
  bytesOf(content) +
  Buffer.byteLength(JSON.stringify(content.head)) +
  content.files.reduce((sum, { path }) => sum + Buffer.byteLength(path), 0);

/** Includes the tenant, so a hash never resolves to a content of another tenant. */
export const contentId = (tenantId: string, hash: string): string => `${tenantId}:${hash}`;

function parseContent({ text, files }: ContentRecord): SkillContent {
  // Written by `save`.
  const parsed = JSON.parse(text) as Pick<SkillContent, 'head' | 'instructions'>;
  return { ...parsed, files: files.map(({ path, data }) => ({ path, bytes: binaryBytes(data) })) };
}
