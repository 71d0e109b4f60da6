import type { Route } from './route';

/** Streams of runs, and links by which people decide. */
export const runRoutes: readonly Route[] = [
  {
    kind: 'tenant stream',
    method: 'GET',
    path: '/api/v1/events',
    access: 'viewer',
    summary: 'Server-sent events of the tenant: runs, approvals and workflows that changed',
  },
  {
    kind: 'stream',
    method: 'GET',
    path: '/api/v1/executions/:id/stream',
    access: 'viewer',
    audience: 'tenant',
    summary: 'Server-sent events of an execution',
  },
  {
    kind: 'stream',
    method: 'GET',
    path: '/public/executions/:id/stream',
    access: 'public',
    audience: 'public',
    summary: 'Server-sent events of a run one started',
  },
  {
    kind: 'approval link',
    method: 'GET',
    path: '/api/v1/executions/:id/approve/:step_id',
    access: 'public',
    summary: 'Decides an approval; the pair of ids is the capability, unless the step names approvers, who sign in',
  },
];
