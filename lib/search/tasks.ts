/** Operations on index files, in a pool thread. Recently used files stay open. */
import { LRUCache } from 'lru-cache';
import { defineTask } from '../compute';
import type { IndexedDocument, IndexHit, Position, Rows } from './contract';
import { IndexFile, type RowStore, sqliteCode } from './index-file';
import { forgetVectors, searchVectors, VECTORS } from './vectors';
import { searchWords, WORDS } from './words';

const MAX_OPEN_FILES = 100;
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGE: ReadonlySet<number> = new Set([11, 26]);

/** A file and the kind of its rows. */
export interface FileRef {
  readonly path: string;
  readonly kind: Rows['kind'];
}

interface Put {
  readonly document: IndexedDocument;
  readonly rows: Rows;
  /** Result of the previous `put`; null for the first rows. */
  readonly into: number | null;
  readonly last: boolean;
}

interface Search {
  /** Minimum position of the file. */
  readonly at: Position;
  readonly query: string | Float32Array;
  readonly limit: number;
  /** Ids as JSON, which is cheap to send; null for all. */
  readonly documents: string | null;
  readonly memoryBytes: number;
}

interface Target extends FileRef {
  readonly file: IndexFile;
  readonly store: RowStore<Rows>;
}

const OPERATIONS = {
  /** Starts an update of a file; returns its position. */
  begin({ file, store }: Target): Position | null {
    file.removeUnfinished(store);
    return file.position();
  },
  documents: ({ file }: Target, { after, limit }: { after: string; limit: number }) => file.documents(after, limit),
  put: ({ file, store }: Target, { document, rows, into, last }: Put) => file.put(store, document, rows, into, last),
  remove: ({ file, store }: Target, documents: readonly string[]) => file.remove(store, documents),
  commit: ({ file }: Target, position: Position) => file.setPosition(position),
  /** Null when the file is older than requested. */
  search({ file, path }: Target, { at, query, ...options }: Search): IndexHit[] | null {
    const position = file.position();
    if (position === null || position.epoch !== at.epoch || position.seq < at.seq) return null;
    if (typeof query !== 'string') return searchVectors(path, file, query, options);
    return searchWords(file, query, options.limit, options.documents);
  },
  drop: ({ path }: Target): void => drop(path),
};

type Operations = typeof OPERATIONS;
export type OperationName = keyof Operations;
export type Input<N extends OperationName> = Parameters<Operations[N]>[1];
export type Output<N extends OperationName> = ReturnType<Operations[N]>;

interface Call<N extends OperationName> extends FileRef {
  readonly operation: N;
  readonly input: Input<N>;
}

export const indexTask = defineTask('lib/search/tasks', 'indexTask', work as (call: Call<OperationName>) => unknown);

const files = new LRUCache<string, IndexFile>({ max: MAX_OPEN_FILES, dispose: (file) => file.close() });

/** A corrupt file is removed: it will be rebuilt. */
function work<N extends OperationName>({ operation, input, ...ref }: Call<N>): Output<N> {
  // The caller pairs the operation with its input, and a file has rows of its kind only.
  const run = OPERATIONS[operation] as (target: Target, given: Input<N>) => Output<N>;
  const store = (ref.kind === 'words' ? WORDS : VECTORS) as RowStore<Rows>;
  try {
    return run({ ...ref, store, file: opened(ref.path, store.tables) }, input);
  } catch (fault) {
    if (!DAMAGE.has(sqliteCode(fault) ?? 0)) throw fault;
    drop(ref.path);
    return run({ ...ref, store, file: opened(ref.path, store.tables) }, input);
  }
}

function opened(path: string, tables: string): IndexFile {
  const file = files.get(path) ?? IndexFile.open(path, tables);
  files.set(path, file);
  return file;
}

function drop(path: string): void {
  close(path);
  IndexFile.delete(path);
}

function close(path: string): void {
  files.delete(path);
  forgetVectors(path);
}
