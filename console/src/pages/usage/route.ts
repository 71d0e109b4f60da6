import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, wordParam } from '../../model/search-params';

/** `figure`: what the chart shows. */
export const usageRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/usage',
  validateSearch: (search: Search): { figure?: 'steps' | 'tokens' | 'cost' } => ({
    figure: wordParam(search, 'figure', ['steps', 'tokens', 'cost']),
  }),
  component: lazyPage(() => import('./usage-page'), 'UsagePage'),
});
