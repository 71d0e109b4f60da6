import { isUuid } from '../../../../lib/ids';
import type { JsonObject } from '../../../../lib/json';
import { questionOf } from '../../../knowledge/question';
import { objectSchema } from '../../../schema';
import { platformCall } from '../../../platform-call';
import { type Citations, type MarkedHit, modelViewOf } from '../citations';
import type { ToolInput } from '../input';
import { toolDone, toolFailed } from '../result';
import { failureAdvice } from './node-tool';
import { approvalOf, type Tool } from './tool';

/** Characters of the texts of one result. */
const MAX_TEXT_CHARS = 30_000;
/** Of all its hits as JSON, of which a result has 50,000: more would be cut, and the marks with it. */
const MAX_JSON_CHARS = 45_000;

const PARAMETERS = objectSchema(
  { query: { type: 'string', minLength: 1, maxLength: 10_000, description: 'Search query in natural language.' } },
  ['query'],
);

/** The default tool name of a knowledge base. */
export const knowledgeToolName = (base: string): string =>
  isUuid(base) ? 'search_knowledge' : `search_${base.replace(/[^\w-]+/g, '_')}`.slice(0, 64);

/** A knowledge base as a tool: the model sends a query and receives hits with citation marks. */
export function knowledgeTool(given: ToolInput & { knowledge_base: string }, citations: Citations): Tool {
  const { knowledge_base: base } = given;
  return {
    name: given.name ?? knowledgeToolName(base),
    description: given.description ?? `Finds what the documents of the knowledge base ${base} say about something.`,
    parameters: PARAMETERS,
    approval: approvalOf(given.approval),
    repeatable: true,
    checkedBy: PARAMETERS,
    async use(ctx, _part, input) {
      const question = questionOf(given, String(input.query));
      const answer = await platformCall(ctx, 'knowledge', `search ${base}`, () => ctx.knowledge.query(question));
      if (answer.kind === 'failed') {
        const { outcome } = answer;
        return { kind: 'result', result: toolFailed(outcome.error.code, failureAdvice(outcome)) };
      }
      const { hits, mode, warnings, usage } = answer.value;
      const marked = limited(citations.mark(hits)).map((hit): JsonObject => ({ ...hit }));
      const result = toolDone({ hits: marked, mode, warnings: [...warnings] });
      return { kind: 'result', result, ...(usage === undefined ? {} : { usage }) };
    },
    seen: (output) => citations.learn(output),
    tell: modelViewOf,
  };
}

/** As many as fit, the best first; of the last one, its beginning. */
function limited(hits: readonly MarkedHit[]): MarkedHit[] {
  const fitting: MarkedHit[] = [];
  let characters = MAX_TEXT_CHARS;
  let json = MAX_JSON_CHARS;
  for (const hit of hits) {
    const besides = jsonLength({ ...hit, text: '' });
    const text = beginning(hit.text.slice(0, characters), json - besides);
    if (text === '') break;
    fitting.push({ ...hit, text });
    characters -= text.length;
    json -= jsonLength({ ...hit, text });
  }
  return fitting;
}

/** As much of a text as has so many characters as JSON. */
function beginning(text: string, max: number): string {
  let kept = text;
  for (let size = jsonLength(kept); kept !== '' && size > max; size = jsonLength(kept))
    kept = kept.slice(0, Math.max(0, Math.min(kept.length - 1, Math.floor((kept.length * max) / size))));
  return kept;
}

const jsonLength = (value: unknown): number => JSON.stringify(value).length;
