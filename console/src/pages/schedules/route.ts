import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam, wordParam } from '../../model/search-params';

interface SchedulesSearch {
  readonly state?: 'active' | 'paused';
  /** The id of the schedule in the panel. */
  readonly open?: string;
}

export const schedulesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/schedules',
  validateSearch: (search: Search): SchedulesSearch => ({
    state: wordParam(search, 'state', ['active', 'paused']),
    open: textParam(search, 'open'),
  }),
  component: lazyPage(() => import('./schedules-page'), 'SchedulesPage'),
});
