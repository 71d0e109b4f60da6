import type { NodeManifest } from '../../manifest';
import { durationSchema, exactlyOneOf, objectSchema } from '../../schema';
import { BASE } from '../fields';

export const manifest: NodeManifest = {
  type: 'kb_add',
  version: 1,
  title: 'Add to knowledge base',
  description: 'Adds a document to a knowledge base: a text, a page of the web, or a file of the run.',
  category: 'Knowledge',
  effect: 'write',
  // The document's id follows from the step: adding it a second time changes nothing.
  onInterrupted: 'retry',
  input: objectSchema(
    {
      knowledge_base: BASE,
      text: {
        type: 'string',
        title: 'Text',
        description: 'The document itself, plain or Markdown.',
        minLength: 1,
        examples: ['{{ steps.draft.text }}'],
      },
      url: { type: 'string', title: 'URL', description: 'Where it is fetched from.', minLength: 1 },
      path: {
        type: 'string',
        title: 'File',
        description: 'A file of the run, of a kind that can be read: PDF, DOCX, HTML, Markdown, CSV and others.',
        minLength: 1,
        examples: ['report.pdf'],
      },
      name: { type: 'string', title: 'Name', description: 'Of the document.', minLength: 1, maxLength: 300 },
      metadata: {
        type: 'object',
        title: 'Metadata',
        description: 'What filters of searches may ask for.',
        examples: [{ team: 'support' }],
      },
      refresh: durationSchema('Refresh', 'How often an address is fetched again; without it, never.', '1d'),
    },
    ['knowledge_base'],
    exactlyOneOf('text', 'url', 'path'),
  ),
  output: objectSchema(
    {
      document_id: { type: 'string', title: 'Document', description: 'Its id.' },
      knowledge_base_id: { type: 'string', title: 'Knowledge base', description: 'Its id.' },
      name: { type: 'string', title: 'Name', description: 'Of the document.' },
      status: {
        type: 'string',
        title: 'Status',
        description: 'ready where it can be searched already; else how far it is.',
      },
      chunks: { type: 'integer', title: 'Parts', description: 'Into which it was cut, when it is ready.' },
      duplicate: {
        type: 'boolean',
        title: 'Duplicate',
        description: 'The base had this content already, in the document that is put out.',
      },
    },
    ['document_id', 'knowledge_base_id', 'name', 'status', 'chunks', 'duplicate'],
  ),
};
