import type { Binary } from 'mongodb';
import { type Connection, type Model, Schema } from 'mongoose';
import type { JsonObject } from '../../lib/json';
import { durableOptions, type Owned, ownedFields, requiredText, requiredNumber, requiredDate } from '../../lib/tenant';
import { createIndexes } from '../../lib/indexes';
import type { ChunkingView, DocumentState, EmbeddingView } from '../../contracts/knowledge/views';

/**
 * Work that one process at a time does on a record. `due_at`: when the work is due; while a process does it, when
 * his lease ends. Null where there is nothing to do.
 */
export interface Work {
  due_at: Date | null;
  /** Id of the claim that works on it; null for none. */
  owner: string | null;
  /** Claims since something last went forward. */
  attempts: number;
}

/** A change of the model: the vectors of `generation` are filled while others are searched. */
export interface Reembedding {
  state: 'running' | 'done' | 'failed';
  generation: number;
  embedding: EmbeddingView | null;
  /** Chunks. */
  done: number;
  total: number;
  error: { code: string; message: string } | null;
  started_at: Date;
  ended_at: Date | null;
}

export interface BaseRecord extends Owned, Work {
  name: string;
  description: string | null;
  /** One that is not `live` is gone for everybody; `removed`: what it had is gone as well, once. */
  state: 'live' | 'removing' | 'removed';
  /** Whose vectors are searched; null for hashed ones. */
  embedding: EmbeddingView | null;
  /** Of the vectors that are searched. */
  generation: number;
  /** The highest there has been. */
  last_generation: number;
  chunking: ChunkingView;
  reembedding: Reembedding | null;
  /** A generation whose vectors have to go; null for none. */
  retired: number | null;
  /** When its words and vectors were last compared with its documents. */
  swept_at: Date;
  created_at: Date;
  updated_at: Date;
}

/** What a document is read from, in parts; `id` is `contentId` of the revision that has brought it. */
export interface Content {
  id: string;
  /** Bytes. */
  size: number;
  /** SHA-256 in hexadecimal. */
  hash: string;
  content_type: string | null;
  /** Where it was got from, after redirects; null for what was sent. */
  url: string | null;
}

/** What has come out of a content. */
export interface ChunkSummary {
  title: string | null;
  pages: number | null;
  chunks: number;
  tokens: number;
  /** Of the chunks' texts. */
  bytes: number;
  warnings: string[];
}

/** A revision on its way. It goes on from what of it is there. */
export interface NextRevision {
  revision: number;
  chunking: ChunkingView;
  /** Null until it has been fetched. */
  content: Content | null;
  /** Null until all chunks are stored. */
  cut: ChunkSummary | null;
}

/** An address that a document comes from. */
export interface UrlSource {
  kind: 'url';
  url: string;
  /** As it was asked for, such as `1d`; null for never. */
  refresh: string | null;
  refresh_ms: number | null;
  etag: string | null;
  last_modified: string | null;
  checked_at: Date | null;
  next_check_at: Date | null;
  /** Checks in a row that have failed, and why the last one has. */
  failures: number;
  failure: string | null;
}

export type Source = { kind: 'text' } | { kind: 'upload'; filename: string; content_type: string } | UrlSource;

export interface DocumentRecord extends Owned, Work {
  base_id: string;
  name: string;
  state: 'live' | 'removing';
  /** No two live documents of a base have the same. */
  identity: string;
  /** Idempotency key of the caller; null for none. */
  key: string | null;
  source: Source;
  status: DocumentState;
  progress: { done: number; total: number } | null;
  error: { code: string; message: string } | null;
  metadata: JsonObject;
  /** Of what is searched; 0 while nothing is. */
  revision: number;
  /** Revisions whose chunks may be shown: while one takes the other's place, both. */
  shown: number[];
  /** The highest there has been. */
  last_revision: number;
  content: Content | null;
  cut: ChunkSummary | null;
  next: NextRevision | null;
  /** Generations that have the vectors of `revision`. */
  generations: number[];
  /** What earlier revisions have left has still to go. */
  leftovers: boolean;
  /** Bytes that the plan counts: content, texts of chunks, vectors. */
  bytes: number;
  created_at: Date;
  updated_at: Date;
}

/** A chunk as it is stored; `_id` is `chunkId`. */
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

/** Content that comes in, and is held by no document yet; `_id` is that of the document that it will make. */
export interface UploadRecord extends Owned {
  base_id: string;
  filename: string;
  content_type: string;
  /** What will never be committed takes no more parts. */
  state: 'open' | 'doomed';
  /** Bytes that count against the tenant's storage until a document has the content: announced, or come in. Absent in what an earlier release has begun. */
  bytes?: number;
  created_at: Date;
}

/** A part of a content, of PART_BYTES but for the last; `_id` is `<content>:<n>`. */
export interface PartRecord extends Owned {
  data: Buffer | Binary;
}

/** Vectors of chunks that were paid for, until the store has them: floats of 32 bits, little-endian; `_id` is `paidId`. */
export interface PaidRecord extends Owned {
  dimension: number;
  vectors: Buffer | Binary;
}

const padded = (n: number): string => String(n).padStart(6, '0');

/** All that a document has is found by ids that begin with its own. Sorts by place in the document. */
export const chunkId = (documentId: string, revision: number, n: number): string =>
  `${documentId}:${revision}:${padded(n)}`;
export const contentId = (documentId: string, revision: number): string => `${documentId}:${revision}`;
export const partId = (content: string, n: number): string => `${content}:${padded(n)}`;
/** Of the batch of chunks that begins at `n`. */
export const paidId = (documentId: string, revision: number, generation: number, n: number): string =>
  `${documentId}:${revision}:${generation}:${padded(n)}`;

/** Ids that begin with an id, and go on. */
export const under = (id: string) => ({ $gte: `${id}:`, $lt: `${id};` });
/** Ids under `all` that are not under `but`, which is one of them: those before it, and those after. */
export const underBut = (all: string, but: string) => [
  { $gte: `${all}:`, $lt: `${but}:` },
  { $gte: `${but};`, $lt: `${all};` },
];

const orNull = <T>(type: T) => ({ type, default: null });
/** Checked by those who write it. */
const plain = { type: Schema.Types.Mixed, default: null } as const;
const work = { due_at: orNull(Date), owner: orNull(String), attempts: { type: Number, default: 0 } } as const;
/** Who looks for work has the tenants in the index, so that those who had their turn cost him no reading. */
const DUE = [{ due_at: 1, tenant_id: 1 }, { partialFilterExpression: { due_at: { $gt: new Date(0) } } }] as const;

const baseSchema = new Schema<BaseRecord>(
  {
    ...ownedFields,
    ...work,
    name: requiredText,
    description: orNull(String),
    state: requiredText,
    embedding: plain,
    generation: requiredNumber,
    last_generation: requiredNumber,
    chunking: plain,
    reembedding: plain,
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
  .index(...DUE);

const documentSchema = new Schema<DocumentRecord>(
  {
    ...ownedFields,
    ...work,
    base_id: requiredText,
    name: requiredText,
    state: requiredText,
    identity: requiredText,
    key: orNull(String),
    source: plain,
    status: requiredText,
    progress: plain,
    error: plain,
    metadata: plain,
    revision: requiredNumber,
    shown: { type: [Number], default: [] },
    last_revision: requiredNumber,
    content: plain,
    cut: plain,
    next: plain,
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
  // What a base has is counted from these keys alone.
  .index({ base_id: 1, state: 1, bytes: 1, 'cut.chunks': 1 })
  // What a tenant keeps is summed up from these keys alone.
  .index({ tenant_id: 1, bytes: 1 })
  .index(...DUE);

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

const paidSchema = new Schema<PaidRecord>(
  { ...ownedFields, dimension: requiredNumber, vectors: { type: Buffer, required: true } },
  { ...durableOptions, collection: 'knowledge_embeddings' },
);

/** The collections that this service owns, beside those of its index. Chunks, parts and vectors are found by their ids. */
export interface KnowledgeModels {
  readonly bases: Model<BaseRecord>;
  readonly documents: Model<DocumentRecord>;
  readonly chunks: Model<ChunkRecord>;
  readonly uploads: Model<UploadRecord>;
  readonly parts: Model<PartRecord>;
  readonly paid: Model<PaidRecord>;
}

export const knowledgeModels = (db: Connection): KnowledgeModels => ({
  bases: db.model<BaseRecord>('knowledge_base', baseSchema),
  documents: db.model<DocumentRecord>('knowledge_document', documentSchema),
  chunks: db.model<ChunkRecord>('knowledge_chunk', chunkSchema),
  uploads: db.model<UploadRecord>('knowledge_upload', uploadSchema),
  parts: db.model<PartRecord>('knowledge_part', partSchema),
  paid: db.model<PaidRecord>('knowledge_paid', paidSchema),
});

export const createKnowledgeIndexes = async ({ bases, documents, uploads }: KnowledgeModels): Promise<void> => {
  await createIndexes(bases, documents, uploads);
};
