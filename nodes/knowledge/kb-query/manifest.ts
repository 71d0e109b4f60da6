import type { NodeManifest } from '../../manifest';
import { objectSchema } from '../../schema';
import { BASE, FILTER, HIT, MIN_SCORE, RERANK, TOP_K } from '../fields';

const QUERY = {
  type: 'string',
  title: 'Question',
  description: 'What is looked for, in words.',
  minLength: 1,
  maxLength: 10_000,
  examples: ['{{ trigger.body.question }}'],
};

export const manifest: NodeManifest = {
  type: 'kb_query',
  version: 1,
  title: 'Search knowledge base',
  description: 'Finds the parts of documents that answer a question.',
  category: 'Knowledge',
  effect: 'read',
  onInterrupted: 'retry',
  input: objectSchema(
    { knowledge_base: BASE, query: QUERY, top_k: TOP_K, min_score: MIN_SCORE, filter: FILTER, rerank: RERANK },
    ['knowledge_base', 'query'],
  ),
  output: objectSchema(
    {
      hits: { type: 'array', title: 'Hits', description: 'The best first.', items: HIT },
      count: { type: 'integer', title: 'Number of hits', description: 'How many there are.' },
      text: { type: 'string', title: 'Text', description: 'The texts of all hits with their sources, for a prompt.' },
      mode: {
        type: 'string',
        title: 'Mode',
        description: 'lexical is by words alone, hybrid by words and vectors.',
        enum: ['lexical', 'hybrid'],
      },
      knowledge_base_id: { type: 'string', title: 'Knowledge base', description: 'Its id.' },
      warnings: {
        type: 'array',
        title: 'Warnings',
        description: 'What the search could not do as it was asked to.',
        items: { type: 'string' },
      },
    },
    ['hits', 'count', 'text', 'mode', 'knowledge_base_id', 'warnings'],
  ),
  tool: {
    name: 'search_knowledge',
    description: 'Finds the parts of documents in a knowledge base that answer a question.',
    parameters: objectSchema({ knowledge_base: BASE, query: QUERY, top_k: TOP_K, filter: FILTER }, [
      'knowledge_base',
      'query',
    ]),
  },
};
