import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParams, wordParam } from '../../model/search-params';

const WORKFLOW_SORTS = ['-created_at', '-updated_at', 'name'] as const;
export type WorkflowSort = (typeof WORKFLOW_SORTS)[number];

export interface WorkflowFilters {
  readonly q?: string;
  readonly trigger?: string;
  /** `true` or `false`. */
  readonly enabled?: string;
  readonly tag?: string;
  readonly folder?: string;
  /** The side panel. */
  readonly panel?: string;
  readonly sort?: WorkflowSort;
}

const textsOf = textParams('q', 'trigger', 'enabled', 'tag', 'folder', 'panel');

export const workflowsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/workflows',
  validateSearch: (search: Search): WorkflowFilters => ({
    ...textsOf(search),
    sort: wordParam(search, 'sort', WORKFLOW_SORTS),
  }),
  component: lazyPage(() => import('./workflows-page'), 'WorkflowsPage'),
});
