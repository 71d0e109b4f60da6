import { json, type Route } from './route';

/** Guarded by ids that cannot be guessed, and by keys of workflows. */
export const publicRoutes: readonly Route[] = [
  {
    kind: 'webhook',
    mode: 'webhook',
    method: 'POST',
    path: '/webhooks/:id',
    access: 'public',
    summary: 'Starts a workflow that has an http trigger',
  },
  {
    kind: 'webhook',
    mode: 'run',
    method: 'POST',
    path: '/run/:id',
    access: 'public',
    summary: 'Starts any workflow, with a key of its own; `wait=1` answers at its end',
  },
  {
    kind: 'webhook',
    mode: 'sync',
    method: 'POST',
    path: '/webhooks/:id/sync',
    access: 'public',
    summary: 'Starts a workflow and answers with its result',
  },
  {
    kind: 'webhook',
    mode: 'webhook',
    method: 'GET',
    path: '/webhooks/:id',
    access: 'public',
    summary: "Answers a provider's challenge; without one, starts the workflow",
  },
  json('GET /public/executions/:id', 'executions.public', { access: 'public', summary: 'State of a run one started' }),
  {
    kind: 'stream',
    method: 'GET',
    path: '/public/executions/:id/stream',
    access: 'public',
    audience: 'public',
    summary: 'Server-sent events of a run one started',
  },
];
