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
