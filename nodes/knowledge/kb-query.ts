import type { JsonObject } from '../../lib/json';
import type { KnowledgeHit, NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { choice, filledText, integer, list, objectSchema, text } from '../schema';
import { platformCall } from '../platform-call';
import { BASE, FILTER, HIT, MIN_SCORE, RERANK, TOP_K } from './fields';
import { type KnowledgeInput, questionOf } from './question';

/** Queries the base, and returns the hits. */
async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the input schema.
  const input = ctx.input as unknown as KnowledgeInput & { query: string };
  const { knowledge_base: base, query } = input;
  const answer = await platformCall(ctx, 'knowledge', `search ${base}`, () =>
    ctx.knowledge.query(questionOf(input, query)),
  );
  if (answer.kind === 'failed') return answer.outcome;
  const { hits, mode, baseId, warnings, usage } = answer.value;
  return {
    kind: 'done',
    output: {
      // Plain JSON.
      hits: hits.map((hit) => hit as unknown as JsonObject),
      count: hits.length,
      text: hits.map(quoted).join('\n\n'),
      mode,
      knowledge_base_id: baseId,
      warnings: [...warnings],
    },
    ...(usage === undefined ? {} : { usage }),
  };
}

const quoted = ({ document_name, page, heading, text }: KnowledgeHit, n: number): string => {
  const place = [document_name, heading, page === null ? null : `page ${page}`].filter((part) => part !== null);
  return `[${n + 1}] ${place.join(', ')}\n${text}`;
};

const QUERY = filledText('Search query in natural language.', '{{ trigger.body.question }}', {
  title: 'Question',
  maxLength: 10_000,
});

export const kbQueryNode = defineNode({
  type: 'kb_query',
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
      hits: list(HIT, 'Results, best first.'),
      count: integer('Number of results.', { title: 'Number of results' }),
      text: text('Texts of all results with their sources, for a prompt.'),
      mode: choice(['lexical', 'hybrid'], '`lexical`: by words only; `hybrid`: by words and vectors.'),
      knowledge_base_id: text('ID or name.', { title: 'Knowledge base' }),
      warnings: list({ type: 'string' }, 'Parts of the search that could not be performed.'),
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
  run,
});
