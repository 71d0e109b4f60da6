import { isUuid } from '../../../../lib/ids';
import type { JsonObject } from '../../../../lib/json';
import type { KnowledgeHit } from '../../../contract';
import { questionOf } from '../../../knowledge/question';
import { objectSchema } from '../../../schema';
import { wished } from '../../../wished';
import { type Citations, toldOf } from '../citations';
import type { ToolInput } from '../input';
import { toolDone, toolFailed } from '../result';
import { failureAdvice } from './node-tool';
import { approvalOf, problemBy, type Tool } from './tool';

/** Characters of all hits of one result: more would be cut, and the marks with it. */
const MOST_TEXT = 30_000;

const PARAMETERS = objectSchema(
  { query: { type: 'string', minLength: 1, maxLength: 10_000, description: 'What to look for, in words.' } },
  ['query'],
);

/** What a base is called as a tool that its author gives no name. */
export const knowledgeToolName = (base: string): string =>
  isUuid(base) ? 'search_knowledge' : `search_${base.replace(/[^\w-]+/g, '_')}`.slice(0, 64);

/** A knowledge base as a tool: the model asks in words, and gets what was found with marks to cite it by. */
export function knowledgeTool(given: ToolInput & { knowledge_base: string }, citations: Citations): Tool {
  const { knowledge_base: base } = given;
  return {
    name: given.name ?? knowledgeToolName(base),
    description: given.description ?? `Finds what the documents of the knowledge base ${base} say about something.`,
    parameters: PARAMETERS,
    approval: approvalOf(given.approval),
    repeatable: true,
    problemOf: (input) => problemBy(PARAMETERS, input),
    async use(ctx, _part, input) {
      const question = questionOf(given, String(input.query));
      const answer = await wished(ctx, 'knowledge', `search ${base}`, () => ctx.knowledge.query(question));
      if (answer.kind === 'failed') {
        const { outcome } = answer;
        return { kind: 'result', result: toolFailed(outcome.error.code, failureAdvice(outcome)) };
      }
      const { hits, mode, warnings, usage } = answer.value;
      const marked = citations.mark(withinBound(hits)).map((hit): JsonObject => ({ ...hit }));
      const result = toolDone({ hits: marked, mode, warnings: [...warnings] });
      return { kind: 'result', result, ...(usage === undefined ? {} : { usage }) };
    },
    seen: (output) => citations.learn(output),
    tell: toldOf,
  };
}

/** As many as fit, the best first; of one that is too long by itself, its beginning. */
function withinBound(hits: readonly KnowledgeHit[]): KnowledgeHit[] {
  let left = MOST_TEXT;
  return hits.flatMap((hit) => {
    const text = hit.text.slice(0, left);
    left -= text.length;
    return text === '' ? [] : [{ ...hit, text }];
  });
}
