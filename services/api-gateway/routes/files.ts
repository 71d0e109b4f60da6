import { json, type Route } from './route';

/** What runs have written. */
export const fileRoutes: readonly Route[] = [
  json('GET /api/v1/workspaces/runs/:exec_id/files', 'files.list', {
    summary: 'The files that a run has written',
    params: ({ path, origin }) => ({ exec_id: path.exec_id, origin: origin ?? undefined }),
  }),
  {
    kind: 'download',
    of: 'run',
    method: 'GET',
    path: '/api/v1/workspaces/runs/:exec_id/files/:path*',
    access: 'member',
    summary: 'A file that a run has written; whole, or a range of it',
  },
  json('GET /public/executions/:id/files', 'files.list_public', {
    access: 'public',
    summary: 'The files of a run one started; with addresses of those that are shared',
    params: ({ path, origin }) => ({ id: path.id, origin: origin ?? undefined }),
  }),
  {
    kind: 'download',
    of: 'share',
    method: 'GET',
    path: '/api/v1/files/:id/:filename',
    access: 'public',
    summary: 'A shared file; whole, or a range of it. The name is for people alone',
  },
];
