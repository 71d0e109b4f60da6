import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, wordParam } from '../../model/search-params';

export const queuesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/queues',
  validateSearch: (search: Search): { kind?: 'concurrency' | 'throttle' } => ({
    kind: wordParam(search, 'kind', ['concurrency', 'throttle']),
  }),
  component: lazyPage(() => import('./queues-page'), 'QueuesPage'),
});
