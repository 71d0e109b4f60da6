import type { JsonObject } from '../../lib/json';
import * as s from '../../lib/schema';

export const DOCUMENT_STATES = ['queued', 'parsing', 'chunking', 'embedding', 'ready', 'failed'] as const;

export type DocumentState = (typeof DOCUMENT_STATES)[number];

/** What is asked of a base. `filter`: of documents' metadata (see docs/knowledge.md). */
export interface KnowledgeQuery {
  query: string;
  top_k?: number;
  min_score?: number;
  filter?: JsonObject;
  rerank?: JsonObject;
  /** Adds `ranking` to each hit. */
  explain?: boolean;
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

/** What a base is made with, or changed to. `embedding: null` means lexical. */
export interface KnowledgeBaseFields {
  name?: string;
  description?: string | null;
  embedding?: { provider: string; model: string; base_url?: string; api_key?: string; dimension?: number } | null;
  chunking?: Partial<ChunkingView>;
}

export const SearchMode = s.named(
  'SearchMode',
  s.words('hybrid', 'lexical'),
  'How a base is searched. `lexical`: by words alone, since no embedding model is set; `hybrid`: by words and meaning.',
);
export type SearchMode = s.Infer<typeof SearchMode>;

export const EmbeddingView = s.named(
  'EmbeddingView',
  s.object({
    provider: s.text,
    model: s.text,
    base_url: s.text.nullable(),
    api_key: s.text.nullable(),
    dimension: s.number.nullable().about('Length of its vectors, pinned at the first of them; null until then.'),
  }),
  'The model whose vectors a base keeps. `api_key` is a reference such as `{{ secret.NAME }}`, never a key.',
);
export type EmbeddingView = s.Infer<typeof EmbeddingView>;

export const ChunkingView = s.named(
  'ChunkingView',
  s.object({
    max_tokens: s.number,
    overlap_tokens: s.number,
  }),
  'How texts are cut. Sizes are in tokens, counted roughly (see chunking).',
);
export type ChunkingView = s.Infer<typeof ChunkingView>;

const ReembeddingView = s.named(
  'ReembeddingView',
  s.object({
    state: s.words('done', 'failed', 'running'),
    done: s.number.about('Chunks.'),
    total: s.number,
    error: s
      .object({
        code: s.text,
        message: s.text,
      })
      .nullable(),
    started_at: s.text,
    ended_at: s.text.nullable(),
  }),
  'A change of the embedding model under way, or how the last one ended.',
);

export const KnowledgeBaseView = s.named(
  'KnowledgeBaseView',
  s.object({
    id: s.text,
    name: s.text,
    description: s.text.nullable(),
    mode: SearchMode,
    embedding: EmbeddingView.nullable(),
    chunking: ChunkingView,
    reembedding: ReembeddingView.nullable(),
    documents: s.number,
    chunks: s.number,
    bytes: s.number,
    created_at: s.text,
    updated_at: s.text,
  }),
  'A knowledge base. `bytes`: as the plan counts them, of contents as they came, texts of chunks, and vectors.',
);
export type KnowledgeBaseView = s.Infer<typeof KnowledgeBaseView>;

export const DocumentSource = s.named(
  'DocumentSource',
  s.union(
    s.object({
      kind: s.constant('text'),
    }),
    s.object({
      kind: s.constant('upload'),
      filename: s.text,
      content_type: s.text,
    }),
    s.object({
      kind: s.constant('url'),
      url: s.text,
      refresh: s.text.nullable(),
      checked_at: s.text.nullable(),
      next_check_at: s.text.nullable(),
    }),
  ),
  'Where a document came from. `refresh`: how often its address is asked again, a duration such as `1d`; null for never.',
);
export type DocumentSource = s.Infer<typeof DocumentSource>;

export const DocumentView = s.named(
  'DocumentView',
  s.object({
    id: s.text,
    knowledge_base_id: s.text,
    name: s.text,
    source: DocumentSource,
    status: s.words(...DOCUMENT_STATES),
    progress: s
      .object({
        done: s.number,
        total: s.number,
      })
      .nullable()
      .about('How far the present state is, in its own units (bytes, chunks); null where there is nothing to count.'),
    error: s
      .object({
        code: s.text,
        message: s.text,
      })
      .nullable(),
    warnings: s.array(s.text).about('What a reader of the document should know, such as pages without text.'),
    metadata: s.jsonObject,
    size: s.number.about('Of the content, in bytes.'),
    content_hash: s.text.nullable().about('SHA-256 of the content in hexadecimal; null until it is there.'),
    pages: s.number.nullable(),
    chunks: s.number,
    tokens: s.number,
    created_at: s.text,
    updated_at: s.text,
  }),
  'A document of a base. What it held before is searched until what it holds now is `ready`.',
);
export type DocumentView = s.Infer<typeof DocumentView>;

export const ChunkView = s.named(
  'ChunkView',
  s.object({
    id: s.text,
    n: s.number,
    text: s.text,
    page: s.number.nullable(),
    heading: s.array(s.text).about('Headings above it, outermost first.'),
    start: s.number,
    end: s.number,
    tokens: s.number,
  }),
  "A part of a document as it is searched. `start` and `end` are offsets (UTF-16) into the document's plain text.",
);
export type ChunkView = s.Infer<typeof ChunkView>;

const Highlight = s.named(
  'Highlight',
  s.object({
    start: s.number,
    end: s.number,
  }),
  "A place in a hit's text that made it a hit: offsets (UTF-16), `end` exclusive.",
);
type Highlight = s.Infer<typeof Highlight>;

const Ranked = {
  rank: s.number.about('From 1.'),
  score: s.number,
};
const RankedInList = s.object({ ...Ranked, adds: s.number.about('What the rank adds to `fused.score`.') }).nullable();

export const HitRanking = s.named(
  'HitRanking',
  s.object({
    words: RankedInList.about('In the search by words, by BM25; null: not among its first candidates.'),
    vectors: RankedInList.about('In the search by vectors, by cosine; null: not among its first candidates.'),
    fused: s.object(Ranked).about('In both lists together; the score is from 0 to 1.'),
    reranked: s.object(Ranked).nullable().about('By the reranking model; null without one, and where it failed.'),
  }),
  'Why a hit is where it is: its ranks and scores in each step of the search.',
);
export type HitRanking = s.Infer<typeof HitRanking>;

export const KnowledgeHit = s.named(
  'KnowledgeHit',
  s.object({
    document_id: s.text,
    document_name: s.text,
    chunk_id: s.text,
    text: s.text,
    score: s.number,
    page: s.number.nullable(),
    heading: s.text.nullable().about('The headings above, joined by " > "; null without any.'),
    highlights: s.array(Highlight),
    metadata: s.jsonObject,
    url: s.text.nullable(),
    ranking: HitRanking.optional().about('With `explain`.'),
  }),
  'One answer of a search, the best first. `score` is comparable within one answer alone, from 0 to 1.',
);
export type KnowledgeHit = s.Infer<typeof KnowledgeHit>;

export const KnowledgeAnswer = s.named(
  'KnowledgeAnswer',
  s.object({
    data: s.array(KnowledgeHit),
    mode: SearchMode,
    knowledge_base_id: s.text,
    warnings: s
      .array(s.text)
      .about('What the search could not do as it was asked to, such as a provider of embeddings that does not answer.'),
    usage: s
      .object({
        input_tokens: s.number,
        cost_usd: s.number.nullable(),
      })
      .optional(),
  }),
  '`mode` tells what the answer is from: `lexical` is never presented as a search by meaning.',
);
export type KnowledgeAnswer = s.Infer<typeof KnowledgeAnswer>;

export const AddedDocument = s.named(
  'AddedDocument',
  DocumentView.extend({
    duplicate: s.constant(true).optional(),
  }),
  '`duplicate`: the base had this content already; the view is of the document that has it.',
);
export type AddedDocument = s.Infer<typeof AddedDocument>;
