import { json, type Route } from './route';

export const variableRoutes: readonly Route[] = [
  json('GET /api/v1/variables', 'workflows.variables', { summary: 'Named constants of expressions, by name' }),
  json('PUT /api/v1/variables/:name', 'workflows.put_variable', {
    access: 'admin',
    summary: 'Creates (201) or replaces (200) a named constant',
    answer: ({ created, ...variable }) => ({ status: created ? 201 : 200, body: variable }),
  }),
  json('DELETE /api/v1/variables/:name', 'workflows.remove_variable', {
    access: 'admin',
    status: 204,
    summary: 'Removes a named constant',
  }),
];
