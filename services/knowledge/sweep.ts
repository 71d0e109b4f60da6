import type { LeaderLock } from '../../lib/leader-lock';
import { errorMessage } from '../../lib/errors';
import { PeriodicTask } from '../../lib/periodic';
import { ofTenant } from '../../lib/tenant';
import type { BaseRecord, DocumentRecord } from './models';
import type { KnowledgeParts } from './parts';
import { spacesOf } from './removal';

const EVERY_MS = 600_000;
/** Longer than any upload takes. */
const UPLOAD_MS = 3_600_000;
/** A base's words and vectors are compared with its documents so often. */
const COMPARE_MS = 6 * 3_600_000;
const AT_ONCE = 100;
const PAGE = 500;

/** One page of a store's documents, and what takes some out of it. */
interface Store {
  documents(after: string | null): Promise<{ id: string; revision: number }[]>;
  remove(ids: string[]): Promise<void>;
}

/** Removes what crashes have left: uploads without a commit, words and vectors without a document. Restores those that a document lacks. */
export class KnowledgeSweep {
  readonly #task: PeriodicTask;

  constructor(
    private readonly parts: KnowledgeParts,
    private readonly lock: LeaderLock,
    /** There is work on documents. */
    private readonly kick: () => void,
  ) {
    this.#task = new PeriodicTask({
      clock: parts.app.clock,
      intervalMs: EVERY_MS,
      run: () => this.run(),
      onError: (error) => parts.warn(`Knowledge bases could not be cleaned up: ${errorMessage(error)}`, error),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** One sweep; nothing where another process sweeps. */
  async run(): Promise<void> {
    if (!(await this.lock.acquire())) return;
    try {
      await this.#uploads();
      await this.#bases();
    } finally {
      await this.lock.release();
    }
  }

  async #uploads(): Promise<void> {
    const { contents, models, app } = this.parts;
    const before = new Date(app.clock.now() - UPLOAD_MS);
    for (;;) {
      const old = await contents.old(before, AT_ONCE);
      for (const { _id, tenant_id } of old) {
        const made = await ofTenant(models.documents, tenant_id).findOne({ _id });
        if (made === null) await contents.giveUp(tenant_id, _id);
        else await contents.taken(tenant_id, _id);
      }
      if (old.length < AT_ONCE || this.#task.isStopped) return;
    }
  }

  async #bases(): Promise<void> {
    const { models, app } = this.parts;
    const before = new Date(app.clock.now() - COMPARE_MS);
    const stale = { swept_at: { $lt: before }, state: 'live' as const };
    for (;;) {
      const base = await models.bases.findOne(stale).sort({ swept_at: 1 }).lean().exec();
      if (base === null || this.#task.isStopped || !(await this.lock.acquire())) return;
      await this.compare(base);
      const own = ofTenant(models.bases, base.tenant_id);
      await own.update({ _id: base._id }, { $set: { swept_at: new Date(app.clock.now()) } });
    }
  }

  /** Mends the words and vectors of a base by its documents. */
  async compare(base: BaseRecord): Promise<void> {
    const { words, vectors, models, app } = this.parts;
    const { tenant_id } = base;
    const space = { tenantId: tenant_id, baseId: base._id };
    const documents = ofTenant(models.documents, tenant_id);
    await words.compare(space);
    for (const { generation, dimension } of spacesOf(base).filter((each) => each.generation === base.generation)) {
      const its = { ...space, generation, dimension };
      const store: Store = {
        documents: (after) => vectors.documents(its, after, PAGE),
        remove: (ids) => vectors.remove(its, ids),
      };
      const again = { due_at: new Date(app.clock.now()) };
      for (const { _id, revision } of await this.#lacking(base, store))
        await documents.update({ _id, revision, owner: null }, { $pull: { generations: generation }, $set: again });
    }
    this.kick();
  }

  /** Removes from a store what is no document's; answers the documents that it lacks. */
  async #lacking(base: BaseRecord, store: Store): Promise<Pick<DocumentRecord, '_id' | 'revision'>[]> {
    const { models } = this.parts;
    const documents = ofTenant(models.documents, base.tenant_id);
    const fields = ['_id', 'revision', 'next'];
    const has = new Map<string, number>();
    for (let after: string | null = null; ; ) {
      const page = await store.documents(after);
      for (const { id, revision } of page) has.set(id, revision);
      const ids = page.map(({ id }) => id);
      // Looked up after the page was read: a document is on record before the store has anything of it.
      const live = await documents.find({ _id: { $in: ids }, base_id: base._id, state: 'live' }, { fields: ['_id'] });
      const known = new Set(live.map(({ _id }) => _id));
      const orphans = ids.filter((id) => !known.has(id));
      if (orphans.length > 0) await store.remove(orphans);
      if (page.length < PAGE) break;
      after = ids.at(-1) as string;
    }
    const ready = await documents.find(
      { base_id: base._id, state: 'live', revision: { $gt: 0 }, next: null },
      { fields },
    );
    return ready.filter(({ _id, revision }) => has.get(_id) !== revision);
  }
}
