import type { IndexHit, Namespace, SearchOptions } from '../../../lib/search/contract';

/** Vectors of one base by one model. A re-embedding fills another `generation` while searches use this one. */
export interface VectorNamespace extends Namespace {
  readonly generation: number;
  readonly dimension: number;
}

/** All vectors of a revision. `vectors` has `dimension` floats for each chunk number. */
export interface DocumentVectors {
  readonly id: string;
  readonly revision: number;
  readonly chunkNumbers: readonly number[];
  readonly vectors: Float32Array;
}

/**
 * Exact or approximate vector search by cosine (scores from -1 to 1). When `put` resolves, the vectors are
 * durable and visible to every process. test/contract/vector-store.ts tests every implementation.
 */
export interface VectorStore {
  readonly name: 'embedded' | 'qdrant';
  /** Replaces other revisions of the documents. Idempotent. */
  put(namespace: VectorNamespace, documents: readonly DocumentVectors[]): Promise<void>;
  remove(namespace: VectorNamespace, documentIds: readonly string[]): Promise<void>;
  removeGeneration(namespace: Omit<VectorNamespace, 'dimension'>): Promise<void>;
  /** Every generation of the base. */
  removeAll(namespace: Namespace): Promise<void>;
  search(namespace: VectorNamespace, vector: Float32Array, options: SearchOptions): Promise<IndexHit[]>;
  /** Lists stored documents in the store's own order; `after`: last id of the previous page. Used by the sweep. */
  documents(
    namespace: VectorNamespace,
    after: string | null,
    limit: number,
  ): Promise<{ id: string; revision: number }[]>;
  /** True if the store is reachable; for /health/ready. */
  ready(): Promise<boolean>;
}
