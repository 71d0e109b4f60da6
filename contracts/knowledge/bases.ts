import { actions } from '../contract';
import { createParams, queryParams, updateParams } from './params';
import { KnowledgeAnswer, KnowledgeBaseView } from './views';
import { forceParam, id } from '../rules';
import { pageParams } from '../../lib/page';
import * as s from '../../lib/schema';

export const basesActions = actions({
  list: {
    rest: 'GET /api/v1/knowledge-bases',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Lists knowledge bases',
    params: pageParams,
    result: s.listed(KnowledgeBaseView),
  },
  create: {
    rest: 'POST /api/v1/knowledge-bases',
    status: 201,
    access: 'member',
    idempotency: 'replay',
    integrators: true,
    summary: 'Makes a knowledge base',
    params: createParams,
    result: KnowledgeBaseView,
    errors: ['forbidden', 'conflict', 'unknown_secret'],
  },
  get: {
    rest: 'GET /api/v1/knowledge-bases/:id',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'A knowledge base, with its figures',
    params: { id },
    result: KnowledgeBaseView,
    errors: ['not_found'],
  },
  update: {
    rest: 'PUT /api/v1/knowledge-bases/:id',
    access: 'member',
    integrators: true,
    summary: 'Changes the given fields; another model makes new vectors in the background',
    description: 'Another embedding begins a re-embedding in the background.',
    params: updateParams,
    result: KnowledgeBaseView,
    errors: ['forbidden', 'not_found', 'conflict', 'unknown_secret'],
  },
  remove: {
    rest: 'DELETE /api/v1/knowledge-bases/:id',
    status: 204,
    access: 'member',
    integrators: true,
    summary: 'Removes a knowledge base with its documents',
    description: 'With its documents, chunks and vectors.',
    params: { id, force: forceParam },
    result: s.nothing,
    errors: ['not_found', 'conflict'],
  },
  query: {
    rest: 'POST /api/v1/knowledge-bases/:id/query',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Searches a knowledge base',
    description:
      '`id`: of a base, or its name. `explain` adds to each hit its ranks and scores by words, by vectors and by both.',
    params: queryParams,
    result: KnowledgeAnswer,
    errors: [
      'forbidden',
      'not_found',
      'invalid_query',
      'conflict',
      'unknown_secret',
      'provider_failed',
      'provider_not_configured',
    ],
  },
});
