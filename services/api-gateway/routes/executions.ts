import { json, type Route, started } from './route';

export const executionRoutes: readonly Route[] = [
  json('GET /api/v1/executions', 'executions.list', { paged: true, summary: 'Lists executions, newest first' }),
  json('GET /api/v1/executions/visibility', 'executions.visibility', {
    paged: true,
    summary: 'Lists executions by a filter such as ExecutionStatus = "Failed" AND StartTime > now() - 1d',
  }),
  json('POST /api/v1/executions/bulk', 'executions.bulk', {
    status: 202,
    idempotency: 'replay',
    params: ({ body, idempotencyKey }) => ({
      ...body,
      query: body.query,
      action: body.action,
      idempotency_key: idempotencyKey,
    }),
    summary: 'Cancels, retries or signals every execution that a query means',
  }),
  json('GET /api/v1/executions/:id/timeline', 'executions.timeline', {
    summary: 'When the steps of an execution were at work, waited or paused',
  }),
  json('GET /api/v1/executions/:id', 'executions.get', { summary: 'An execution' }),
  json('GET /api/v1/executions/:id/detail', 'executions.detail', {
    summary: 'An execution with its steps, a page at a time',
  }),
  {
    kind: 'stream',
    method: 'GET',
    path: '/api/v1/executions/:id/stream',
    access: 'member',
    audience: 'tenant',
    summary: 'Server-sent events of an execution',
  },
  json('POST /api/v1/executions/:id/cancel', 'executions.cancel', { status: 202, summary: 'Cancels a run' }),
  json('POST /api/v1/executions/:id/retry', 'executions.retry', {
    status: 202,
    idempotency: 'action',
    summary: 'Runs again, with what was completed taken over',
    params: ({ path, body, idempotencyKey }) => ({ ...body, id: path.id, idempotency_key: idempotencyKey }),
    answer: started,
  }),
  json('POST /api/v1/executions/:id/signal', 'executions.signal', {
    status: 202,
    idempotency: 'replay',
    summary: 'Delivers a signal',
  }),
  {
    kind: 'approval link',
    method: 'GET',
    path: '/api/v1/executions/:id/approve/:step_id',
    access: 'public',
    summary: 'Decides an approval; the pair of ids is the capability',
  },
  json('POST /api/v1/executions/:id/steps/:step_id/feedback', 'executions.feedback', { summary: 'Rates a step' }),
  json('GET /api/v1/approvals', 'executions.approvals', {
    summary: 'Every step that waits for a decision',
    params: ({ origin }) => ({ origin: origin ?? undefined }),
  }),
];
