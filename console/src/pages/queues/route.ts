import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { QUEUE_KINDS, type QueueKind } from '../../model/queues';
import { type Search, wordParam } from '../../model/search-params';

export const queuesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/queues',
  validateSearch: (search: Search): { kind?: QueueKind } => ({
    kind: wordParam(search, 'kind', QUEUE_KINDS),
  }),
  component: lazyPage(() => import('./queues-page'), 'QueuesPage'),
});
