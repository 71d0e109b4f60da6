import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam, wordParam } from '../../model/search-params';

const RUN_TABS = ['timeline', 'steps', 'data', 'files'] as const;
export type RunTab = (typeof RUN_TABS)[number];

export const runRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/runs/$id',
  validateSearch: (search: Search): { tab?: RunTab; step?: string } => ({
    tab: wordParam(search, 'tab', RUN_TABS),
    step: textParam(search, 'step'),
  }),
  component: lazyPage(() => import('./run-page'), 'RunPage'),
});
