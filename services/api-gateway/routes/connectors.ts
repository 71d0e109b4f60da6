import { json, type Route } from './route';

export const connectorRoutes: readonly Route[] = [
  json('GET /api/v1/connectors', 'connectors.list', {
    summary: 'Connectors with their actions and what they need of an account; `include=schemas`: in full',
  }),
  json('POST /api/v1/connectors/import', 'connectors.import', {
    access: 'admin',
    status: 201,
    idempotency: 'replay',
    summary: 'Makes a connector of an OpenAPI document, or replaces the one of that name',
  }),
  json('GET /api/v1/connectors/:name', 'connectors.get', { summary: 'A connector, with the schemas of its actions' }),
  json('DELETE /api/v1/connectors/:name', 'connectors.remove', {
    access: 'admin',
    status: 204,
    summary: 'Forgets an imported connector',
  }),
  json('POST /api/v1/connectors/:name/actions/:action/test', 'workflows.test_action', {
    summary: 'Does an action for real, as a step of this input would',
  }),
];
