import type { NodeCase } from '../node-case';
import type { KnowledgeHit } from '../../../nodes/contract';

const hit: KnowledgeHit = {
  document_id: 'd1',
  document_name: 'Handbook',
  chunk_id: 'd1:1:000003',
  text: 'Returns are free for 30 days.',
  score: 1,
  page: 4,
  heading: 'Shop > Returns',
  highlights: [{ start: 0, end: 7 }],
  metadata: { team: 'support' },
  url: null,
};
const bare: KnowledgeHit = {
  ...hit,
  chunk_id: 'd2:1:000000',
  document_id: 'd2',
  page: null,
  heading: null,
  text: 'Or not.',
};
const knowledge = {
  handbook: { hits: [hit, bare], mode: 'hybrid', warnings: ['slow'], usage: { input_tokens: 3, cost_usd: 0.01 } },
  empty: {},
} as const;

export const cases: NodeCase[] = [
  {
    title: 'the hits, and their texts for a prompt',
    input: { knowledge_base: 'handbook', query: 'returns' },
    knowledge,
    outcome: {
      kind: 'done',
      output: {
        hits: [
          { ...hit, highlights: [{ start: 0, end: 7 }] },
          { ...bare, highlights: [{ start: 0, end: 7 }] },
        ],
        count: 2,
        text: '[1] Handbook, Shop > Returns, page 4\nReturns are free for 30 days.\n\n[2] Handbook\nOr not.',
        mode: 'hybrid',
        knowledge_base_id: 'id-of-handbook',
        warnings: ['slow'],
      },
      usage: { input_tokens: 3, cost_usd: 0.01 },
    },
  },
  {
    title: 'nothing found is no failure',
    input: { knowledge_base: 'empty', query: 'x', top_k: 3, min_score: 0.5, filter: { a: 1 }, rerank: { model: 'm' } },
    knowledge,
    outcome: {
      kind: 'done',
      output: { hits: [], count: 0, text: '', mode: 'lexical', knowledge_base_id: 'id-of-empty', warnings: [] },
    },
  },
  {
    title: 'a base that is not there',
    input: { knowledge_base: 'nowhere', query: 'x' },
    outcome: {
      kind: 'fail',
      error: { code: 'knowledge_base_not_found', message: 'search nowhere: ' },
      retryable: false,
    },
  },
];
