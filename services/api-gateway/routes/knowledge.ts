import { json, type Route, upload } from './route';

const BASE = '/api/v1/knowledge-bases';

/** What was there already is told with 200. */
const addedStatus = ({ duplicate }: { duplicate?: true }) => (duplicate === true ? { status: 200 } : {});

/** Documents that can be searched. */
export const knowledgeRoutes: readonly Route[] = [
  json(`GET ${BASE}`, 'knowledge.list', { paged: true, summary: 'Lists knowledge bases' }),
  json(`POST ${BASE}`, 'knowledge.create', { status: 201, idempotency: 'replay', summary: 'Makes a knowledge base' }),
  json(`GET ${BASE}/:id`, 'knowledge.get', { summary: 'A knowledge base, with its figures' }),
  json(`PUT ${BASE}/:id`, 'knowledge.update', {
    summary: 'Changes the given fields; another model makes new vectors in the background',
  }),
  json(`DELETE ${BASE}/:id`, 'knowledge.remove', {
    status: 204,
    summary: 'Removes a knowledge base with its documents',
  }),
  json(`GET ${BASE}/:id/documents`, 'knowledge.documents', { paged: true, summary: 'Documents, newest first' }),
  json(`POST ${BASE}/:base_id/documents`, 'knowledge.add_document', {
    status: 201,
    idempotency: 'replay',
    summary: 'Adds a text, or an address; 200 where the base has it already',
    answer: (document) => ({ ...addedStatus(document), body: document }),
  }),
  upload(`POST ${BASE}/:base_id/documents/upload`, 'knowledge', {
    status: 201,
    summary: 'Adds a file; 200 where the base has it already',
    fields: { name: 'text', metadata: 'json' },
    answer: addedStatus,
  }),
  json(`GET ${BASE}/:base_id/documents/:id`, 'knowledge.document', { summary: 'A document, and how far it is' }),
  json(`DELETE ${BASE}/:base_id/documents/:id`, 'knowledge.remove_document', {
    status: 204,
    summary: 'Removes a document',
  }),
  json(`GET ${BASE}/:base_id/documents/:id/chunks`, 'knowledge.chunks', {
    paged: true,
    summary: 'The parts of a document as they are searched',
  }),
  json(`POST ${BASE}/:base_id/documents/:id/refresh`, 'knowledge.refresh', {
    status: 202,
    summary: 'Fetches an address again, or reads anew what was sent',
  }),
  json(`POST ${BASE}/:id/query`, 'knowledge.query', { summary: 'Searches a knowledge base' }),
];
