import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam } from '../../model/search-params';

interface AlertsSearch {
  /** The id of the alert in the panel; `new`: the form of a new one. */
  readonly open?: string;
  /** Only alerts that cover this workflow, and the scope of a new one. */
  readonly workflow?: string;
}

export const alertsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/alerts',
  validateSearch: (search: Search): AlertsSearch => ({
    open: textParam(search, 'open'),
    workflow: textParam(search, 'workflow'),
  }),
  component: lazyPage(() => import('./alerts-page'), 'AlertsPage'),
});
