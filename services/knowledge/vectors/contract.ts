import type { IndexHit, Namespace, SearchOptions } from '../../../lib/search/contract';

/** Vectors of one base by one model. A change of the model fills another `generation` while this one is searched. */
export interface VectorNamespace extends Namespace {
  readonly generation: number;
  readonly dimension: number;
}

/** All vectors of a document's revision, chunk by chunk: `vectors` holds `ns.length` times `dimension` floats. */
export interface DocumentVectors {
  readonly id: string;
  readonly revision: number;
  readonly ns: readonly number[];
  readonly vectors: Float32Array;
}

/**
 * Vectors of chunks, searched exactly or nearly so, by cosine (scores from -1 to 1). What has been put is durable and
 * found by every process when the promise resolves. One contract suite holds for each that there is.
 */
export interface VectorStore {
  readonly name: 'embedded' | 'qdrant';
  /** Takes the place of other revisions of the documents. Repeating it is harmless. */
  put(space: VectorNamespace, documents: readonly DocumentVectors[]): Promise<void>;
  remove(space: VectorNamespace, documentIds: readonly string[]): Promise<void>;
  removeGeneration(space: Omit<VectorNamespace, 'dimension'>): Promise<void>;
  /** Every generation of the base. */
  removeAll(space: Namespace): Promise<void>;
  search(space: VectorNamespace, vector: Float32Array, options: SearchOptions): Promise<IndexHit[]>;
  /** Documents that the store has, each once, in an order of the store's own; `after`: last of the page before. For sweeps. */
  documents(space: VectorNamespace, after: string | null, limit: number): Promise<{ id: string; revision: number }[]>;
  /** Whether it can be reached; for /health/ready. */
  ready(): Promise<boolean>;
}
