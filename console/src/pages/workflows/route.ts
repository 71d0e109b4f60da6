import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam, wordParam } from '../../model/search-params';

const WORKFLOW_SORTS = ['-created_at', '-updated_at', 'name'] as const;
export type WorkflowSort = (typeof WORKFLOW_SORTS)[number];

export interface WorkflowFilters {
  readonly q?: string;
  readonly trigger?: string;
  readonly enabled?: 'true' | 'false';
  readonly tag?: string;
  readonly folder?: string;
  readonly sort?: WorkflowSort;
}

export const workflowsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/workflows',
  validateSearch: (search: Search): WorkflowFilters => ({
    q: textParam(search, 'q'),
    trigger: textParam(search, 'trigger'),
    enabled: textParam(search, 'enabled') === undefined ? undefined : `${textParam(search, 'enabled') === 'true'}`,
    tag: textParam(search, 'tag'),
    folder: textParam(search, 'folder'),
    sort: wordParam(search, 'sort', WORKFLOW_SORTS),
  }),
  component: lazyPage(() => import('./workflows-page'), 'WorkflowsPage'),
});
