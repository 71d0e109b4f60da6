import type { Db } from 'mongodb';
import type { Clock } from '../../../lib/clock';

/** Whose words are kept: those of one base of one tenant. */
export interface IndexSpace {
  readonly tenantId: string;
  readonly baseId: string;
}

/** A document as the index takes it. `revision` rises with its content; only the newest is ever found. */
export interface IndexedDocument {
  readonly id: string;
  readonly revision: number;
  readonly chunks: readonly { readonly n: number; readonly text: string }[];
}

/** A chunk that was found. Scores compare within one answer. */
export interface IndexHit {
  readonly documentId: string;
  readonly revision: number;
  readonly n: number;
  readonly score: number;
}

export interface SearchOptions {
  readonly limit: number;
  /** Only chunks of these documents; null for all. */
  readonly documents: ReadonlySet<string> | null;
  readonly signal?: AbortSignal;
}

/** Words of texts, ranked by BM25. What has been put is durable and found by every process when the promise resolves. */
export interface LexicalIndex {
  /** Takes the place of other revisions of the document. Repeating it is harmless. */
  put(space: IndexSpace, documents: readonly IndexedDocument[]): Promise<void>;
  remove(space: IndexSpace, documentIds: readonly string[]): Promise<void>;
  removeAll(space: IndexSpace): Promise<void>;
  search(space: IndexSpace, query: string, options: SearchOptions): Promise<IndexHit[]>;
  /** Documents that the index has, by id, in pages; for sweeps. */
  documents(space: IndexSpace, after: string | null, limit: number): Promise<{ id: string; revision: number }[]>;
}

/** What an index needs of its process. */
export interface IndexMachineOptions {
  readonly db: Db;
  readonly clock: Clock;
  /** Told of what went wrong in the background; it is tried again. */
  readonly warn: (message: string) => void;
  /** What the thread that searches may keep in memory, in bytes. */
  readonly memoryBytes?: number;
  /** Run in this thread rather than in a worker. The default where the code is not compiled, as no worker can load it. */
  readonly inline?: boolean;
  /** The compiled worker, where it is not beside its source. */
  readonly entry?: string;
  /** Segments that are larger are stored in blocks. */
  readonly inlineBytes?: number;
}

/**
 * What the lexical index and the embedded vectors of a process rest on: segments in the database, and one thread that
 * builds, merges and searches them. Made by `openIndexMachine`, once in a process; nothing is begun before it is used.
 */
export interface IndexMachine {
  /** Makes the indexes of its collections; at the start of the service. */
  createIndexes(): Promise<void>;
  /** Begins to sweep up, now and then, what processes that died have left. */
  start(): void;
  /** Ends its thread. What waits for it is rejected. */
  close(): Promise<void>;
}
