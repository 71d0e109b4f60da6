import type { Clock } from '../../../lib/clock';
import { AppError, errorMessage } from '../../../lib/errors';
import { type IndexKey, type SearchFiles, textOf } from '../../../lib/search';
import type { IndexedDocument, IndexHit, Position, Rows, SearchOptions } from '../../../lib/search/contract';
import { PeriodicTask } from '../../../lib/periodic';
import type { ChangeLog } from './change-log';

/** Database records from which the index files of one kind are built. */
export interface Source {
  /** Returns the revision to index and its rows in pages; null if the document has none. */
  load(key: IndexKey, id: string): Promise<LoadedDocument | null>;
  /** Lists the documents to index by id, in pages. */
  list(key: IndexKey, after: string, limit: number): Promise<IndexedDocument[]>;
}

export interface LoadedDocument {
  readonly revision: number;
  readonly pages: AsyncIterable<Rows> | Iterable<Rows>;
}

interface SynchronizerDeps {
  readonly files: SearchFiles;
  readonly log: ChangeLog;
  readonly sources: Readonly<Record<Rows['kind'], Source>>;
  readonly clock: Clock;
  readonly warn: (message: string, fault?: unknown) => void;
}

/** Poll interval for changes by other processes. A search reads the log of its own base. */
const POLL_MS = 2_000;
/** Upper bound of the clock skew between processes. */
const OVERLAP_MS = 60_000;
/** How long a search waits for its index file. */
const MAX_WAIT_MS = 20_000;
const PAGE_DOCUMENTS = 1_000;

interface SyncRun {
  readonly done: Promise<void>;
  next: Promise<void> | null;
}

/**
 * Keeps the index files of this process in sync with the database. A search first reads the position of the change log,
 * so it sees every change that any process had acknowledged before the search started.
 */
export class Synchronizer {
  readonly #running = new Map<string, SyncRun>();
  readonly #polling: PeriodicTask;
  #polledUntil = new Date(0);
  #stopped = false;

  constructor(private readonly deps: SynchronizerDeps) {
    const { clock } = deps;
    this.#polling = new PeriodicTask({
      clock,
      intervalMs: POLL_MS,
      run: () => this.#poll(),
      onError: (fault) => this.#warn(fault),
    });
  }

  /** Builds missing index files and starts to poll the change log. */
  start(): void {
    this.#polling.start(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#polling.stop();
    await Promise.allSettled([...this.#running.values()].map(({ done, next }) => next ?? done));
  }

  /** Publishes changed documents. After it resolves, searches in every process see the change. */
  async publishChanges(key: IndexKey, documents: readonly string[]): Promise<void> {
    await this.deps.log.append(key, documents);
    this.#syncInBackground(key);
  }

  /** Makes every process compare its index file with the source. */
  async requestRebuild(key: IndexKey): Promise<void> {
    await this.deps.log.startEpoch(key);
    this.#syncInBackground(key);
  }

  /** Removes the log and the index file of a removed source. */
  async drop(key: IndexKey): Promise<void> {
    await this.deps.log.remove(key);
    await this.deps.files.run(key, 'drop', undefined);
  }

  /** Returns hits, best first. @throws AppError unavailable */
  async search(key: IndexKey, query: string | Float32Array, options: SearchOptions): Promise<IndexHit[]> {
    const { files, log } = this.deps;
    for (;;) {
      const at = (await log.position(key)) ?? NO_CHANGES;
      const hits = await files.search(key, at, query, options);
      if (hits !== null) return hits;
      await this.#withTimeout(this.sync(key));
    }
  }

  /** Resolves when the file has all changes made before the call. */
  sync(key: IndexKey): Promise<void> {
    const name = textOf(key);
    const running = this.#running.get(name);
    if (running === undefined) return this.#startSync(name, key);
    running.next ??= running.done.then(
      () => this.#startSync(name, key),
      () => this.#startSync(name, key),
    );
    return running.next;
  }

  #startSync(name: string, key: IndexKey): Promise<void> {
    const running: SyncRun = { done: this.#sync(key), next: null };
    this.#running.set(name, running);
    const end = (): void => {
      if (running.next === null && this.#running.get(name) === running) this.#running.delete(name);
    };
    running.done.then(end, end);
    return running.done;
  }

  async #sync(key: IndexKey): Promise<void> {
    const { files, log } = this.deps;
    const has = await files.run(key, 'begin', undefined);
    const at = (await log.position(key)) ?? NO_CHANGES;
    if (has !== null && has.epoch === at.epoch && has.seq === at.seq) return;
    const changes = has === null ? null : await log.changesSince(key, has);
    await this.#update(key, changes?.documents ?? (await this.#diffWithSource(key)));
    await files.run(key, 'commit', changes?.at ?? at);
  }

  async #update(key: IndexKey, documents: readonly string[]): Promise<void> {
    const { files, sources } = this.deps;
    const gone: string[] = [];
    for (const id of documents) {
      if (this.#stopped) throw new AppError('unavailable', 'The process is shutting down');
      const loaded = await sources[key.kind].load(key, id);
      if (loaded === null) gone.push(id);
      else await this.#put(key, { id, revision: loaded.revision }, loaded.pages);
    }
    if (gone.length > 0) await files.run(key, 'remove', gone);
  }

  async #put(key: IndexKey, document: IndexedDocument, pages: LoadedDocument['pages']): Promise<void> {
    const { files } = this.deps;
    let into: number | null = null;
    let before: Rows | null = null;
    for await (const page of pages) {
      if (before !== null) into = await files.run(key, 'put', { document, rows: before, into, last: false });
      before = page;
    }
    await files.run(key, 'put', { document, rows: before ?? emptyRows(key), into, last: true });
  }

  /** Returns the documents whose revision differs between the file and the source. */
  async #diffWithSource(key: IndexKey): Promise<string[]> {
    const { files, sources } = this.deps;
    const all = async (list: (after: string) => Promise<IndexedDocument[]>): Promise<Map<string, number>> => {
      const found = new Map<string, number>();
      for (let after = ''; ; ) {
        const page = await list(after);
        for (const { id, revision } of page) found.set(id, revision);
        if (page.length < PAGE_DOCUMENTS) return found;
        after = page.at(-1)?.id ?? after;
      }
    };
    const inSource = await all((after) => sources[key.kind].list(key, after, PAGE_DOCUMENTS));
    const inFile = await all((after) => files.run(key, 'documents', { after, limit: PAGE_DOCUMENTS }));
    const ids = new Set([...inSource.keys(), ...inFile.keys()]);
    return [...ids].filter((id) => inSource.get(id) !== inFile.get(id));
  }

  async #withTimeout(work: Promise<void>): Promise<void> {
    let cancel: () => void = () => undefined;
    const late = new Promise<never>((_, reject) => {
      const fault = new AppError('unavailable', 'The search index of this knowledge base is being built', {
        retry_after: 10,
      });
      cancel = this.deps.clock.after(MAX_WAIT_MS, () => reject(fault));
    });
    try {
      await Promise.race([work, late]);
    } finally {
      cancel();
    }
  }

  #syncInBackground(key: IndexKey): void {
    if (this.#stopped) return;
    this.sync(key).catch((fault: unknown) => this.#warn(fault));
  }

  async #poll(): Promise<void> {
    const { clock, files, log } = this.deps;
    const before = new Date(clock.now() - OVERLAP_MS);
    const isFirst = this.#polledUntil.getTime() === 0;
    const changed = await log.changedSince(this.#polledUntil);
    if (isFirst) await files.retain(changed);
    for (const key of changed) {
      if (this.#stopped) return;
      // The next search retries an index that failed to build.
      await this.sync(key).catch((fault: unknown) => this.#warn(fault));
    }
    this.#polledUntil = before;
  }

  #warn(fault: unknown): void {
    if (!this.#stopped) this.deps.warn(`A search index could not be updated: ${errorMessage(fault)}`, fault);
  }
}

/** Position of an index without a log: a base that has not changed since an earlier version. */
const NO_CHANGES: Position = { epoch: 'none', seq: 0 };

const emptyRows = ({ kind }: IndexKey): Rows =>
  kind === 'words' ? { kind, chunks: [] } : { kind, chunkNumbers: [], vectors: new Float32Array(0) };
