import type { Route } from './route';

/** Contents of files that runs have written. */
export const fileRoutes: readonly Route[] = [
  {
    kind: 'download',
    of: 'run',
    method: 'GET',
    path: '/api/v1/workspaces/runs/:exec_id/files/:path*',
    access: 'viewer',
    summary: 'A file that a run has written; whole, or a range of it',
  },
  {
    kind: 'download link',
    method: 'GET',
    path: '/api/v1/downloads/:token',
    access: 'public',
    summary: 'What a download link stands for, once',
  },
  {
    kind: 'download',
    of: 'share',
    method: 'GET',
    path: '/api/v1/files/:id/:filename',
    access: 'public',
    summary: 'A shared file; whole, or a range of it. The name is for people alone',
  },
];
