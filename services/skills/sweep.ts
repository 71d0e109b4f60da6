import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import { PeriodicTask } from '../../lib/periodic';
import { contentId, RETENTION_MS } from './content-store';
import type { ContentRecord, SkillModels } from './models';
import { versionsOf } from './registry';
import { removeOldUploads } from '../../mixins/uploads';

const INTERVAL_MS = 600_000;
const BATCH = 100;
/** Longer than a publication or a deletion takes. */
const MIN_ORPHAN_AGE_MS = 3_600_000;

/**
 * Garbage collection: contents unreferenced for RETENTION_MS, parts of uncommitted uploads, and registry entries of
 * deleted skills. Concurrent sweeps of several processes are safe.
 */
export class Sweep {
  readonly #task: PeriodicTask;

  constructor(
    private readonly models: SkillModels,
    private readonly clock: Clock,
    warn: (message: string) => void,
  ) {
    this.#task = new PeriodicTask({
      clock,
      intervalMs: INTERVAL_MS,
      run: async () => void (await this.run()),
      onError: (error) => warn(`Sweep of skill contents failed: ${errorMessage(error)}`),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Runs one sweep and returns the number of removed contents. */
  async run(): Promise<number> {
    const now = this.clock.now();
    await removeOldUploads(this.models.uploads, now);
    await this.#removeOrphans(new Date(now - MIN_ORPHAN_AGE_MS));
    let removed = 0;
    for (;;) {
      const old = await this.#expired(new Date(now - RETENTION_MS));
      for (const content of old) removed += await this.#removeUnreferenced(content, new Date(now));
      if (old.length < BATCH || this.#task.isStopped) return removed;
    }
  }

  #expired(before: Date) {
    return this.models.contents
      .find({ needed_at: { $lt: before } })
      .sort({ needed_at: 1 })
      .limit(BATCH)
      .select(['tenant_id', 'hash', 'needed_at'])
      .lean()
      .exec();
  }

  /** Removes a content, or restarts its retention period if it is referenced. A concurrent reference updates `needed_at` and prevents the removal. */
  async #removeUnreferenced(
    content: Pick<ContentRecord, '_id' | 'tenant_id' | 'hash' | 'needed_at'>,
    now: Date,
  ): Promise<number> {
    const { _id, needed_at } = content;
    if (await this.#isReferenced(content)) {
      await this.models.contents.updateOne({ _id, needed_at }, { $set: { needed_at: now } }).exec();
      return 0;
    }
    return (await this.models.contents.deleteOne({ _id, needed_at }).exec()).deletedCount;
  }

  async #isReferenced({ tenant_id, hash }: Pick<ContentRecord, 'tenant_id' | 'hash'>): Promise<boolean> {
    const { skills, published } = this.models;
    if ((await skills.exists({ tenant_id, $or: [{ hash }, { source_hash: hash }] }).exec()) !== null) return true;
    for await (const record of published.find({ tenant_id }).select(['versions']).lean().cursor())
      if (versionsOf(record).some((version) => version.hash === hash)) return true;
    return false;
  }

  async #removeOrphans(before: Date): Promise<void> {
    const { skills, published } = this.models;
    for await (const { _id } of published
      .find({ published_at: { $lt: before } })
      .select(['_id'])
      .lean()
      .cursor()) {
      if ((await skills.exists({ _id }).exec()) === null) await this.#removeOrphan(_id);
    }
  }

  /** Removes a registry entry. The retention period of its contents restarts, because runs may have pinned them. */
  async #removeOrphan(_id: string): Promise<void> {
    const { contents, published } = this.models;
    const record = await published.findOne({ _id }).lean().exec();
    if (record === null) return;
    const { tenant_id } = record;
    const ids = versionsOf(record).map(({ hash }) => contentId(tenant_id, hash));
    const needed_at = new Date(this.clock.now());
    await contents.updateMany({ _id: { $in: ids }, tenant_id }, { $set: { needed_at } }).exec();
    await published.deleteOne({ _id }).exec();
  }
}
