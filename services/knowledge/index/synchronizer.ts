import type { Clock } from '../../../lib/clock';
import { AppError, errorMessage } from '../../../lib/errors';
import { type IndexKey, type SearchFiles, textOf } from '../../../lib/search';
import type { IndexedDocument, IndexHit, Position, Rows, SearchOptions } from '../../../lib/search/contract';
import { PeriodicTask } from '../../../lib/periodic';
import type { ChangeLog } from './change-log';

/** What index files of one kind are made of: records of the database. */
export interface Source {
  /** The revision of a document to be indexed, and its rows in pages; null where there is none. */
  load(key: IndexKey, id: string): Promise<LoadedDocument | null>;
  /** The same documents by id, in pages. */
  list(key: IndexKey, after: string, limit: number): Promise<IndexedDocument[]>;
}

export interface LoadedDocument {
  readonly revision: number;
  readonly pages: AsyncIterable<Rows> | Iterable<Rows>;
}

interface SynchronizerParts {
  readonly files: SearchFiles;
  readonly log: ChangeLog;
  readonly sources: Readonly<Record<Rows['kind'], Source>>;
  readonly clock: Clock;
  readonly warn: (message: string, fault?: unknown) => void;
}

/** How often changes by other processes are looked for. A search looks for those of its base by itself. */
const POLL_MS = 2_000;
/** Clocks of processes differ by less. */
const OVERLAP_MS = 60_000;
/** How long a search waits for its index file. */
const MAX_WAIT_MS = 20_000;
const PAGE = 1_000;

interface Running {
  readonly done: Promise<void>;
  next: Promise<void> | null;
}

/**
 * Brings the index files of this process up to date with the database. A search first reads the position of the change
 * log, and then sees every change that was acknowledged before it began, by whichever process.
 */
export class Synchronizer {
  readonly #running = new Map<string, Running>();
  readonly #polling: PeriodicTask;
  #polledUntil = new Date(0);
  #stopped = false;

  constructor(private readonly parts: SynchronizerParts) {
    const { clock } = parts;
    this.#polling = new PeriodicTask({
      clock,
      intervalMs: POLL_MS,
      run: () => this.#poll(),
      onError: (fault) => this.#report(fault),
    });
  }

  /** Builds what is missing, and follows what other processes change. */
  start(): void {
    this.#polling.start(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#polling.stop();
    await Promise.allSettled([...this.#running.values()].map(({ done, next }) => next ?? done));
  }

  /** Documents of the source have changed. Resolves when all processes can see it. */
  async changed(key: IndexKey, documents: readonly string[]): Promise<void> {
    await this.parts.log.append(key, documents);
    this.#inBackground(key);
  }

  /** Every process compares its file with the source. */
  async compare(key: IndexKey): Promise<void> {
    await this.parts.log.renew(key);
    this.#inBackground(key);
  }

  /** Forgets an index whose source is gone. */
  async drop(key: IndexKey): Promise<void> {
    await this.parts.log.remove(key);
    await this.parts.files.run(key, 'drop', undefined);
  }

  /** The best first. @throws AppError unavailable */
  async search(key: IndexKey, query: string | Float32Array, options: SearchOptions): Promise<IndexHit[]> {
    const { files, log } = this.parts;
    for (;;) {
      const at = (await log.position(key)) ?? EMPTY;
      const hits = await files.search(key, at, query, options);
      if (hits !== null) return hits;
      await this.#inTime(this.sync(key));
    }
  }

  /** Resolves when the file has all changes from before the call. */
  sync(key: IndexKey): Promise<void> {
    const name = textOf(key);
    const running = this.#running.get(name);
    if (running === undefined) return this.#begin(name, key);
    running.next ??= running.done.then(
      () => this.#begin(name, key),
      () => this.#begin(name, key),
    );
    return running.next;
  }

  #begin(name: string, key: IndexKey): Promise<void> {
    const running: Running = { done: this.#sync(key), next: null };
    this.#running.set(name, running);
    const end = (): void => {
      if (running.next === null && this.#running.get(name) === running) this.#running.delete(name);
    };
    running.done.then(end, end);
    return running.done;
  }

  async #sync(key: IndexKey): Promise<void> {
    const { files, log } = this.parts;
    const has = await files.run(key, 'begin', undefined);
    const at = (await log.position(key)) ?? EMPTY;
    if (has !== null && has.epoch === at.epoch && has.seq === at.seq) return;
    const changes = has === null ? null : await log.since(key, has);
    await this.#update(key, changes?.documents ?? (await this.#differences(key)));
    await files.run(key, 'commit', changes?.at ?? at);
  }

  async #update(key: IndexKey, documents: readonly string[]): Promise<void> {
    const { files, sources } = this.parts;
    const gone: string[] = [];
    for (const id of documents) {
      if (this.#stopped) throw new AppError('unavailable', 'The process stops');
      const loaded = await sources[key.kind].load(key, id);
      if (loaded === null) gone.push(id);
      else await this.#put(key, { id, revision: loaded.revision }, loaded.pages);
    }
    if (gone.length > 0) await files.run(key, 'remove', gone);
  }

  async #put(key: IndexKey, document: IndexedDocument, pages: LoadedDocument['pages']): Promise<void> {
    const { files } = this.parts;
    let into: number | null = null;
    let before: Rows | null = null;
    for await (const page of pages) {
      if (before !== null) into = await files.run(key, 'put', { document, rows: before, into, last: false });
      before = page;
    }
    await files.run(key, 'put', { document, rows: before ?? emptyRows(key), into, last: true });
  }

  /** Documents whose revision in the file is not that of the source. */
  async #differences(key: IndexKey): Promise<string[]> {
    const { files, sources } = this.parts;
    const all = async (list: (after: string) => Promise<IndexedDocument[]>): Promise<Map<string, number>> => {
      const found = new Map<string, number>();
      for (let after = ''; ; ) {
        const page = await list(after);
        for (const { id, revision } of page) found.set(id, revision);
        if (page.length < PAGE) return found;
        after = page.at(-1)?.id ?? after;
      }
    };
    const wanted = await all((after) => sources[key.kind].list(key, after, PAGE));
    const has = await all((after) => files.run(key, 'documents', { after, limit: PAGE }));
    const ids = new Set([...wanted.keys(), ...has.keys()]);
    return [...ids].filter((id) => wanted.get(id) !== has.get(id));
  }

  async #inTime(work: Promise<void>): Promise<void> {
    let cancel: () => void = () => undefined;
    const late = new Promise<never>((_, reject) => {
      const fault = new AppError('unavailable', 'The search index of this knowledge base is being built', {
        retry_after: 10,
      });
      cancel = this.parts.clock.after(MAX_WAIT_MS, () => reject(fault));
    });
    try {
      await Promise.race([work, late]);
    } finally {
      cancel();
    }
  }

  #inBackground(key: IndexKey): void {
    if (this.#stopped) return;
    this.sync(key).catch((fault: unknown) => this.#report(fault));
  }

  async #poll(): Promise<void> {
    const { clock, files, log } = this.parts;
    const before = new Date(clock.now() - OVERLAP_MS);
    const isFirst = this.#polledUntil.getTime() === 0;
    const changed = await log.changedSince(this.#polledUntil);
    if (isFirst) await files.retain(changed);
    for (const key of changed) {
      if (this.#stopped) return;
      // An index that cannot be built is tried again by the next search; the others go on.
      await this.sync(key).catch((fault: unknown) => this.#report(fault));
    }
    this.#polledUntil = before;
  }

  #report(fault: unknown): void {
    if (!this.#stopped) this.parts.warn(`A search index is not up to date: ${errorMessage(fault)}`, fault);
  }
}

/** Where there is no log: of a base without changes since an earlier version. */
const EMPTY: Position = { epoch: 'none', seq: 0 };

const emptyRows = ({ kind }: IndexKey): Rows =>
  kind === 'words' ? { kind, chunks: [] } : { kind, ns: [], vectors: new Float32Array(0) };
