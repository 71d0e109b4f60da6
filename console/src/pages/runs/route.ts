import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam, wordParam } from '../../model/search-params';

export const runsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/runs',
  validateSearch: (search: Search): { q?: string; trials?: 'show' } => ({
    q: textParam(search, 'q'),
    trials: wordParam(search, 'trials', ['show']),
  }),
  component: lazyPage(() => import('./runs-page'), 'RunsPage'),
});
