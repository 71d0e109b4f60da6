import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam } from '../../model/search-params';

export const runsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/runs',
  validateSearch: (search: Search): { q?: string } => ({ q: textParam(search, 'q') }),
  component: lazyRouteComponent(() => import('./runs-page'), 'RunsPage'),
});
