import type { Json, JsonObject } from '../../lib/json';

export type { Parsers } from './parsing/contract';

/** How a base is searched. `lexical`: by words alone, since no embedding model is set; `hybrid`: by words and meaning. */
export type SearchMode = 'lexical' | 'hybrid';

/** The model whose vectors a base keeps. `api_key` is a reference such as `{{ secret.NAME }}`, never a key. */
export interface EmbeddingView {
  provider: string;
  model: string;
  base_url: string | null;
  api_key: string | null;
  /** Length of its vectors, pinned at the first of them; null until then. */
  dimension: number | null;
}

/** How texts are cut. Sizes are in tokens, counted roughly (see chunking). */
export interface ChunkingView {
  max_tokens: number;
  overlap_tokens: number;
}

/** A change of the embedding model under way, or how the last one ended. */
export interface ReembeddingView {
  state: 'running' | 'done' | 'failed';
  /** Chunks. */
  done: number;
  total: number;
  error: { code: string; message: string } | null;
  started_at: string;
  ended_at: string | null;
}

/** A knowledge base. `bytes`: as the plan counts them, of contents as they came, texts of chunks, and vectors. */
export interface KnowledgeBaseView {
  id: string;
  name: string;
  description: string | null;
  mode: SearchMode;
  embedding: EmbeddingView | null;
  chunking: ChunkingView;
  reembedding: ReembeddingView | null;
  documents: number;
  chunks: number;
  bytes: number;
  created_at: string;
  updated_at: string;
}

export const DOCUMENT_STATES = ['queued', 'parsing', 'chunking', 'embedding', 'ready', 'failed'] as const;
export type DocumentState = (typeof DOCUMENT_STATES)[number];

/** Where a document came from. `refresh`: how often its address is asked again, a duration such as `1d`; null for never. */
export type DocumentSource =
  | { kind: 'text' }
  | { kind: 'upload'; filename: string; content_type: string }
  | { kind: 'url'; url: string; refresh: string | null; checked_at: string | null; next_check_at: string | null };

/** A document of a base. What it held before is searched until what it holds now is `ready`. */
export interface DocumentView {
  id: string;
  knowledge_base_id: string;
  name: string;
  source: DocumentSource;
  status: DocumentState;
  /** How far the present state is, in its own units (bytes, chunks); null where there is nothing to count. */
  progress: { done: number; total: number } | null;
  error: { code: string; message: string } | null;
  /** What a reader of the document should know, such as pages without text. */
  warnings: string[];
  metadata: JsonObject;
  /** Of the content, in bytes. */
  size: number;
  /** SHA-256 of the content in hexadecimal; null until it is there. */
  content_hash: string | null;
  pages: number | null;
  chunks: number;
  tokens: number;
  created_at: string;
  updated_at: string;
}

/** A part of a document as it is searched. `start` and `end` are offsets (UTF-16) into the document's plain text. */
export interface ChunkView {
  id: string;
  n: number;
  text: string;
  page: number | null;
  /** Headings above it, outermost first. */
  heading: string[];
  start: number;
  end: number;
  tokens: number;
}

/** A place in a hit's text that made it a hit: offsets (UTF-16), `end` exclusive. */
export interface Highlight {
  start: number;
  end: number;
}

/** One answer of a search, the best first. `score` is comparable within one answer alone, from 0 to 1. */
export interface KnowledgeHit {
  document_id: string;
  document_name: string;
  chunk_id: string;
  text: string;
  score: number;
  page: number | null;
  /** The headings above, joined by " > "; null without any. */
  heading: string | null;
  highlights: Highlight[];
  metadata: JsonObject;
  url: string | null;
}

/** What is asked of a base. `filter`: of documents' metadata (see docs/knowledge.md). */
export interface KnowledgeQuery {
  query: string;
  top_k?: number;
  min_score?: number;
  filter?: JsonObject;
  rerank?: JsonObject;
}

/** `mode` tells what the answer is from: `lexical` is never presented as a search by meaning. */
export interface KnowledgeAnswer {
  data: KnowledgeHit[];
  mode: SearchMode;
  knowledge_base_id: string;
  /** What the search could not do as it was asked to, such as a provider of embeddings that does not answer. */
  warnings: string[];
  usage?: { input_tokens: number; cost_usd: number | null };
}

/** A document to be added: exactly one of `text` and `url`. What was added under a `key` is not added again under it. */
export interface NewDocument {
  key?: string;
  name?: string;
  title?: string;
  text?: string;
  url?: string;
  refresh?: string;
  metadata?: JsonObject;
}

/** `duplicate`: the base had this content already; the view is of the document that has it. */
export type AddedDocument = DocumentView & { duplicate?: true };

/** What a base is made with, or changed to. `embedding: null` means lexical. */
export interface KnowledgeBaseFields {
  name?: string;
  description?: string | null;
  embedding?: { provider: string; model: string; base_url?: string; api_key?: string; dimension?: number } | null;
  chunking?: Partial<ChunkingView>;
}

export interface KnowledgeActions {
  'knowledge.list': (p: { limit?: number; offset?: number }) => { data: KnowledgeBaseView[] };
  'knowledge.create': (p: KnowledgeBaseFields & { name: string }) => KnowledgeBaseView;
  'knowledge.get': (p: { id: string }) => KnowledgeBaseView;
  /** Another embedding begins a re-embedding in the background. */
  'knowledge.update': (p: KnowledgeBaseFields & { id: string }) => KnowledgeBaseView;
  /** With its documents, chunks and vectors. */
  'knowledge.remove': (p: { id: string }) => void;
  'knowledge.documents': (p: { id: string; limit?: number; offset?: number; status?: DocumentState }) => {
    data: DocumentView[];
  };
  /** Answers at once; a short text in a lexical base is `ready` in the answer. */
  'knowledge.add_document': (p: NewDocument & { base_id: string }) => AddedDocument;
  'knowledge.document': (p: { base_id: string; id: string }) => DocumentView;
  'knowledge.chunks': (p: { base_id: string; id: string; limit?: number; offset?: number }) => { data: ChunkView[] };
  /** Fetches an address again, or tries a failed document again. */
  'knowledge.refresh': (p: { base_id: string; id: string }) => DocumentView;
  'knowledge.remove_document': (p: { base_id: string; id: string }) => void;
  /** An upload comes in parts of PART_BYTES (see services/files/contract): begun, put, then committed or given up. */
  'knowledge.begin_upload': (p: {
    base_id: string;
    upload_id: string;
    filename: string;
    content_type: string;
    /** Bytes that the request says it has, at least as many as the file; null where it does not say. */
    announced: number | null;
  }) => void;
  'knowledge.put_upload': (p: { upload_id: string; n: number; data: string }) => void;
  /** What the form says beside the file may come after it, and so comes here. */
  'knowledge.commit_upload': (p: {
    base_id: string;
    upload_id: string;
    size: number;
    name?: string;
    metadata?: JsonObject;
  }) => AddedDocument;
  /** Of what is committed nothing changes. */
  'knowledge.give_up_upload': (p: { upload_id: string }) => void;
  /** `id`: of a base, or its name. */
  'knowledge.query': (p: KnowledgeQuery & { id: string }) => KnowledgeAnswer;
  /** Internal: the same two for steps, which act for no person. */
  'knowledge.query_for': (p: KnowledgeQuery & { id: string }) => KnowledgeAnswer;
  'knowledge.add_for': (p: NewDocument & { base_id: string }) => AddedDocument;
  /** Internal: a file of a run, for a step; `upload_id` is the id of the document that it makes, once. */
  'knowledge.add_file_for': (p: {
    base_id: string;
    upload_id: string;
    execution_id: string;
    path: string;
    name?: string;
    metadata?: JsonObject;
  }) => AddedDocument;
  /** Internal: whether the vectors can be searched; for /health/ready. */
  'knowledge.vectors_ready': (p: Record<string, never>) => { store: string; ready: boolean };
  /** Internal: for steps, which name a base by id or name. */
  'knowledge.resolve': (p: { ref: string }) => { id: string; name: string };
  /** Internal: bytes that the tenant keeps in all bases. */
  'knowledge.usage': (p: Record<string, never>) => { bytes: number; documents: number; bases: number };
}

/** Any metadata value a filter may ask for. */
export type FilterValue = Json;
