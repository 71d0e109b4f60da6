import { json, type Route } from './route';

export const secretRoutes: readonly Route[] = [
  json('GET /api/v1/secrets', 'secrets.list', { summary: 'Names of the secrets' }),
  json('POST /api/v1/secrets', 'secrets.put', {
    access: 'admin',
    idempotency: 'replay',
    summary: 'Creates (201) or replaces (200) a secret',
    answer: ({ created, ...secret }) => ({ status: created ? 201 : 200, body: secret }),
  }),
  json('DELETE /api/v1/secrets/:name', 'secrets.remove', { access: 'admin', status: 204, summary: 'Removes a secret' }),
];
