import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, wordParam } from '../../model/search-params';

export const approvalsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/approvals',
  validateSearch: (search: Search): { show?: 'all' | 'history' } => ({
    show: wordParam(search, 'show', ['all', 'history']),
  }),
  component: lazyPage(() => import('./approvals-page'), 'ApprovalsPage'),
});
