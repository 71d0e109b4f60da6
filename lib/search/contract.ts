/** Owner of an index: one knowledge base of a tenant. */
export interface Namespace {
  readonly tenantId: string;
  readonly baseId: string;
}

/** A found chunk. Scores are comparable within one result. */
export interface IndexHit {
  readonly documentId: string;
  readonly revision: number;
  readonly n: number;
  readonly score: number;
}

export interface SearchOptions {
  readonly limit: number;
  /** Restricts to chunks of these documents; null for all. */
  readonly documents: ReadonlySet<string> | null;
  readonly signal?: AbortSignal;
}

/** State of the source that an index file reflects: change number `seq` of the change log with this `epoch`. */
export interface Position {
  readonly epoch: string;
  readonly seq: number;
}

/** A document in an index, and the revision that is in it. */
export interface IndexedDocument {
  readonly id: string;
  readonly revision: number;
}

export interface WordRows {
  readonly kind: 'words';
  readonly chunks: readonly { readonly n: number; readonly text: string }[];
}

/** `vectors` has `dimension` floats for each chunk number. */
export interface VectorRows {
  readonly kind: 'vectors';
  readonly chunkNumbers: readonly number[];
  readonly vectors: Float32Array;
}

export type Rows = WordRows | VectorRows;
