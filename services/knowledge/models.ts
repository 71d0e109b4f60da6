import { DUE_INDEX, leaseFields } from '../../mixins/leased-work/fields';
import type { LeaseFields } from '../../mixins/leased-work/lease';
import type { Binary } from 'mongodb';
import { type Connection, type Model, Schema } from 'mongoose';
import type { JsonObject } from '../../lib/json';
import { durableOptions, type Owned, ownedFields, requiredText, requiredNumber, requiredDate } from '../../lib/tenant';
import { createIndexes } from '../../lib/indexes';
import type { ChunkingView, DocumentState, EmbeddingView } from '../../contracts/knowledge/views';

/** A change of the model. Its vectors are written to `generation` while searches use the active generation. */
export interface Reembedding {
  state: 'running' | 'done' | 'failed';
  generation: number;
  embedding: EmbeddingView | null;
  /** Number of chunks, like `total`. */
  done: number;
  total: number;
  error: { code: string; message: string } | null;
  started_at: Date;
  ended_at: Date | null;
}

export interface BaseRecord extends Owned, LeaseFields {
  name: string;
  description: string | null;
  /** Only `live` bases are visible. `removed`: the data was removed once; a last pass follows. */
  state: 'live' | 'removing' | 'removed';
  /** Model of the active generation; null for hashed vectors. */
  embedding: EmbeddingView | null;
  /** The generation of vectors that searches use. */
  generation: number;
  /** The highest generation used so far. */
  last_generation: number;
  chunking: ChunkingView;
  reembedding: Reembedding | null;
  /** A generation whose vectors are to be removed; null for none. */
  retired: number | null;
  /** When the sweep last compared the indexes with the documents. */
  swept_at: Date;
  created_at: Date;
  updated_at: Date;
}

/** The stored bytes of a document. `id` is the `contentId` of the revision that introduced them. */
export interface Content {
  id: string;
  /** Bytes. */
  size: number;
  /** SHA-256 in hexadecimal. */
  hash: string;
  content_type: string | null;
  /** The fetched URL after redirects; null for uploads and texts. */
  url: string | null;
}

/** Result of parsing and chunking a content. */
export interface ChunkSummary {
  title: string | null;
  pages: number | null;
  chunks: number;
  tokens: number;
  /** Bytes of the chunk texts. */
  bytes: number;
  warnings: string[];
}

/** A revision that is being ingested. A new claim continues with the first missing step. */
export interface NextRevision {
  revision: number;
  chunking: ChunkingView;
  /** Null until fetched. */
  content: Content | null;
  /** Null until all chunks are stored. */
  cut: ChunkSummary | null;
}

/** A URL from which a document is fetched. */
export interface UrlSource {
  kind: 'url';
  url: string;
  /** The interval as the caller wrote it, such as `1d`; null for no refresh. */
  refresh: string | null;
  refresh_ms: number | null;
  etag: string | null;
  last_modified: string | null;
  checked_at: Date | null;
  next_check_at: Date | null;
  /** Consecutive failed checks. `failure` is the error of the last one. */
  failures: number;
  failure: string | null;
}

export type Source = { kind: 'text' } | { kind: 'upload'; filename: string; content_type: string } | UrlSource;

export interface DocumentRecord extends Owned, LeaseFields {
  base_id: string;
  name: string;
  state: 'live' | 'removing';
  /** Deduplication key, unique among the live documents of a base. */
  identity: string;
  /** Idempotency key of the caller. */
  key: string | null;
  source: Source;
  status: DocumentState;
  progress: { done: number; total: number } | null;
  error: { code: string; message: string } | null;
  metadata: JsonObject;
  /** The searchable revision; 0 for none. */
  revision: number;
  /** Revisions whose chunks search results may contain: two while one replaces the other. */
  shown: number[];
  /** The highest revision used so far. */
  last_revision: number;
  content: Content | null;
  cut: ChunkSummary | null;
  next: NextRevision | null;
  /** Generations that contain the vectors of `revision`. */
  generations: number[];
  /** Data of earlier revisions is still to be removed. */
  leftovers: boolean;
  /** Bytes that count against the plan: content, chunk texts, vectors. */
  bytes: number;
  created_at: Date;
  updated_at: Date;
}

/** `_id` is the `chunkId`. */
export interface ChunkRecord extends Owned {
  base_id: string;
  document_id: string;
  revision: number;
  n: number;
  text: string;
  page: number | null;
  heading: string[];
  start: number;
  end: number;
  tokens: number;
}

/** An uncommitted upload. `_id` is the id of the document that it becomes. */
export interface UploadRecord extends Owned {
  base_id: string;
  filename: string;
  content_type: string;
  /** `doomed`: abandoned; accepts no more parts. */
  state: 'open' | 'doomed';
  /** Bytes reserved in the tenant's quota until a document references the content. Absent in uploads of earlier releases. */
  bytes?: number;
  created_at: Date;
}

/** A part of a content: PART_BYTES long, except the last. `_id` is the `partId`. */
export interface PartRecord extends Owned {
  data: Buffer | Binary;
}

/**
 * Vectors from a model, kept until the vector store has them, so that a crash does not repeat the request. 32-bit floats,
 * little-endian; `_id` is the `embeddingBatchId`.
 */
export interface EmbeddingBatchRecord extends Owned {
  dimension: number;
  vectors: Buffer | Binary;
}

/** The first revision of a document. */
export const FIRST_REVISION = 1;

const padded = (n: number): string => String(n).padStart(6, '0');

/** Ids of all data of a document start with the document's id. Chunk ids sort by position in the document. */
export const chunkId = (documentId: string, revision: number, n: number): string =>
  `${documentId}:${revision}:${padded(n)}`;
export const contentId = (documentId: string, revision: number): string => `${documentId}:${revision}`;
export const partId = (content: string, n: number): string => `${content}:${padded(n)}`;
/** `n`: the first chunk of the batch. */
export const embeddingBatchId = (documentId: string, revision: number, generation: number, n: number): string =>
  `${documentId}:${revision}:${generation}:${padded(n)}`;

/** Range query for ids that start with `id` and a colon. */
export const idsUnder = (id: string) => ({ $gte: `${id}:`, $lt: `${id};` });
/** Range queries for the ids under `all`, except those under `but`, which is itself under `all`. */
export const idsUnderExcept = (all: string, but: string) => [
  { $gte: `${all}:`, $lt: `${but}:` },
  { $gte: `${but};`, $lt: `${all};` },
];

const orNull = <T>(type: T) => ({ type, default: null });
/** Validated by the writers. */
const mixed = { type: Schema.Types.Mixed, default: null } as const;

const baseSchema = new Schema<BaseRecord>(
  {
    ...ownedFields,
    ...leaseFields,
    name: requiredText,
    description: orNull(String),
    state: requiredText,
    embedding: mixed,
    generation: requiredNumber,
    last_generation: requiredNumber,
    chunking: mixed,
    reembedding: mixed,
    retired: orNull(Number),
    swept_at: requiredDate,
    created_at: requiredDate,
    updated_at: requiredDate,
  },
  { ...durableOptions, collection: 'knowledge_bases' },
)
  .index({ tenant_id: 1, name: 1 }, { unique: true, partialFilterExpression: { state: 'live' } })
  .index({ tenant_id: 1, created_at: 1 })
  .index({ swept_at: 1 })
  .index(...DUE_INDEX);

const documentSchema = new Schema<DocumentRecord>(
  {
    ...ownedFields,
    ...leaseFields,
    base_id: requiredText,
    name: requiredText,
    state: requiredText,
    identity: requiredText,
    key: orNull(String),
    source: mixed,
    status: requiredText,
    progress: mixed,
    error: mixed,
    metadata: mixed,
    revision: requiredNumber,
    shown: { type: [Number], default: [] },
    last_revision: requiredNumber,
    content: mixed,
    cut: mixed,
    next: mixed,
    generations: { type: [Number], default: [] },
    leftovers: { type: Boolean, default: false },
    bytes: requiredNumber,
    created_at: requiredDate,
    updated_at: requiredDate,
  },
  { ...durableOptions, collection: 'knowledge_documents' },
)
  .index({ base_id: 1, identity: 1 }, { unique: true, partialFilterExpression: { state: 'live' } })
  .index({ base_id: 1, key: 1 }, { unique: true, partialFilterExpression: { state: 'live', key: { $gt: '' } } })
  .index({ base_id: 1, state: 1, created_at: -1, _id: -1 })
  // Covers the statistics of bases.
  .index({ base_id: 1, state: 1, bytes: 1, 'cut.chunks': 1 })
  // Covers the storage used by a tenant.
  .index({ tenant_id: 1, bytes: 1 })
  .index(...DUE_INDEX);

const chunkSchema = new Schema<ChunkRecord>(
  {
    ...ownedFields,
    base_id: requiredText,
    document_id: requiredText,
    revision: requiredNumber,
    n: requiredNumber,
    text: requiredText,
    page: orNull(Number),
    heading: { type: [String], default: [] },
    start: requiredNumber,
    end: requiredNumber,
    tokens: requiredNumber,
  },
  { ...durableOptions, collection: 'knowledge_chunks' },
);

const uploadSchema = new Schema<UploadRecord>(
  {
    ...ownedFields,
    base_id: requiredText,
    filename: requiredText,
    content_type: requiredText,
    state: requiredText,
    bytes: { type: Number, default: 0 },
    created_at: requiredDate,
  },
  { ...durableOptions, collection: 'knowledge_uploads' },
)
  .index({ created_at: 1 })
  .index({ tenant_id: 1, bytes: 1 });

const partSchema = new Schema<PartRecord>(
  { ...ownedFields, data: { type: Buffer, required: true } },
  { ...durableOptions, collection: 'knowledge_contents' },
);

const embeddingBatchSchema = new Schema<EmbeddingBatchRecord>(
  { ...ownedFields, dimension: requiredNumber, vectors: { type: Buffer, required: true } },
  { ...durableOptions, collection: 'knowledge_embeddings' },
);

/** Collections of this service, except those of its indexes. Chunks, parts and embedding batches are queried by id ranges. */
export interface KnowledgeModels {
  readonly bases: Model<BaseRecord>;
  readonly documents: Model<DocumentRecord>;
  readonly chunks: Model<ChunkRecord>;
  readonly uploads: Model<UploadRecord>;
  readonly contentParts: Model<PartRecord>;
  readonly embeddingBatches: Model<EmbeddingBatchRecord>;
}

export const knowledgeModels = (db: Connection): KnowledgeModels => ({
  bases: db.model<BaseRecord>('knowledge_base', baseSchema),
  documents: db.model<DocumentRecord>('knowledge_document', documentSchema),
  chunks: db.model<ChunkRecord>('knowledge_chunk', chunkSchema),
  uploads: db.model<UploadRecord>('knowledge_upload', uploadSchema),
  contentParts: db.model<PartRecord>('knowledge_part', partSchema),
  embeddingBatches: db.model<EmbeddingBatchRecord>('knowledge_embedding_batch', embeddingBatchSchema),
});

export const createKnowledgeIndexes = async ({ bases, documents, uploads }: KnowledgeModels): Promise<void> => {
  await createIndexes(bases, documents, uploads);
};
