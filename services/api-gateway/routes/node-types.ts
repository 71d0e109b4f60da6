import { json, type Given, type Route } from './route';

/** The whole body is the definition, so that its own `type` does not meet the path's. */
const changed = ({ path, body }: Given) => ({ type: path.type, definition: body });

export const nodeTypeRoutes: readonly Route[] = [
  json('GET /api/v1/node-types', 'workflows.node_types', {
    summary: 'Node types: those that hold steps, built-in and custom ones; by `category` and `kind`',
  }),
  json('GET /api/v1/custom-nodes', 'workflows.custom_nodes', { paged: true, summary: 'Lists custom nodes' }),
  json('POST /api/v1/custom-nodes', 'workflows.create_custom_node', {
    access: 'admin',
    status: 201,
    idempotency: 'replay',
    summary: 'Creates a step type from a definition',
    params: ({ body }) => ({ definition: body }),
  }),
  json('GET /api/v1/custom-nodes/:type', 'workflows.get_custom_node', { summary: 'A custom node, by type or id' }),
  json('PUT /api/v1/custom-nodes/:type', 'workflows.update_custom_node', {
    access: 'admin',
    summary: 'Changes the given members of a definition',
    params: changed,
  }),
  json('DELETE /api/v1/custom-nodes/:type', 'workflows.remove_custom_node', {
    access: 'admin',
    status: 204,
    summary: 'Deletes a custom node; 409 while workflows use it, but for `force=true`',
  }),
  json('POST /api/v1/custom-nodes/:type/test', 'workflows.test_custom_node', {
    summary: 'Sends the request of a custom node, as a step of this config would',
  }),
];
