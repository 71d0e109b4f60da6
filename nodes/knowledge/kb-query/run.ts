import type { JsonObject } from '../../../lib/json';
import type { KnowledgeHit, NodeContext, Outcome } from '../../contract';
import { type KnowledgeInput, questionOf } from '../question';
import { wished } from '../../wished';

/** Asks the base, and puts out what it found. */
export async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the manifest's schema.
  const input = ctx.input as unknown as KnowledgeInput & { query: string };
  const { knowledge_base: base, query } = input;
  const answer = await wished(ctx, 'knowledge', `search ${base}`, () => ctx.knowledge.query(questionOf(input, query)));
  if (answer.kind === 'failed') return answer.outcome;
  const { hits, mode, baseId, warnings, usage } = answer.value;
  return {
    kind: 'done',
    output: {
      // Plain JSON, as it is put out.
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
