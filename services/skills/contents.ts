/**
 * Contents of skills, by tenant and hash. They never change, so a hash always gives the same content.
 *
 *  C1  A content is there before anything names it, and `needed_at` is set anew before anything stops naming it.
 *  C2  What nothing names any more is kept for KEPT_MS after that: runs may have begun with it.
 */
import type { Collection } from 'mongodb';
import type { Model } from 'mongoose';
import type { Clock } from '../../lib/clock';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { createCache } from '../../lib/cache';
import { durableOptions, ofTenant } from '../../lib/tenant';
import { bytesIn, type ContentRecord, type SkillModels } from './models';
import { bytesOf, hashOf, type SkillContent } from './rules/content';

const MIB = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;

export const KEPT_MS = 30 * DAY_MS;
/** Of all contents of a tenant, former ones too. */
const MAX_TENANT_BYTES = 512 * MIB;
const CACHED_BYTES = 32 * MIB;
/** What a record and its places in the indexes take beside what is in it, or nearly. */
const RECORD_BYTES = 1024;

export class Contents {
  readonly #read = createCache<SkillContent>({ maxSize: CACHED_BYTES });
  readonly #model: Model<ContentRecord>;

  constructor(
    models: Pick<SkillModels, 'contents'>,
    private readonly clock: Clock,
  ) {
    this.#model = models.contents;
  }

  /** Keeps a content; answers its hash. @throws AppError conflict when the tenant keeps too much */
  async keep(tenantId: string, content: SkillContent): Promise<string> {
    const hash = hashOf(content);
    if (await this.need(tenantId, hash)) return hash;
    const bytes = keptBytes(content);
    await this.#assertRoom(tenantId, bytes);
    const { head, instructions, files } = content;
    await this.#insert({
      _id: idOf(tenantId, hash),
      tenant_id: tenantId,
      hash,
      text: JSON.stringify({ head, instructions }),
      files: files.map(({ path, bytes: data }) => ({ path, data: Buffer.from(data) })),
      bytes,
      needed_at: new Date(this.clock.now()),
    }).catch(async (fault: unknown) => {
      // Another request has stored the same content in the meantime.
      if (!isDuplicateKey(fault) || !(await this.need(tenantId, hash))) throw fault;
    });
    return hash;
  }

  /** By the driver: mongoose would list each byte of the files as a path, and stand still for seconds. */
  async #insert(record: ContentRecord): Promise<void> {
    const { collection } = this.#model;
    const { writeConcern } = durableOptions;
    await (collection as unknown as Collection<ContentRecord>).insertOne(record, { writeConcern });
  }

  /** Keeps a content from going for a while; false where there is none. */
  async need(tenantId: string, hash: string): Promise<boolean> {
    const now = new Date(this.clock.now());
    const touched = await this.#model
      .updateOne({ _id: idOf(tenantId, hash), tenant_id: tenantId }, { $set: { needed_at: now } })
      .exec();
    return touched.matchedCount > 0;
  }

  /** The same of several. */
  async needAll(tenantId: string, hashes: readonly string[]): Promise<void> {
    const ids = hashes.map((hash) => idOf(tenantId, hash));
    const now = new Date(this.clock.now());
    await this.#model.updateMany({ _id: { $in: ids }, tenant_id: tenantId }, { $set: { needed_at: now } }).exec();
  }

  /** The content of a tenant by its hash; null where it is gone. */
  async find(tenantId: string, hash: string): Promise<SkillContent | null> {
    const id = idOf(tenantId, hash);
    const known = this.#read.get(id);
    if (known !== undefined) return known;
    const record = await ofTenant(this.#model, tenantId).findOne({ _id: id });
    if (record === null) return null;
    const content = contentIn(record);
    this.#read.set(id, content, { size: Math.max(1, record.bytes) });
    return content;
  }

  /** The same of what a record names. @throws AppError internal when it is not there, which nothing of ours does */
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
      `Skills of a tenant have at most ${MAX_TENANT_BYTES / MIB} MiB, their versions and what they were in the last 30 days counted`,
    );
  }
}

/** Bytes that a content takes up: what it says of itself and the paths of its files too, and never none. */
const keptBytes = (content: SkillContent): number =>
  RECORD_BYTES +
  bytesOf(content) +
  Buffer.byteLength(JSON.stringify(content.head)) +
  content.files.reduce((sum, { path }) => sum + Buffer.byteLength(path), 0);

/** By tenant, so that no hash leads to another's. */
export const idOf = (tenantId: string, hash: string): string => `${tenantId}:${hash}`;

function contentIn({ text, files }: ContentRecord): SkillContent {
  // It is what `keep` has written.
  const parsed = JSON.parse(text) as Pick<SkillContent, 'head' | 'instructions'>;
  return { ...parsed, files: files.map(({ path, data }) => ({ path, bytes: bytesIn(data) })) };
}
