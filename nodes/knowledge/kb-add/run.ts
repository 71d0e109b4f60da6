import { filePath } from '../../../lib/file-path';
import type { JsonObject } from '../../../lib/json';
import type { KnowledgeContent, NodeContext, Outcome } from '../../contract';
import { done, invalidConfig } from '../../outcome';
import { wished } from '../../wished';

/** The input as its schema promises it; one of the three sources is there. */
interface AddInput {
  knowledge_base: string;
  text?: string;
  url?: string;
  path?: string;
  name?: string;
  metadata?: JsonObject;
  refresh?: string | number;
}

/** Adds a document under an id that is the same for all attempts of the step. */
export async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the manifest's schema.
  const input = ctx.input as unknown as AddInput;
  const { knowledge_base: base, name, metadata } = input;
  if (input.refresh !== undefined && input.url === undefined)
    return invalidConfig('"refresh" is for an address in "url"');
  const content = contentOf(ctx, input);
  if ('outcome' in content) return content.outcome;
  const document = {
    base,
    id: ctx.idempotencyKey,
    ...(name === undefined ? {} : { name }),
    ...(metadata === undefined ? {} : { metadata }),
    content,
  };
  const answer = await wished(ctx, 'knowledge', `add to ${base}`, () => ctx.knowledge.add(document));
  if (answer.kind === 'failed') return answer.outcome;
  const { documentId, baseId, ...added } = answer.value;
  return done({ document_id: documentId, knowledge_base_id: baseId, ...added });
}

function contentOf(
  ctx: NodeContext,
  { text, url, path = '', refresh }: AddInput,
): KnowledgeContent | { readonly outcome: Outcome } {
  if (text !== undefined) return { kind: 'text', text };
  // A number is one of seconds, as everywhere in the language.
  if (url !== undefined)
    return { kind: 'url', url, ...(refresh === undefined ? {} : { refresh: durationText(refresh) }) };
  const place = filePath(path);
  if (place.kind === 'unusable') return { outcome: invalidConfig(ctx.mask(`"path" cannot be used: ${place.problem}`)) };
  return { kind: 'file', path: place.path };
}

const durationText = (duration: string | number): string => (typeof duration === 'number' ? `${duration}s` : duration);
