import { json, type Route, started } from './route';

export const workflowRoutes: readonly Route[] = [
  json('POST /api/v1/workflows/:id/trigger', 'workflows.trigger', {
    status: 202,
    idempotency: 'action',
    summary: 'Starts a run; the body becomes `trigger`',
    params: ({ path, body, idempotencyKey }) => ({ id: path.id, trigger: body, idempotency_key: idempotencyKey }),
    answer: started,
  }),
  json('POST /api/v1/signals', 'workflows.signal', {
    status: 202,
    idempotency: 'replay',
    summary: 'Starts every workflow with a `signal` trigger of that name',
    params: ({ body, idempotencyKey }) => ({ ...body, signal: body.signal, idempotency_key: idempotencyKey }),
  }),
  json('POST /api/v1/workflows/:id/steps/:step_id/test', 'workflows.test_step', {
    summary: 'Runs one step on its own; its effects are real',
  }),
  json('PUT /api/v1/workflows/:id/steps/:step_id/pin', 'workflows.pin', {
    summary: "Fixes a step's output for runs that are started by hand",
  }),
  json('DELETE /api/v1/workflows/:id/steps/:step_id/pin', 'workflows.unpin', {
    status: 204,
    summary: 'Lets a pinned step run again',
    answer: () => ({ body: undefined }),
  }),
  json('GET /api/v1/workflows', 'workflows.list', { paged: true, summary: 'Lists workflows' }),
  json('POST /api/v1/workflows', 'workflows.create', {
    status: 201,
    idempotency: 'replay',
    summary: 'Creates a workflow',
  }),
  json('POST /api/v1/workflows/validate', 'workflows.validate', { summary: 'Checks a document without storing it' }),
  json('POST /api/v1/workflows/import', 'workflows.import', {
    status: 201,
    idempotency: 'replay',
    summary: 'Creates a workflow from an exported file',
    params: ({ body }) => body,
  }),
  json('GET /api/v1/workflows/health', 'workflows.health_all', { summary: 'Health of all workflows' }),
  json('GET /api/v1/workflows/:id', 'workflows.get', { summary: 'A workflow' }),
  json('PUT /api/v1/workflows/:id', 'workflows.update', { summary: 'Changes the given fields' }),
  json('DELETE /api/v1/workflows/:id', 'workflows.remove', {
    access: 'admin',
    status: 204,
    summary: 'Removes a workflow with its executions',
  }),
  json('PUT /api/v1/workflows/:id/enable', 'workflows.enable', { summary: 'Lets a workflow run' }),
  json('PUT /api/v1/workflows/:id/disable', 'workflows.disable', { summary: 'Keeps a workflow from running' }),
  json('POST /api/v1/workflows/:id/approve', 'workflows.approve', {
    access: 'admin',
    summary: 'Approves what a member made or changed',
  }),
  json('GET /api/v1/workflows/:id/health', 'workflows.health', { summary: 'Health of a workflow' }),
  json('GET /api/v1/workflows/:id/schedule', 'workflows.schedule', { summary: 'Live state of the schedule' }),
  json('POST /api/v1/workflows/:id/versions', 'workflows.save_version', {
    status: 201,
    idempotency: 'replay',
    summary: 'Saves the DSL as it is now as the next version',
  }),
  json('GET /api/v1/workflows/:id/versions', 'workflows.versions', {
    paged: true,
    summary: 'Versions of a workflow, newest first',
  }),
  json('GET /api/v1/workflows/:id/versions/:version', 'workflows.version', { summary: 'A version with its DSL' }),
  json('POST /api/v1/workflows/:id/versions/:version/restore', 'workflows.restore_version', {
    summary: 'Puts the DSL of a version in the place of the one that there is',
  }),
  json('GET /api/v1/workflows/:id/versions/:from/diff/:to', 'workflows.compare_versions', {
    summary: 'What leads from one version to another; `current` is the DSL that there is',
  }),
  json('GET /api/v1/workflows/:id/export', 'workflows.export', {
    summary: 'The workflow as a file',
    answer: ({ filename, file }) => ({
      headers: { 'Content-Disposition': `attachment; filename="${filename.replace(/[^\w.-]/g, '_')}"` },
      body: file,
    }),
  }),
  json('GET /api/v1/workflows/:id/api-keys', 'workflows.list_keys', { summary: 'Lists keys of a workflow' }),
  json('POST /api/v1/workflows/:id/api-keys', 'workflows.create_key', {
    status: 201,
    idempotency: 'replay',
    summary: 'Makes a key for /run, shown once',
  }),
  json('DELETE /api/v1/workflows/:id/api-keys/:key_id', 'workflows.revoke_key', {
    status: 204,
    summary: 'Revokes a key',
  }),
  json('PUT /api/v1/workflows/:id/webhook-key', 'workflows.set_webhook_key', {
    summary: 'Sets or makes the key that guards the webhook, shown once',
  }),
  json('DELETE /api/v1/workflows/:id/webhook-key', 'workflows.clear_webhook_key', {
    status: 204,
    summary: 'Removes the guard of the webhook',
  }),
];
