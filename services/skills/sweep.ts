import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import { PeriodicTask } from '../../lib/periodic';
import { idOf, KEPT_MS } from './contents';
import type { ContentRecord, SkillModels } from './models';
import { versionsOf } from './registry';

const EVERY_MS = 600_000;
const BATCH = 100;
/** Longer than any bundle takes to come in. */
const UPLOAD_MS = 3_600_000;
/** Longer than publishing and deleting take. */
const ORPHAN_MS = 3_600_000;

/**
 * Removes what is not needed any more: contents that nothing has named for KEPT_MS, parts of bundles that were not committed,
 * and what the registry has of skills that are gone. Any number of processes may sweep at once.
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
      intervalMs: EVERY_MS,
      run: async () => void (await this.run()),
      onError: (error) => warn(`Unused contents of skills could not be removed: ${errorMessage(error)}`),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Answers how many contents were removed. */
  async run(): Promise<number> {
    const now = this.clock.now();
    await this.models.uploads.deleteMany({ created_at: { $lt: new Date(now - UPLOAD_MS) } }).exec();
    await this.#removeOrphans(new Date(now - ORPHAN_MS));
    let removed = 0;
    for (;;) {
      const old = await this.#unneeded(new Date(now - KEPT_MS));
      for (const content of old) removed += await this.#settle(content, new Date(now));
      if (old.length < BATCH || this.#task.isStopped) return removed;
    }
  }

  #unneeded(before: Date) {
    return this.models.contents
      .find({ needed_at: { $lt: before } })
      .sort({ needed_at: 1 })
      .limit(BATCH)
      .select(['tenant_id', 'hash', 'needed_at'])
      .lean()
      .exec();
  }

  /** What is named is looked at again after as long a time; who names it meanwhile has set `needed_at`, so it stays. */
  async #settle(content: Pick<ContentRecord, '_id' | 'tenant_id' | 'hash' | 'needed_at'>, now: Date): Promise<number> {
    const { _id, needed_at } = content;
    if (await this.#isNamed(content)) {
      await this.models.contents.updateOne({ _id, needed_at }, { $set: { needed_at: now } }).exec();
      return 0;
    }
    return (await this.models.contents.deleteOne({ _id, needed_at }).exec()).deletedCount;
  }

  async #isNamed({ tenant_id, hash }: Pick<ContentRecord, 'tenant_id' | 'hash'>): Promise<boolean> {
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

  /** Its versions are kept for runs that have begun with them, as anything is that stops being named. */
  async #removeOrphan(_id: string): Promise<void> {
    const { contents, published } = this.models;
    const record = await published.findOne({ _id }).lean().exec();
    if (record === null) return;
    const { tenant_id } = record;
    const ids = versionsOf(record).map(({ hash }) => idOf(tenant_id, hash));
    const needed_at = new Date(this.clock.now());
    await contents.updateMany({ _id: { $in: ids }, tenant_id }, { $set: { needed_at } }).exec();
    await published.deleteOne({ _id }).exec();
  }
}
