import type { JsonSchema } from '../contract';
import { objectSchema } from '../schema';

/** Which base a step means. */
export const BASE: JsonSchema = {
  type: 'string',
  title: 'Knowledge base',
  description: 'ID or name.',
  minLength: 1,
  maxLength: 200,
  examples: ['handbook'],
};

export const TOP_K: JsonSchema = {
  type: 'integer',
  title: 'Maximum results',
  description: 'Maximum number of results.',
  minimum: 1,
  maximum: 50,
  default: 5,
};

export const MIN_SCORE: JsonSchema = {
  type: 'number',
  title: 'Minimum score',
  description: 'Minimum score. Scores are only comparable within one response.',
  minimum: 0,
  maximum: 1,
};

export const FILTER: JsonSchema = {
  type: 'object',
  title: 'Filter',
  description: 'Metadata filter: a value, or {eq, ne, in, nin, gt, gte, lt, lte, exists}; and, or, not.',
  examples: [{ team: 'support', year: { gte: 2024 } }],
};

export const RERANK: JsonSchema = objectSchema(
  {
    provider: {
      type: 'string',
      title: 'Provider',
      description: 'Provider; `compatible`: any server with the same POST /rerank API.',
      enum: ['cohere', 'jina', 'compatible'],
      default: 'compatible',
    },
    model: {
      type: 'string',
      title: 'Model',
      description: 'Name of the model at the provider.',
      minLength: 1,
      examples: ['rerank-v3.5'],
    },
    base_url: {
      type: 'string',
      title: 'Address',
      description: 'Base URL of the server without /rerank.',
      minLength: 1,
    },
    api_key: {
      type: 'string',
      title: 'Key',
      description: 'API key of the server.',
      minLength: 1,
      examples: ['{{ secret.RERANK_KEY }}'],
    },
  },
  ['model'],
  { title: 'Rerank', description: 'Model that reranks the results. Default: no reranking.' },
);

const PLACE: JsonSchema = { type: 'integer', title: 'Place', description: 'Position in the text, in UTF-16 units.' };

/** One hit, as the REST interface answers it. */
export const HIT: JsonSchema = objectSchema(
  {
    document_id: { type: 'string', title: 'Document', description: 'ID or name.' },
    document_name: { type: 'string', title: 'Name', description: 'Document.' },
    chunk_id: { type: 'string', title: 'Part', description: 'ID of the chunk.' },
    text: { type: 'string', title: 'Text', description: 'Text of the chunk.' },
    score: { type: 'number', title: 'Score', description: 'Score from 0 to 1.' },
    page: { type: ['integer', 'null'], title: 'Page', description: 'Page number from 1, if the document has pages.' },
    heading: { type: ['string', 'null'], title: 'Heading', description: 'Headings above the text, joined by " > ".' },
    highlights: {
      type: 'array',
      title: 'Highlights',
      description: 'Positions of the query terms in the text.',
      items: objectSchema({ start: PLACE, end: PLACE }, ['start', 'end']),
    },
    metadata: { type: 'object', title: 'Metadata', description: 'Document.' },
    url: { type: ['string', 'null'], title: 'URL', description: 'URL of a document from the web.' },
  },
  ['document_id', 'document_name', 'chunk_id', 'text', 'score', 'page', 'heading', 'highlights', 'metadata', 'url'],
);
