import { filePath } from '../../lib/file-path';
import type { JsonObject } from '../../lib/json';
import type { KnowledgeContent, NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { done, invalidConfig } from '../outcome';
import { durationSchema, exactlyOneOf, filledText, flag, integer, objectSchema, text } from '../schema';
import { platformCall } from '../platform-call';
import { BASE } from './fields';

/** The input, validated by the schema; one of the three sources is present. */
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
async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the input schema.
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
  const answer = await platformCall(ctx, 'knowledge', `add to ${base}`, () => ctx.knowledge.add(document));
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
  if (place.kind === 'unusable') return { outcome: invalidConfig(ctx.redact(`"path" is invalid: ${place.problem}`)) };
  return { kind: 'file', path: place.path };
}

const durationText = (duration: string | number): string => (typeof duration === 'number' ? `${duration}s` : duration);

export const kbAddNode = defineNode({
  type: 'kb_add',
  title: 'Add to knowledge base',
  description: 'Adds a document to a knowledge base: a text, a web page, or a file of the run.',
  category: 'Knowledge',
  effect: 'write',
  // The document's id follows from the step: adding it a second time changes nothing.
  onInterrupted: 'retry',
  input: objectSchema(
    {
      knowledge_base: BASE,
      text: filledText('Text of the document, plain or Markdown.', '{{ steps.draft.text }}'),
      url: filledText('URL to fetch the document from.'),
      path: filledText('File of the run: PDF, DOCX, HTML, Markdown, CSV and others.', 'report.pdf', { title: 'File' }),
      name: filledText('Document.', { maxLength: 300 }),
      metadata: {
        type: 'object',
        title: 'Metadata',
        description: 'Metadata for search filters.',
        examples: [{ team: 'support' }],
      },
      refresh: durationSchema('Refresh', 'How often a URL is fetched again. Default: never.', '1d'),
    },
    ['knowledge_base'],
    exactlyOneOf('text', 'url', 'path'),
  ),
  output: objectSchema(
    {
      document_id: text('ID or name.', { title: 'Document' }),
      knowledge_base_id: text('ID or name.', { title: 'Knowledge base' }),
      name: text('Document.'),
      status: text('`ready` if searchable; otherwise the state of processing.'),
      chunks: integer('Number of chunks, once ready.', { title: 'Parts' }),
      duplicate: flag('The knowledge base already contains this content, in the returned document.'),
    },
    ['document_id', 'knowledge_base_id', 'name', 'status', 'chunks', 'duplicate'],
  ),
  run,
});
