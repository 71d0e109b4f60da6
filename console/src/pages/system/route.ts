import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { textParams } from '../../model/search-params';

/** `show`: the tab; `open`: the id of the row whose details are shown; `q`: the search for tenants. */
export const systemRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/system',
  validateSearch: textParams('show', 'open', 'q'),
  component: lazyPage(() => import('./system-page'), 'SystemPage'),
});
