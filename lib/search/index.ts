/**
 * Word and vector indexes in local files. They are derived from the database, and may be deleted at any time. Words and
 * vectors have a thread each, so that both lists of a query are computed in parallel.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '../sqlite';
import { ComputeError, type ComputeOptions, ComputePool } from '../compute';
import { AppError } from '../errors';
import type { IndexHit, Namespace, Position, Rows, SearchOptions } from './contract';
import { byScore } from './fusion';
import { sqliteCode } from './index-file';
import { type FileRef, indexTask, type Input, type OperationName, type Output } from './tasks';

const SEARCH_TIMEOUT_MS = 10_000;
const WRITE_TIMEOUT_MS = 60_000;
/** Vectors are cached in the thread's memory. */
const IDLE_MS = 600_000;
const SQLITE_BUSY = 5;
const KINDS = ['words', 'vectors'] as const;
/** Maximum processes that share a data directory. */
const MAX_PROCESSES = 100;

interface SearchFilesOptions {
  /** Created when first needed; each process takes a subfolder. */
  readonly dir: string;
  /** Memory for cached vectors. */
  readonly memoryBytes: number;
}

/** An index: the words of a base, or the vectors of one generation. */
export interface IndexKey extends Namespace {
  readonly kind: Rows['kind'];
  readonly generation: number;
}

export const textOf = ({ tenantId, baseId, kind, generation }: IndexKey): string =>
  JSON.stringify([tenantId, baseId, kind, generation]);

export class SearchFiles {
  readonly #pools: Readonly<Record<Rows['kind'], ComputePool>> = { words: openPool(), vectors: openPool() };
  #folder: { readonly path: string; readonly lock: DatabaseSync } | null = null;

  constructor(private readonly options: SearchFilesOptions) {}

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#pools).map((pool) => pool.close()));
    if (this.#folder === null) return;
    this.#folder.lock.close();
    this.#folder = null;
  }

  /** Runs an operation on an index file. @throws AppError unavailable */
  async run<N extends OperationName>(key: IndexKey, operation: N, input: Input<N>): Promise<Output<N>> {
    return this.#run(key.tenantId, this.#ref(key), operation, input, { timeoutMs: WRITE_TIMEOUT_MS });
  }

  /** Best first; null when the file is older than `at`. @throws AppError unavailable */
  async search(
    key: IndexKey,
    at: Position,
    query: string | Float32Array,
    { limit, documents, signal }: SearchOptions,
  ): Promise<IndexHit[] | null> {
    const ids = documents === null ? null : JSON.stringify([...documents]);
    const input = { at, query, limit, documents: ids, memoryBytes: this.options.memoryBytes };
    const options = { timeoutMs: SEARCH_TIMEOUT_MS, ...(signal === undefined ? {} : { signal }) };
    const hits = await this.#run(key.tenantId, this.#ref(key), 'search', input, options);
    return hits?.sort(byScore) ?? null;
  }

  /** Removes the files of all other indexes. */
  async retain(keys: readonly IndexKey[]): Promise<void> {
    const known = new Set(keys.map((key) => this.#ref(key).path));
    const folder = this.#ownFolder();
    for (const name of readdirSync(folder)) {
      const kind = KINDS.find((each) => name.endsWith(`.${each}`));
      const path = join(folder, name);
      if (kind !== undefined && !known.has(path))
        await this.#run('', { path, kind }, 'drop', undefined, { timeoutMs: WRITE_TIMEOUT_MS });
    }
  }

  async #run<N extends OperationName>(
    lane: string,
    ref: FileRef,
    operation: N,
    input: Input<N>,
    options: ComputeOptions,
  ): Promise<Output<N>> {
    options.signal?.throwIfAborted();
    try {
      // The task returns the operation's result.
      return (await this.#pools[ref.kind]
        .lane(lane)
        .run(indexTask, { ...ref, operation, input }, options)) as Output<N>;
    } catch (fault) {
      if (!(fault instanceof ComputeError)) throw fault;
      options.signal?.throwIfAborted();
      throw new AppError('unavailable', `The search index does not answer: ${fault.message}`, {}, { cause: fault });
    }
  }

  #ref(key: IndexKey): FileRef {
    const name = createHash('sha256').update(textOf(key)).digest('hex').slice(0, 32);
    return { path: join(this.#ownFolder(), `${name}.${key.kind}`), kind: key.kind };
  }

  #ownFolder(): string {
    this.#folder ??= lockFolder(this.options.dir);
    return this.#folder.path;
  }
}

const openPool = (): ComputePool =>
  new ComputePool({ policy: { maxThreads: 1, idleMs: IDLE_MS, heapMiB: 512 }, modules: ['lib/search/tasks'] });

/** The first folder that no other process uses. SQLite releases the lock of a dead process. */
function lockFolder(dir: string): { path: string; lock: DatabaseSync } {
  for (let n = 0; n < MAX_PROCESSES; n++) {
    const path = join(dir, String(n));
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const lock = new DatabaseSync(join(path, 'lock'));
    try {
      lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      return { path, lock };
    } catch (fault) {
      lock.close();
      if (sqliteCode(fault) !== SQLITE_BUSY) throw fault;
    }
  }
  throw new Error(`All folders of ${dir} are used by other processes`);
}
