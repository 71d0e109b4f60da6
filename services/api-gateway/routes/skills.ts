import { json, type Route } from './route';

/** Skills of the tenant, and the registry in which they are shared. */
export const skillRoutes: readonly Route[] = [
  json('GET /api/v1/skills', 'skills.list', { paged: true, summary: 'Skills of the tenant' }),
  json('POST /api/v1/skills', 'skills.create', {
    status: 201,
    idempotency: 'replay',
    summary: 'Creates a skill; takes what `parse` gives',
  }),
  {
    kind: 'upload',
    service: 'skills',
    method: 'POST',
    path: '/api/v1/skills/parse',
    access: 'member',
    summary: 'What a bundle (`file`, a zip with SKILL.md) holds; nothing is stored',
    status: 200,
    fields: {},
    answer: null,
  },
  json('GET /api/v1/skills/published', 'skills.published', {
    paged: true,
    summary: 'Skills in the registry, published last first',
  }),
  json('GET /api/v1/skills/published/:id', 'skills.published_skill', {
    summary: 'A skill in the registry, with its instructions; `version`: as it was then',
  }),
  json('GET /api/v1/skills/registry/search', 'skills.search', {
    paged: true,
    summary: 'Skills in the registry by the words in `q`, the best answers first',
  }),
  json('POST /api/v1/skills/registry/install', 'skills.install', {
    idempotency: 'replay',
    summary: 'Copies a skill of the registry into the tenant, pinned to a version; 201, or 200 over one that is there',
    answer: ({ created, ...skill }) => ({ status: created ? 201 : 200, body: skill }),
  }),
  json('GET /api/v1/skills/:id', 'skills.get', { summary: 'A skill with its instructions and files' }),
  json('PUT /api/v1/skills/:id', 'skills.update', { summary: 'Changes the given fields; `files` as a whole' }),
  json('DELETE /api/v1/skills/:id', 'skills.remove', {
    status: 204,
    summary: 'Deletes a skill; takes one out of the registry first, which needs an admin',
  }),
  json('POST /api/v1/skills/:id/publish', 'skills.publish', {
    access: 'admin',
    idempotency: 'replay',
    summary: 'Publishes a skill as a version that never changes',
  }),
  json('POST /api/v1/skills/:id/unpublish', 'skills.unpublish', {
    access: 'admin',
    summary: 'Takes a version, or all, out of the registry; copies stay',
  }),
];
