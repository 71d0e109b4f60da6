import type { LeaderLock } from '../../lib/leader-lock';
import { errorMessage } from '../../lib/errors';
import { PeriodicTask } from '../../lib/periodic';
import { ofTenant } from '../../lib/tenant';
import { TimeSlice } from '../../lib/time-slices';
import type { BaseRecord, DocumentRecord } from './models';
import type { KnowledgeDeps } from './deps';
import { vectorGenerations } from './removal';

const INTERVAL_MS = 600_000;
/** Uploads that are older are abandoned. */
const MAX_UPLOAD_AGE_MS = 3_600_000;
/** Interval between two checks of the same base. */
const CHECK_INTERVAL_MS = 6 * 3_600_000;
const UPLOAD_BATCH = 100;
const PAGE = 500;

/** Lists the documents of an index in pages, and removes documents from it. */
interface DocumentIndex {
  documents(after: string | null): Promise<{ id: string; revision: number }[]>;
  remove(ids: string[]): Promise<void>;
}

/** Garbage collection after crashes: removes uncommitted uploads and orphaned vectors, and queues documents without vectors. */
export class KnowledgeSweep {
  readonly #task: PeriodicTask;

  constructor(
    private readonly deps: KnowledgeDeps,
    private readonly lock: LeaderLock,
    /** Wakes the worker of documents. */
    private readonly kick: () => void,
  ) {
    this.#task = new PeriodicTask({
      clock: deps.app.clock,
      intervalMs: INTERVAL_MS,
      run: () => this.run(),
      onError: (error) => deps.warn(`Sweep of knowledge bases failed: ${errorMessage(error)}`, error),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Runs one sweep, unless another process holds the lock. */
  async run(): Promise<void> {
    if (!(await this.lock.acquire())) return;
    try {
      await this.#sweepUploads();
      await this.#sweepBases();
    } finally {
      await this.lock.release();
    }
  }

  async #sweepUploads(): Promise<void> {
    const { contents, models, app } = this.deps;
    const before = new Date(app.clock.now() - MAX_UPLOAD_AGE_MS);
    for (;;) {
      const old = await contents.uploadsBefore(before, UPLOAD_BATCH);
      for (const { _id, tenant_id } of old) {
        const document = await ofTenant(models.documents, tenant_id).findOne({ _id });
        if (document === null) await contents.abandonUpload(tenant_id, _id);
        else await contents.removeUpload(tenant_id, _id);
      }
      if (old.length < UPLOAD_BATCH || this.#task.isStopped) return;
    }
  }

  async #sweepBases(): Promise<void> {
    const { models, app } = this.deps;
    const before = new Date(app.clock.now() - CHECK_INTERVAL_MS);
    const stale = { swept_at: { $lt: before }, state: 'live' as const };
    for (;;) {
      const base = await models.bases.findOne(stale).sort({ swept_at: 1 }).lean().exec();
      if (base === null || this.#task.isStopped || !(await this.lock.acquire())) return;
      await this.checkBase(base);
      const own = ofTenant(models.bases, base.tenant_id);
      await own.update({ _id: base._id }, { $set: { swept_at: new Date(app.clock.now()) } });
    }
  }

  /** Compares the indexes of a base with its documents and repairs them. */
  async checkBase(base: BaseRecord): Promise<void> {
    const { words, vectors, models, app } = this.deps;
    const { tenant_id } = base;
    const namespace = { tenantId: tenant_id, baseId: base._id };
    const documents = ofTenant(models.documents, tenant_id);
    await words.requestRebuild(namespace);
    for (const { generation, dimension } of vectorGenerations(base).filter(
      (each) => each.generation === base.generation,
    )) {
      const vectorNamespace = { ...namespace, generation, dimension };
      const store: DocumentIndex = {
        documents: (after) => vectors.documents(vectorNamespace, after, PAGE),
        remove: (ids) => vectors.remove(vectorNamespace, ids),
      };
      const again = { due_at: new Date(app.clock.now()) };
      for (const { _id, revision } of await this.#removeOrphans(base, store))
        await documents.update({ _id, revision, owner: null }, { $pull: { generations: generation }, $set: again });
    }
    this.kick();
  }

  /** Removes vectors without a document. Returns the documents without vectors. */
  async #removeOrphans(base: BaseRecord, store: DocumentIndex): Promise<Pick<DocumentRecord, '_id' | 'revision'>[]> {
    const { models } = this.deps;
    const documents = ofTenant(models.documents, base.tenant_id);
    const has = new Map<string, number>();
    for (let after: string | null = null; ; ) {
      const page = await store.documents(after);
      for (const { id, revision } of page) has.set(id, revision);
      const ids = page.map(({ id }) => id);
      // Query the records after the page: a record exists before the store has any vector of the document.
      const live = await documents.find({ _id: { $in: ids }, base_id: base._id, state: 'live' }, { fields: ['_id'] });
      const known = new Set(live.map(({ _id }) => _id));
      const orphans = ids.filter((id) => !known.has(id));
      if (orphans.length > 0) await store.remove(orphans);
      if (page.length < PAGE) break;
      after = ids.at(-1) as string;
    }
    const filter = { base_id: base._id, state: 'live' as const, revision: { $gt: 0 }, next: null };
    const without: Pick<DocumentRecord, '_id' | 'revision'>[] = [];
    const slice = new TimeSlice(base.tenant_id);
    for await (const { _id, revision } of documents.each(filter, { fields: ['_id', 'revision'] })) {
      if (slice.due) await slice.pause();
      if (has.get(_id) !== revision) without.push({ _id, revision });
    }
    return without;
  }
}
