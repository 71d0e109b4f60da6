import { PART_BYTES } from '../files';
import { DOCUMENT_STATES, type KnowledgeQuery } from './views';
import { id, typed } from '../rules';
import { pageParams } from '../../lib/page';

const optional = { optional: true } as const;

export const uploadId = { type: 'uuid' } as const;

const name = { type: 'string', trim: true, min: 1, max: 200 } as const;

const text = { type: 'string', min: 1, max: 300 } as const;

/** Maximum length of an embedding vector. */
export const MAX_VECTOR_DIMENSION = 16_384;

const embedding = {
  type: 'object',
  ...optional,
  nullable: true,
  props: {
    provider: { type: 'string', max: 100 },
    model: { type: 'string', trim: true, min: 1, max: 200 },
    base_url: { type: 'string', min: 1, max: 2_000, ...optional },
    api_key: { type: 'string', min: 1, max: 1_000, ...optional },
    dimension: { type: 'number', integer: true, min: 1, max: MAX_VECTOR_DIMENSION, ...optional },
  },
} as const;

const chunking = {
  type: 'object',
  ...optional,
  props: {
    max_tokens: { type: 'number', integer: true, min: 50, max: 2_000, ...optional },
    overlap_tokens: { type: 'number', integer: true, min: 0, max: 1_000, ...optional },
  },
} as const;

const description = { type: 'string', max: 2_000, ...optional, nullable: true } as const;

export const createParams = { name, description, embedding, chunking } as const;

export const updateParams = { id, name: { ...name, ...optional }, description, embedding, chunking } as const;

export const documentsParams = {
  id,
  ...pageParams,
  status: { type: 'enum', values: [...DOCUMENT_STATES], ...optional },
} as const;

const metadata = { type: 'object', ...optional } as const;

export const addParams = {
  base_id: id,
  key: { ...text, ...optional },
  name: { ...text, trim: true, ...optional },
  title: { ...text, trim: true, ...optional },
  text: { type: 'string', ...optional },
  url: { type: 'string', min: 1, ...optional },
  refresh: { type: 'string', min: 1, max: 64, ...optional },
  metadata,
} as const;

export const addFileParams = {
  base_id: id,
  upload_id: uploadId,
  execution_id: id,
  path: { type: 'string', min: 1, max: 4_096 },
  name: { ...text, trim: true, ...optional },
  metadata,
} as const;

export const beginUploadParams = {
  base_id: id,
  upload_id: uploadId,
  filename: { type: 'string', min: 1, max: 1_000 },
  content_type: { type: 'string', max: 300 },
  announced: { type: 'number', integer: true, min: 0, nullable: true },
} as const;

export const putUploadParams = {
  upload_id: uploadId,
  n: { type: 'number', integer: true, min: 0 },
  data: { type: 'string', max: Math.ceil(PART_BYTES / 3) * 4 },
} as const;

export const commitUploadParams = {
  base_id: id,
  upload_id: uploadId,
  size: { type: 'number', integer: true, min: 0 },
  name: { ...text, trim: true, ...optional },
  metadata,
} as const;

const queryRules = {
  query: { type: 'string', min: 1, max: 10_000 },
  top_k: { type: 'number', integer: true, min: 1, max: 50, optional: true },
  min_score: { type: 'number', min: 0, max: 1, optional: true },
  filter: { type: 'any', optional: true, nullable: true },
  rerank: { type: 'any', optional: true, nullable: true },
  explain: { type: 'boolean', optional: true },
} as const;

export const queryParams = typed<KnowledgeQuery & { id: string }>()({ id: { ...id, max: 200 }, ...queryRules });
