import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam, wordParam } from '../../model/search-params';

const OUTCOMES = ['started', 'replayed', 'refused', 'ignored'] as const;
const SOURCES = ['http', 'run', 'messaging-a', 'messaging-b'] as const;

export interface DeliveryFilters {
  readonly outcome?: (typeof OUTCOMES)[number];
  readonly source?: (typeof SOURCES)[number];
  readonly workflow?: string;
}

interface DeliveriesSearch extends DeliveryFilters {
  /** The workflow and the delivery in the panel, as `<workflow>/<delivery>`. */
  readonly open?: string;
}

export const deliveriesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/deliveries',
  validateSearch: (search: Search): DeliveriesSearch => ({
    outcome: wordParam(search, 'outcome', OUTCOMES),
    source: wordParam(search, 'source', SOURCES),
    workflow: textParam(search, 'workflow'),
    open: textParam(search, 'open'),
  }),
  component: lazyPage(() => import('./deliveries-page'), 'DeliveriesPage'),
});
