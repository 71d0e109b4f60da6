import type { JsonSchema } from '../contract';
import { objectSchema } from '../schema';

/** Which base a step means. */
export const BASE: JsonSchema = {
  type: 'string',
  title: 'Knowledge base',
  description: 'Its id or name.',
  minLength: 1,
  maxLength: 200,
  examples: ['handbook'],
};

export const TOP_K: JsonSchema = {
  type: 'integer',
  title: 'Most hits',
  description: 'How many hits there may be.',
  minimum: 1,
  maximum: 50,
  default: 5,
};

export const MIN_SCORE: JsonSchema = {
  type: 'number',
  title: 'Least score',
  description: 'Hits below it are left out. Scores compare within one answer alone.',
  minimum: 0,
  maximum: 1,
};

export const FILTER: JsonSchema = {
  type: 'object',
  title: 'Filter',
  description:
    'Which documents are searched, by their metadata: a value, or {eq, ne, in, nin, gt, gte, lt, lte, exists}; and, or, not.',
  examples: [{ team: 'support', year: { gte: 2024 } }],
};

export const RERANK: JsonSchema = objectSchema(
  {
    provider: {
      type: 'string',
      title: 'Provider',
      description: 'Whose server; compatible is any that takes POST /rerank in the same words.',
      enum: ['cohere', 'jina', 'compatible'],
      default: 'compatible',
    },
    model: { type: 'string', title: 'Model', description: 'Its name there.', minLength: 1, examples: ['rerank-v3.5'] },
    base_url: { type: 'string', title: 'Address', description: 'Of the server, without /rerank.', minLength: 1 },
    api_key: {
      type: 'string',
      title: 'Key',
      description: 'For the server.',
      minLength: 1,
      examples: ['{{ secret.RERANK_KEY }}'],
    },
  },
  ['model'],
  { title: 'Rerank', description: 'A model that judges the hits once more; without it they stay as they are found.' },
);

const PLACE: JsonSchema = { type: 'integer', title: 'Place', description: 'In the text, in UTF-16 units.' };

/** One hit, as the REST interface answers it. */
export const HIT: JsonSchema = objectSchema(
  {
    document_id: { type: 'string', title: 'Document', description: 'Its id.' },
    document_name: { type: 'string', title: 'Name', description: 'Of the document.' },
    chunk_id: { type: 'string', title: 'Part', description: 'Id of the part of the document.' },
    text: { type: 'string', title: 'Text', description: 'Of the part.' },
    score: { type: 'number', title: 'Score', description: 'From 0 to 1.' },
    page: { type: ['integer', 'null'], title: 'Page', description: 'From 1, where there are pages.' },
    heading: { type: ['string', 'null'], title: 'Heading', description: 'The headings above, joined by " > ".' },
    highlights: {
      type: 'array',
      title: 'Highlights',
      description: 'Where the words of the question stand in the text.',
      items: objectSchema({ start: PLACE, end: PLACE }, ['start', 'end']),
    },
    metadata: { type: 'object', title: 'Metadata', description: 'Of the document.' },
    url: { type: ['string', 'null'], title: 'URL', description: 'Where the document is from, if it is from the web.' },
  },
  ['document_id', 'document_name', 'chunk_id', 'text', 'score', 'page', 'heading', 'highlights', 'metadata', 'url'],
);
