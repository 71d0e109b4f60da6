import type { JsonSchema } from '../contract';
import { choice, filledText, integer, list, number, objectSchema, text } from '../schema';

/** Which base a step means. */
export const BASE: JsonSchema = filledText('ID or name.', 'handbook', { title: 'Knowledge base', maxLength: 200 });

export const TOP_K: JsonSchema = integer('Maximum number of results.', {
  title: 'Maximum results',
  minimum: 1,
  maximum: 50,
  default: 5,
});

export const MIN_SCORE: JsonSchema = number('Minimum score. Scores are only comparable within one response.', {
  minimum: 0,
  maximum: 1,
});

export const FILTER: JsonSchema = {
  type: 'object',
  title: 'Filter',
  description: 'Metadata filter: a value, or {eq, ne, in, nin, gt, gte, lt, lte, exists}; and, or, not.',
  examples: [{ team: 'support', year: { gte: 2024 } }],
};

export const RERANK: JsonSchema = objectSchema(
  {
    provider: choice(
      ['cohere', 'jina', 'compatible'],
      'Provider; `compatible`: any server with the same POST /rerank API.',
      { default: 'compatible' },
    ),
    model: filledText('Name of the model at the provider.', 'rerank-v3.5'),
    base_url: filledText('Base URL of the server without /rerank.', { title: 'Address' }),
    api_key: filledText('API key of the server.', '{{ secret.RERANK_KEY }}', { title: 'Key' }),
  },
  ['model'],
  { title: 'Rerank', description: 'Model that reranks the results. Default: no reranking.' },
);

const PLACE: JsonSchema = integer('Position in the text, in UTF-16 units.');

/** One hit, as the REST interface answers it. */
export const HIT: JsonSchema = objectSchema(
  {
    document_id: text('ID or name.', { title: 'Document' }),
    document_name: text('Document.', { title: 'Name' }),
    chunk_id: text('ID of the chunk.', { title: 'Part' }),
    text: text('Text of the chunk.'),
    score: number('Score from 0 to 1.'),
    page: { type: ['integer', 'null'], title: 'Page', description: 'Page number from 1, if the document has pages.' },
    heading: { type: ['string', 'null'], title: 'Heading', description: 'Headings above the text, joined by " > ".' },
    highlights: list(
      objectSchema({ start: PLACE, end: PLACE }, ['start', 'end']),
      'Positions of the query terms in the text.',
    ),
    metadata: { type: 'object', title: 'Metadata', description: 'Document.' },
    url: { type: ['string', 'null'], title: 'URL', description: 'URL of a document from the web.' },
  },
  ['document_id', 'document_name', 'chunk_id', 'text', 'score', 'page', 'heading', 'highlights', 'metadata', 'url'],
);
