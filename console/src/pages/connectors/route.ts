import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { textParams } from '../../model/search-params';

/** `show`: `nodes` for custom nodes; `q`, `category`: of the catalogue; `open`: a connector or a custom node; `panel`: a form in its place. */
export const connectorsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/connectors',
  validateSearch: textParams('show', 'q', 'category', 'open', 'panel'),
  component: lazyPage(() => import('./connectors-page'), 'ConnectorsPage'),
});
