import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam, wordParam } from '../../model/search-params';

/** `show=all`: also steps that are the same. `in`: the path of the open loop. `step`: the path of the step in the panel. */
export const runCompareRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/runs/$id/compare/$other',
  validateSearch: (search: Search): { show?: 'all'; in?: string; step?: string } => ({
    show: wordParam(search, 'show', ['all'] as const),
    in: textParam(search, 'in'),
    step: textParam(search, 'step'),
  }),
  component: lazyPage(() => import('./run-compare-page'), 'RunComparePage'),
});
